import type { RelayMode, UsageClass } from '@tollgate/contracts';

export type Json = Record<string, unknown>;

/** What a provider answers: JSON, a stream of events, bytes, or, in a spoken session, an answer with this usage. */
export type Told = { json: Json } | { events: (Json | string)[] } | { bytes: Buffer; type: string } | { spoken: Json };

/** What a log row says that a call is paid for: tokens and pieces of the classes of usage, or the call itself. */
export type Line = [kind: UsageClass | 'call', amount: number, dollars: number];

/** One call, and what it costs by the price list, as somebody has worked it out on paper. */
export interface HandMadeBill {
  title: string;
  /** As its log row calls it. */
  mode: RelayMode;
  path: string;
  body?: Json;
  /** A form instead: its fields, and files of so many bytes or of this content. */
  form?: { fields: Record<string, string>; files: Record<string, Buffer> };
  /** 1 unless it says otherwise. */
  channel?: { type: number; other?: string; setting?: string };
  /** The ratio of the group; 1 unless it says otherwise. */
  group?: number;
  told: Told;
  /** What is paid for, line by line. Dollars: of a million tokens, of each picture, second, character, search or call. */
  lines: Line[];
  /** The arithmetic. A dollar is 500 000 quota, so a dollar a million tokens is 0.5 quota a token. */
  sum: string;
  /** What the sum comes to, rounded once, half up. */
  quota: number;
}

/** What stands left of the `=`, worked out again: sums of products, one level of brackets. */
export function workedOut(sum: string): number {
  const [left = ''] = sum.split(' = ');
  return sumOf(left.replaceAll(/\(([^)]*)\)/g, (_, inner: string) => String(sumOf(inner))));
}

function sumOf(text: string): number {
  return text.split(' + ').reduce((sum, product) => sum + productOf(product), 0);
}

function productOf(text: string): number {
  return text.split(' × ').reduce((product, factor) => product * Number(factor.replaceAll(' ', '')), 1);
}

/** What stands right of the `=`. */
export function statedTotal(sum: string): number {
  return Number((sum.split(' = ')[1] ?? '').replaceAll(' ', ''));
}
