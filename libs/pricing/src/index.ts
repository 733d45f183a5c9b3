export { completionRatioOf, type PriceTables, priceOf, pricesFrom } from './price-of.ts';
export { affordableOutputTokens, type Estimate, estimateQuota, quotaOf } from './quota-of.ts';
