import { noUsage, type PriceUsed, type TokenUsage, tokenClasses } from '@tollgate/contracts';

/**
 * The stored form of usage and price in a log row. Zero classes and ratios of one are omitted, which halves the row and the cost of writing
 * it.
 */
export type StoredUsage = Partial<TokenUsage>;
export type StoredPrice = Partial<PriceUsed>;

const usualPrice: Omit<PriceUsed, 'kind' | 'groupRatio' | 'quotaPerUnit' | 'modelRatio' | 'completionRatio'> = {
  cacheRatio: 1,
  cacheWrite5mRatio: 1,
  cacheWrite1hRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  modelPrice: 0,
};
const usualFields = Object.keys(usualPrice) as (keyof typeof usualPrice)[];

export function storedUsage(usage: TokenUsage): StoredUsage {
  const stored: StoredUsage = {};
  for (const name of tokenClasses) if (usage[name] !== 0) stored[name] = usage[name];
  return stored;
}

export function storedPrice(price: PriceUsed): StoredPrice {
  const { kind, modelRatio, completionRatio, groupRatio, quotaPerUnit } = price;
  const stored: StoredPrice = { kind, modelRatio, completionRatio, groupRatio, quotaPerUnit };
  for (const name of usualFields) if (price[name] !== usualPrice[name]) stored[name] = price[name];
  return stored;
}

/** Restores the usage of a log row. */
export function usageOfRow(stored: StoredUsage | null | undefined): TokenUsage {
  return { ...noUsage, ...stored };
}

/** Restores the price of a log row. Undefined when the row is not a call, or is hidden. */
export function priceOfRow(stored: StoredPrice | null | undefined): PriceUsed | undefined {
  return stored ? ({ ...usualPrice, ...stored } as PriceUsed) : undefined;
}
