import type { Usage } from '@tollgate/contracts';
import type { Price } from '@tollgate/pricing';
import type { AnyRequest, Delivered, ServedBy, TextMeasure, UsageReading } from '@tollgate/providers';
import type { Form } from '../request/form-body.ts';
import type { Settings } from './settings.ts';

/** What a call comes to: its usage, and whose count it is. */
export interface Bill {
  usage: Usage;
  usageSource: 'upstream' | 'counted' | 'estimated';
  /** By which values of priced fields the provider says it served the call. */
  served?: ServedBy | undefined;
}

/** What a call that is not paid by the tokens of texts alone is charged by. */
export interface Terms {
  price: Price;
  /** What the request weighs. */
  estimate: Usage;
  /** What may be paid besides, at the most. */
  most: Partial<Usage>;
  /** The bill of what was delivered; `stated` is the provider's own. */
  bill(stated: UsageReading | undefined, delivered: Delivered): Bill;
}

export interface TermsQuestion<Request extends AnyRequest = AnyRequest> {
  request: Request;
  /** The model's price in the group. */
  price: Price;
  measure: TextMeasure | undefined;
  settings: Settings;
  /** Of requests that are forms: how long, in seconds, the sound in it lasts; undefined where that cannot be told. */
  form: Form | undefined;
  seconds: number | undefined;
  /** The most that a provider may state as the length of this sound, where that is known otherwise than by a form. */
  mostSeconds?: number;
}

/** The provider's count where it can be believed, else ours. */
export function statedOr(stated: UsageReading | undefined, own: () => Usage): Bill {
  if (stated?.trusted) return { usage: stated.usage, usageSource: 'upstream' };
  return { usage: own(), usageSource: stated === undefined ? 'counted' : 'estimated' };
}
