export { billLines, type CallPrice, itemsTotal, type Recorded, recorded } from './bill.ts';
export { maxOutputOf } from './max-output.ts';
export { completionRatioOf, type Price, type PriceTables, priceOf, pricesFrom, pricesOf, timesRatio } from './price-of.ts';
export { affordableOutputTokens, type Estimate, estimateQuota, quotaOf } from './quota-of.ts';
