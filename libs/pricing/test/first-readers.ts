import { z } from 'zod';

/**
 * How the first release read events and computed bills, before items existed. Kept unchanged to check that today's events remain readable.
 */
const count = z.int().nonnegative();
const ratio = z.number().nonnegative();
const firstUsage = z.strictObject({
  textInput: count,
  cachedInput: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  audioInput: count,
  imageInput: count,
  textOutput: count,
  reasoningOutput: count,
  audioOutput: count,
});
const firstPrice = z.strictObject({
  kind: z.enum(['ratio', 'fixed']),
  modelRatio: ratio,
  completionRatio: ratio,
  cacheRatio: ratio,
  cacheWrite5mRatio: ratio,
  cacheWrite1hRatio: ratio,
  audioRatio: ratio,
  audioCompletionRatio: ratio,
  modelPrice: ratio,
  groupRatio: ratio,
  quotaPerUnit: z.number().positive(),
});
export const firstEvent = z.object({ usage: firstUsage, price: firstPrice, quota: count });
export type FirstEvent = z.infer<typeof firstEvent>;

export function firstQuotaOf({ usage, price }: FirstEvent): number {
  const rate =
    price.kind === 'fixed' ? price.modelPrice * price.groupRatio : price.modelRatio * price.groupRatio * (price.quotaPerUnit / 500_000);
  if (rate === 0) return 0;
  const exact = price.kind === 'fixed' ? price.modelPrice * price.quotaPerUnit * price.groupRatio : weighed(usage, price) * rate;
  return Math.max(1, Math.round(exact * (1 + 2e-15)));
}

function weighed(usage: FirstEvent['usage'], price: FirstEvent['price']): number {
  let tokens = usage.textInput + usage.imageInput;
  tokens += usage.cachedInput * price.cacheRatio;
  tokens += usage.cacheWrite5m * price.cacheWrite5mRatio;
  tokens += usage.cacheWrite1h * price.cacheWrite1hRatio;
  tokens += usage.audioInput * price.audioRatio;
  tokens += usage.textOutput * price.completionRatio;
  tokens += usage.reasoningOutput * price.completionRatio;
  tokens += usage.audioOutput * (price.audioRatio * price.audioCompletionRatio);
  return tokens;
}
