import requestFieldPrices from './data/request-field-prices.json' with { type: 'json' };

/** A field of requests that changes what a provider asks, and the values that do not. */
export interface PricedField {
  field: string;
  free: (string | boolean)[];
  source: string;
}

export const pricedFields: readonly PricedField[] = requestFieldPrices.fields;

/** Types of tools that cost nothing but tokens, as a rule because they run at the caller; a name may end in `*`. Every other tool has a price. */
export const callersTools: Readonly<Record<string, true>> = Object.fromEntries(
  requestFieldPrices.tools.free.map((name) => [name, true as const]),
);
