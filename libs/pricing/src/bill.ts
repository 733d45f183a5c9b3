import type { PriceUsed, Usage } from '@tollgate/contracts';

/** How many plain input tokens one token of each class costs as much as. */
export const ratioOf: Readonly<Record<keyof Usage, (price: PriceUsed) => number>> = {
  textInput: () => 1,
  imageInput: () => 1,
  cachedInput: (price) => price.cacheRatio,
  cacheWrite5m: (price) => price.cacheWrite5mRatio,
  cacheWrite1h: (price) => price.cacheWrite1hRatio,
  audioInput: (price) => price.audioRatio,
  textOutput: (price) => price.completionRatio,
  reasoningOutput: (price) => price.completionRatio,
  audioOutput: (price) => price.audioRatio * price.audioCompletionRatio,
};
const classes = Object.keys(ratioOf) as (keyof Usage)[];

/** One class of tokens on a bill. */
export interface BillLine {
  kind: keyof Usage;
  tokens: number;
  ratio: number;
}

/** What was used, class by class; classes of which there was nothing are left out. */
export function billLines(usage: Usage, price: PriceUsed): BillLine[] {
  return classes.filter((kind) => usage[kind] > 0).map((kind) => ({ kind, tokens: usage[kind], ratio: ratioOf[kind](price) }));
}

/**
 * What a call costs, in quota, before it is rounded.
 *
 * ratio: tokens of each class x its ratio x modelRatio x groupRatio x (quotaPerUnit / 500 000)
 * fixed: modelPrice x quotaPerUnit x groupRatio
 */
export function exactQuota(usage: Usage, price: PriceUsed): number {
  if (price.kind === 'fixed') return price.modelPrice * price.quotaPerUnit * price.groupRatio;
  let tokens = 0;
  for (const kind of classes) if (usage[kind] > 0) tokens += usage[kind] * ratioOf[kind](price);
  return tokens * rateOf(price);
}

/** Quota a plain input token, or a call; 0 means that it is free. */
export function rateOf(price: PriceUsed): number {
  if (price.kind === 'fixed') return price.modelPrice * price.groupRatio;
  return price.modelRatio * price.groupRatio * (price.quotaPerUnit / 500_000);
}
