import type { Usage } from '@tollgate/contracts';
import { type CallPrice, exactQuota, furtherRatioOf, isItemized, rateOf, ratioOf } from './bill.ts';

/** What a call costs, in quota; rounded once, half up; at least 1 when the price is not zero. */
export function quotaOf(usage: Usage, price: CallPrice): number {
  const exact = exactQuota(usage, price);
  return rounded(exact, isItemized(usage, price) ? exact : rateOf(price));
}

/** What a call may come to, before it is made: its prompt as it was weighed, and what it has delivered already. */
export interface Estimate {
  used: Usage;
  /** Output tokens that may come besides; they may be those of drawn pictures, where the model has a price for them. */
  moreOutput: number;
  /** The answer may be spoken: its tokens cost what audio costs, if that is more. */
  isSpoken?: boolean;
}

/** The most that a call of this size should cost, in quota. */
export function estimateQuota({ used, moreOutput, isSpoken = false }: Estimate, price: CallPrice): number {
  if (price.kind === 'fixed') return quotaOf(used, price);
  return rounded(exactQuota(used, price) + moreOutput * perOutputToken(price, isSpoken), rateOf(price));
}

/** The longest answer, in tokens, that `quota` pays for beside `used`; Infinity when output costs nothing. Never below 0. */
export function affordableOutputTokens(quota: number, { used, isSpoken = false }: Omit<Estimate, 'moreOutput'>, price: CallPrice): number {
  if (price.kind === 'fixed') return quota >= quotaOf(used, price) ? Number.POSITIVE_INFINITY : 0;
  const perToken = perOutputToken(price, isSpoken);
  if (perToken === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((quota - exactQuota(used, price)) / perToken));
}

function perOutputToken(price: CallPrice, isSpoken: boolean): number {
  const spoken = isSpoken ? ratioOf.audioOutput(price) : 0;
  return Math.max(ratioOf.textOutput(price), ratioOf.reasoningOutput(price), spoken, furtherRatioOf.imageOutput(price)) * rateOf(price);
}

function rounded(exact: number, rate: number): number {
  if (rate === 0) return 0;
  // The noise of binary fractions, in the 16th digit, must not tip a half.
  return Math.max(1, Math.round(exact * (1 + 2e-15)));
}
