import { formatCount, formatDollars, type MoneyDisplay } from './format.ts';

const scales: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/**
 * The quota that a text names: `12.5` or `1.5k` in the site's own unit, `$2` always dollars.
 * undefined when it is no amount, or would be a fraction of a quota, or may mean two amounts (`isAmbiguous`).
 */
export function parseQuota(text: string, display: MoneyDisplay): number | undefined {
  const match = /^(-?)(\$?)\s*(\d+(?:\.\d+)?|\.\d+)\s*([kmb]?)$/i.exec(text.trim().replaceAll(/[,_\s](?=\d{3}(?:\D|$))/g, ''));
  if (!match || isAmbiguous(text)) return undefined;
  const [, minus, dollar, digits, scale = ''] = match;
  const amount = Number(digits) * (scales[scale.toLowerCase()] ?? 1) * (minus ? -1 : 1);
  const quota = dollar || display.asCurrency ? amount * display.quotaPerUnit : amount;
  const whole = Math.round(quota);
  // 0.07 * 500000 is 35000.000000000004: noise is rounded away, a real fraction of a quota is refused.
  return Math.abs(quota - whole) < 1e-6 * Math.max(1, Math.abs(quota)) ? whole : undefined;
}

/** Whether a dot may part decimals or thousands: `1.500` is 1.5 to some and 1500 to others, so it is neither. */
export function isAmbiguous(text: string): boolean {
  return /^-?\$?\s*[1-9]\d{0,2}\.\d{3}$/.test(text.trim());
}

/** How a quota stands in an input: in the site's unit, exact, without grouping, and read back as the same amount. */
export function quotaInput(quota: number, display: MoneyDisplay): string {
  if (!display.asCurrency) return String(quota);
  const text = String(Number((quota / display.quotaPerUnit).toFixed(10)));
  return isAmbiguous(text) ? `${text}0` : text;
}

/** The same amount in the other unit, to stand beside an input. */
export function otherForm(quota: number, display: MoneyDisplay): string {
  return display.asCurrency ? formatCount(quota) : formatDollars(quota / display.quotaPerUnit);
}
