import { grouped } from './count-text.ts';

/** How a site shows money. `quotaPerUnit` is the quota of one US dollar. */
export interface MoneyDisplay {
  quotaPerUnit: number;
  asCurrency: boolean;
}

/** A quota as dollars or, where the site shows no currency, as a compact number. The console, messages and mails all show amounts so. */
export function formatQuota(quota: number, display: MoneyDisplay): string {
  return display.asCurrency ? formatDollars(quota / display.quotaPerUnit) : formatCompact(quota);
}

/** Dollars, grouped: two decimals from one dollar on, below that up to four significant digits, so that no amount is shown as nothing. */
export function formatDollars(dollars: number): string {
  const size = Math.abs(dollars);
  const sign = dollars < 0 && size > 0 ? '-' : '';
  // What rounds to a dollar is one: $1.00, not $1.0000.
  if (size >= 0.99995 || size === 0) return `${sign}$${grouped(size, 2, 2)}`;
  return `${sign}$${grouped(Number(size.toPrecision(4)), 2, 12)}`;
}

/** Up to 9,999 as it is, from there on 10.0k, 1.0M, 1.0B. */
export function formatCompact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)}B`;
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (size >= 10_000) return `${(value / 1000).toFixed(1)}k`;
  return grouped(value, 0, 3);
}
