import type { UsageDataRow } from '@tollgate/contracts/api/usage-data';
import type { TimeRange } from '../../shared/range/time-range.ts';

export const measures = ['quota', 'token_used', 'count'] as const;
export type Measure = (typeof measures)[number];

/** One of what usage is told apart by, over time. */
export interface Series {
  /** '' is all that is left. */
  key: string;
  label: string;
  total: number;
  /** One for each bucket. */
  values: number[];
}

export interface Usage {
  series: Series[];
  total: number;
}

/** So many are told apart; the rest is one. */
const mostSeries = 8;

/** Rows as series over the steps that begin then, the dearest first. `restLabel` names what is left. */
export function usageOf(rows: readonly UsageDataRow[], measure: Measure, buckets: readonly number[], restLabel: string): Usage {
  const places = new Map(buckets.map((at, place) => [at, place]));
  const byKey = new Map<string, Series>();
  for (const row of rows) {
    const place = places.get(row.created_at);
    if (place === undefined) continue;
    const key = row.key;
    let series = byKey.get(key);
    if (!series) {
      series = { key, label: key === '' ? restLabel : row.label || key, total: 0, values: buckets.map(() => 0) };
      byKey.set(key, series);
    }
    series.values[place] = (series.values[place] ?? 0) + row[measure];
    series.total += row[measure];
  }
  const named = [...byKey.values()].filter(({ key }) => key !== '').sort((a, b) => b.total - a.total);
  const left = [...named.splice(mostSeries), ...[...byKey.values()].filter(({ key }) => key === '')].filter(({ total }) => total !== 0);
  const series = left.length > 0 ? [...named, addedUp(left, restLabel)] : named;
  return { series, total: series.reduce((sum, { total }) => sum + total, 0) };
}

function addedUp(parts: Series[], label: string): Series {
  const [first, ...others] = parts as [Series, ...Series[]];
  const values = first.values.map((value, place) => others.reduce((sum, other) => sum + (other.values[place] ?? 0), value));
  return { key: '', label, total: parts.reduce((sum, { total }) => sum + total, 0), values };
}

/** Input beside output tokens over time. */
export function inputAndOutput(rows: readonly UsageDataRow[], buckets: readonly number[]): { input: number[]; output: number[] } {
  const places = new Map(buckets.map((at, place) => [at, place]));
  const input = buckets.map(() => 0);
  const output = buckets.map(() => 0);
  for (const row of rows) {
    const place = places.get(row.created_at);
    if (place === undefined) continue;
    input[place] = (input[place] ?? 0) + row.prompt_tokens;
    output[place] = (output[place] ?? 0) + row.completion_tokens;
  }
  return { input, output };
}

export interface Totals {
  quota: number;
  /** The part of it that no balance covered. */
  uncollected: number;
  tokens: number;
  calls: number;
  /** A minute of the range, on an average. */
  rpm: number;
  tpm: number;
}

export function totalsOf(rows: readonly UsageDataRow[], { start, end }: TimeRange): Totals {
  const sums = { quota: 0, uncollected: 0, tokens: 0, calls: 0 };
  for (const row of rows) {
    sums.quota += row.quota;
    sums.uncollected += row.uncollected;
    sums.tokens += row.token_used;
    sums.calls += row.count;
  }
  const minutes = Math.max(1, (end - start) / 60);
  return { ...sums, rpm: sums.calls / minutes, tpm: sums.tokens / minutes };
}

/** How many days a balance lasts when as much is spent as in the range; undefined when nothing was. */
export function daysLeft(balance: number, spent: number, { start, end }: TimeRange): number | undefined {
  if (spent <= 0) return undefined;
  return Math.max(0, balance) / (spent / ((end - start) / 86_400));
}
