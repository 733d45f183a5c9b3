import { type AttemptStats, addToHistogram, callersFailures, type Histogram, type Percentiles, percentileOf } from '@tollgate/contracts';
import type { ChannelStatsRow } from '@tollgate/db';

/** Rows of `channel_stats` added up. */
export interface AttemptSums {
  attempts: number;
  failures: Record<string, number>;
  failovers: number;
  durations: Histogram;
  firstTokens: Histogram;
  outputTokens: number;
  generationMs: number;
}

export type StatsRow = Pick<ChannelStatsRow, 'attempts' | 'failures' | 'failovers' | 'durations' | 'firstTokens'> &
  Pick<ChannelStatsRow, 'outputTokens' | 'generationMs' | 'at' | 'channelId' | 'model'>;

/** Adds rows up by a key. */
export function sumsBy<Key>(rows: readonly StatsRow[], keyOf: (row: StatsRow) => Key): Map<Key, AttemptSums> {
  const sums = new Map<Key, AttemptSums>();
  for (const row of rows) {
    const key = keyOf(row);
    let sum = sums.get(key);
    if (sum === undefined) {
      sum = nothing();
      sums.set(key, sum);
    }
    add(sum, row);
  }
  return sums;
}

/** Adds all rows up. */
export function sumOf(rows: readonly StatsRow[]): AttemptSums {
  const sum = nothing();
  for (const row of rows) add(sum, row);
  return sum;
}

function add(sum: AttemptSums, row: StatsRow): void {
  sum.attempts += row.attempts;
  sum.failovers += row.failovers ?? 0;
  sum.outputTokens += row.outputTokens ?? 0;
  sum.generationMs += row.generationMs ?? 0;
  addToHistogram(sum.failures, row.failures ?? {});
  addToHistogram(sum.durations, row.durations ?? {});
  addToHistogram(sum.firstTokens, row.firstTokens ?? {});
}

const ofCallers: ReadonlySet<string> = new Set(callersFailures);

/** Failed attempts that speak against the channel. */
export function errorsIn(failures: Record<string, number> = {}): number {
  return Object.entries(failures).reduce((errors, [kind, count]) => (ofCallers.has(kind) ? errors : errors + count), 0);
}

export function attemptStatsOf(sum: AttemptSums): AttemptStats {
  const { attempts, failures, failovers, durations, firstTokens, outputTokens, generationMs } = sum;
  return {
    attempts,
    errors: errorsIn(failures),
    failures,
    failovers,
    duration: percentilesOf(durations),
    first_token: percentilesOf(firstTokens),
    tokens_per_second: generationMs > 0 ? Math.round((outputTokens / generationMs) * 10_000) / 10 : null,
  };
}

function nothing(): AttemptSums {
  return { attempts: 0, failures: {}, failovers: 0, durations: {}, firstTokens: {}, outputTokens: 0, generationMs: 0 };
}

export const noAttempts = nothing();

function percentilesOf(histogram: Histogram): Percentiles | null {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentileOf(histogram, share));
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 };
}
