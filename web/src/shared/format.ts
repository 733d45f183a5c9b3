import { formatCount } from '@tollgate/contracts/count-text';
import { formatDollars } from '@tollgate/contracts/money-text';

export { formatCount } from '@tollgate/contracts/count-text';
export { formatCompact, formatDollars, formatQuota, type MoneyDisplay } from '@tollgate/contracts/money-text';

/** What a color says; a word always says it too. */
export type Tone = 'success' | 'info' | 'warning' | 'error' | 'neutral';
/** Colors of figures and tags (cells.css): `success` is green, `info` blue, `warning` orange, `error` red. */
export type Hue = Tone | 'lime' | 'yellow' | 'cyan' | 'violet' | 'pink';

const figures = new Intl.NumberFormat('en-US', { maximumFractionDigits: 12 });

/** A number without floating-point noise: at most `digits` significant ones, no exponent, no trailing zeros. */
export function formatFigure(value: number, digits = 6): string {
  if (value === 0 || !Number.isFinite(value)) return '0';
  return figures.format(Number(value.toPrecision(digits)));
}

/** How often something happens per minute: three significant digits, whole numbers from 100 on. */
export function formatRate(value: number): string {
  return value >= 100 ? formatCount(value) : formatFigure(value, 3);
}

/** What an upstream account still holds, in dollars; from 100 000 on the middle of the number is nobody's business. */
export function formatChannelBalance(dollars: number): string {
  if (Math.abs(dollars) < 100_000) return formatDollars(dollars);
  const sign = dollars < 0 ? '-' : '';
  const [whole = '', cents = '00'] = Math.abs(dollars).toFixed(2).split('.');
  return `${sign}$${whole.slice(0, 2)}..${whole.slice(-2)}.${cents}`;
}

/** The time zone of the browser. */
export const viewerZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** YYYY-MM-DD HH:mm:ss in the browser's zone, out of unix seconds. */
export function formatDateTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const wordsIn = new Map<string, Intl.RelativeTimeFormat>();

/** "3 hours ago", "in 2 days": how far unix `seconds` are from now, in words. */
export function formatRelative(seconds: number, nowMs: number, language: string): string {
  const distance = seconds - nowMs / 1000;
  const words = wordsIn.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  wordsIn.set(language, words);
  const step = steps.find(([, size]) => Math.abs(distance) >= size);
  return step ? words.format(Math.round(distance / step[1]), step[0]) : words.format(0, 'second');
}

/** A span with the digits that matter: 0.84 s, 12.3 s, 2 min 5 s. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The color of a channel's response time, in ms; 0 was never tested. */
export function responseTimeTone(ms: number): Hue {
  if (ms <= 0) return 'neutral';
  if (ms <= 1000) return 'success';
  if (ms <= 3000) return 'lime';
  return ms <= 5000 ? 'yellow' : 'error';
}

/** How a call's duration is judged, in seconds. */
export function durationTone(seconds: number): Tone {
  if (seconds < 101) return 'success';
  return seconds < 300 ? 'warning' : 'error';
}

/** How the time to the first token is judged, in seconds. */
export function firstTokenTone(seconds: number): Tone {
  if (seconds < 3) return 'success';
  return seconds < 10 ? 'warning' : 'error';
}

const groupHues = new Map<string, Hue>([
  ['vip', 'yellow'],
  ['pro', 'yellow'],
  ['svip', 'error'],
  ['premium', 'error'],
]);
const otherHues = ['info', 'success', 'cyan', 'violet', 'pink', 'lime', 'warning'] as const;

/** The color of a group: always the same for one name. */
export function groupTone(name: string): Hue {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return groupHues.get(name) ?? otherHues[sum % otherHues.length] ?? 'info';
}

/** The color of a group's ratio. */
export function groupRatioTone(ratio: number): Tone {
  if (ratio > 5) return 'error';
  if (ratio > 3) return 'warning';
  return ratio > 1 ? 'info' : 'success';
}

/** The names in a comma list, none empty. */
export function namesIn(list: string | null | undefined): string[] {
  return (list ?? '').split(',').flatMap((name) => name.trim() || []);
}

/** A secret by its ends only. */
export function maskedKey(key: string): string {
  return key.length <= 12 ? '••••' : `${key.slice(0, 4)}••••${key.slice(-4)}`;
}
