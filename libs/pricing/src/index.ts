export { billLines, type CallPrice, itemsTotal, type Recorded, recorded } from './bill.ts';
export { completionRatioOf } from './family-ratios.ts';
export { type ClassFactors, evenFactors, factorsOf, timesFactors } from './list-price.ts';
export { maxOutputOf } from './max-output.ts';
export { type Price, type PriceOrigin, priceOf, pricesOf } from './price-of.ts';
export { ownEntries, type PriceTables, pricesFrom } from './price-tables.ts';
export { affordableOutputTokens, type Estimate, estimateQuota, quotaOf } from './quota-of.ts';
