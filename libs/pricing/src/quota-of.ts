import type { Usage } from '@tollgate/contracts';
import { type CallPrice, exactQuota, furtherRatioOf, isItemized, rateOf, ratioOf } from './bill.ts';

/** What a call costs, in quota. Rounded once, half up; at least 1 when the price is not zero. */
export function quotaOf(usage: Usage, price: CallPrice): number {
  const exact = exactQuota(usage, price);
  return rounded(exact, isItemized(usage, price) ? exact : rateOf(price));
}

/** Input of an estimate before the call: the estimated prompt and what was already delivered. */
export interface Estimate {
  used: Usage;
  /** Further output tokens. They count as image tokens where the model has a price for those. */
  moreOutput: number;
  /** The answer may be audio: its tokens cost the audio price, if that is higher. */
  isSpoken?: boolean;
}

/** The maximum cost of a call of this size, in quota. */
export function estimateQuota({ used, moreOutput, isSpoken = false }: Estimate, price: CallPrice): number {
  if (price.kind === 'fixed') return quotaOf(used, price);
  return rounded(exactQuota(used, price) + moreOutput * perOutputToken(price, isSpoken), rateOf(price));
}

/** The maximum output, in tokens, that `quota` pays for in addition to `used`; Infinity when output is free. Never below 0. */
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
  // Binary rounding errors, in the 16th digit, must not affect a half.
  return Math.max(1, Math.round(exact * (1 + 2e-15)));
}
