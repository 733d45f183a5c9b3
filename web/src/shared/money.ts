import { formatCount, formatDollars, type MoneyDisplay } from './format.ts';

const scales: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/**
 * The quota that a text names: `12.5` or `1.5k` in the site's own unit, `$2` always dollars.
 * undefined when it is no amount, or would be a fraction of a quota.
 */
export function parseQuota(text: string, display: MoneyDisplay): number | undefined {
  const match = /^(-?)(\$?)\s*(\d+(?:\.\d+)?|\.\d+)\s*([kmb]?)$/i.exec(text.trim().replaceAll(/[,_\s](?=\d{3}(?:\D|$))/g, ''));
  if (!match) return undefined;
  const [, minus, dollar, digits, scale = ''] = match;
  const amount = Number(digits) * (scales[scale.toLowerCase()] ?? 1) * (minus ? -1 : 1);
  const quota = dollar || display.asCurrency ? amount * display.quotaPerUnit : amount;
  const whole = Math.round(quota);
  // 0.07 * 500000 is 35000.000000000004: noise is rounded away, a real fraction of a quota is refused.
  return Math.abs(quota - whole) < 1e-6 * Math.max(1, Math.abs(quota)) ? whole : undefined;
}

/** How a quota stands in an input: in the site's unit, exact, without grouping. */
export function quotaInput(quota: number, display: MoneyDisplay): string {
  if (!display.asCurrency) return String(quota);
  return String(Number((quota / display.quotaPerUnit).toFixed(10)));
}

/** The same amount in the other unit, to stand beside an input. */
export function otherForm(quota: number, display: MoneyDisplay): string {
  return display.asCurrency ? formatCount(quota) : formatDollars(quota / display.quotaPerUnit, 4);
}
