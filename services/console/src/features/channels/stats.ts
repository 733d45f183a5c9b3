import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallStatsQuery,
  type CallStatsRow,
  type ChannelHealth,
  type ChannelStatsAnswer,
  type ChannelStatsQuery,
  channelStatus,
  failingShare,
  longestStats,
} from '@tollgate/contracts';
import { Channel, ChannelStats, type StatsPeriod, statsPeriods } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { listTimeoutMs } from '../../http/page.ts';
import { notifyRoots } from '../../notices/notify.ts';
import { attemptStatsOf, errorsIn, noAttempts, type StatsRow, sumOf, sumsBy } from './attempt-sums.ts';
import { channelRow } from './change.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How long errors are called recent. */
export const recentMs = 600_000;
/** Channels in a response to a request without ids: those with most failures. */
const mostFailing = 20;
const mostAsked = 100;
/** The most models or channels with figures by step, and over the whole span. */
const mostBySteps = 8;
const mostInTotal = 50;

/** The requested channels; without ids, those with most failures. */
export async function channelHealthOf(ids: string, nowMs: number): Promise<ChannelHealth[]> {
  const asked = ids
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)
    .slice(0, mostAsked);
  const channelIds = asked.length > 0 ? asked : (await failingChannels(nowMs)).map(({ channelId }) => channelId);
  if (channelIds.length === 0) return [];
  const firstHour = Math.floor(nowMs / hourMs) * hourMs - 23 * hourMs;
  const [hours, minutes] = await Promise.all([
    statsRows('hour', { from: firstHour, to: nowMs, channelIds }),
    statsRows('minute', { from: nowMs - recentMs, to: nowMs, channelIds }),
  ]);
  const recent = sumsBy(minutes, ({ channelId }) => channelId);
  const ownHours = Map.groupBy(hours, ({ channelId }) => channelId);
  return channelIds.map((channel) => {
    const own = ownHours.get(channel) ?? [];
    const byHour = sumsBy(own, ({ at }) => at.getTime());
    const { attempts, failures } = recent.get(channel) ?? noAttempts;
    return {
      channel,
      ...attemptStatsOf(sumOf(own)),
      hours: Array.from({ length: 24 }, (_, hour) => {
        const at = firstHour + hour * hourMs;
        const sum = byHour.get(at) ?? noAttempts;
        return { created_at: at / 1000, attempts: sum.attempts, errors: errorsIn(sum.failures) };
      }),
      recent: { attempts, errors: errorsIn(failures) },
    };
  });
}

/** Channels with errors in the last ten minutes, most errors first. */
export async function failingChannels(nowMs: number): Promise<{ channelId: number; attempts: number; errors: number }[]> {
  const sums = sumsBy(await statsRows('minute', { from: nowMs - recentMs, to: nowMs }), ({ channelId }) => channelId);
  return [...sums]
    .map(([channelId, { attempts, failures }]) => ({ channelId, attempts, errors: errorsIn(failures) }))
    .filter(({ errors }) => errors > 0)
    .sort((a, b) => b.errors - a.errors)
    .slice(0, mostFailing);
}

const fewestAttempts = 10;
const noticeEverySeconds = 6 * 3600;

/** Notifies root of enabled channels whose attempts of the last ten minutes mostly failed; of each at most once in six hours. */
export async function noticeFailing(context: Context): Promise<void> {
  const failing = (await failingChannels(context.wallet.time())).filter(
    ({ attempts, errors }) => attempts >= fewestAttempts && errors >= attempts * failingShare,
  );
  if (failing.length === 0) return;
  const enabled = await Channel.find({ id: { $in: failing.map(({ channelId }) => channelId) }, status: channelStatus.enabled })
    .select('id name')
    .lean();
  for (const { id, name } of enabled) {
    if (!(await context.redis.set(`warned:channel:${id}:failing`, 1, 'EX', noticeEverySeconds, 'NX'))) continue;
    const { errors = 0, attempts = 0 } = failing.find(({ channelId }) => channelId === id) ?? {};
    context.log.warn({ channelId: id, errors, attempts }, 'an enabled channel fails');
    await notifyRoots(context, { code: 'channel_failing', values: { channel: `#${id} ${name}`, errors: `${errors} / ${attempts}` } });
  }
}

export async function channelStatsOf(channelId: number, query: ChannelStatsQuery, nowMs: number): Promise<ChannelStatsAnswer> {
  await channelRow(channelId);
  const rows = await statsRows(query.step, { ...spanOf(query, nowMs), channelIds: [channelId] });
  const models = [...sumsBy(rows, ({ model }) => model)].sort(([, a], [, b]) => b.attempts - a.attempts).slice(0, mostInTotal);
  return {
    total: attemptStatsOf(sumOf(rows)),
    steps: byStep(rows).map(([at, sum]) => ({ created_at: at / 1000, ...attemptStatsOf(sum) })),
    models: models.map(([model, sum]) => ({ model, ...attemptStatsOf(sum) })),
  };
}

/** All together by step (key ''), the keys with most attempts by step, and more of them over the whole span (`created_at` 0). */
export async function callStatsOf({ by, ...query }: CallStatsQuery, nowMs: number): Promise<CallStatsRow[]> {
  const rows = await statsRows(query.step, spanOf(query, nowMs));
  const keyOf = ({ channelId, model }: StatsRow): string => (by === 'model' ? model : String(channelId));
  const totals = [...sumsBy(rows, keyOf)].sort(([, a], [, b]) => b.attempts - a.attempts).slice(0, mostInTotal);
  const rowsOf = Map.groupBy(rows, keyOf);
  const labels = by === 'channel' ? await namesOf(totals.map(([key]) => Number(key))) : undefined;
  const rowOf = (key: string, at: number, sum: Parameters<typeof attemptStatsOf>[0]): CallStatsRow => ({
    key,
    label: labels?.get(key) ?? key,
    created_at: at / 1000,
    ...attemptStatsOf(sum),
  });
  const stepRows = (key: string, own: StatsRow[]): CallStatsRow[] => byStep(own).map(([at, sum]) => rowOf(key, at, sum));
  return [
    ...stepRows('', rows),
    ...totals.slice(0, mostBySteps).flatMap(([key]) => stepRows(key, rowsOf.get(key) ?? [])),
    ...(rows.length > 0 ? [rowOf('', 0, sumOf(rows))] : []),
    ...totals.map(([key, sum]) => rowOf(key, 0, sum)),
  ];
}

/** Deletes rows beyond their time, some at a time. */
export async function clearChannelStats(nowMs: number, signal: AbortSignal): Promise<void> {
  for (const [period, { keptDays }] of Object.entries(statsPeriods)) {
    for (;;) {
      signal.throwIfAborted();
      const old = { period, at: { $lt: new Date(nowMs - keptDays * dayMs) } };
      const rows = await ChannelStats.find(old).sort({ at: -1 }).limit(1000).select('_id').lean();
      if (rows.length === 0) break;
      await ChannelStats.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
      await delay(50, undefined, { signal });
    }
  }
}

function byStep(rows: StatsRow[]): [number, Parameters<typeof attemptStatsOf>[0]][] {
  return [...sumsBy(rows, ({ at }) => at.getTime())].sort(([a], [b]) => a - b);
}

async function namesOf(ids: number[]): Promise<Map<string, string>> {
  const channels = await Channel.find({ id: { $in: ids } })
    .select('id name')
    .lean();
  return new Map(channels.map(({ id, name }) => [String(id), name]));
}

interface Wanted {
  /** In ms since 1970, both inclusive. */
  from: number;
  to: number;
  channelIds?: number[];
}

async function statsRows(period: StatsPeriod, { from, to, channelIds }: Wanted): Promise<StatsRow[]> {
  const begin = Math.floor(from / statsPeriods[period].ms) * statsPeriods[period].ms;
  const at = { $gte: new Date(begin), $lte: new Date(to) };
  const which = channelIds === undefined ? {} : { channelId: channelIds.length === 1 ? channelIds[0] : { $in: channelIds } };
  const rows = await ChannelStats.find({ ...which, period, at })
    .select({ _id: 0, marks: 0 })
    .maxTimeMS(listTimeoutMs)
    .batchSize(10_000)
    .lean();
  return rows as unknown as StatsRow[];
}

function spanOf({ step, start_timestamp, end_timestamp }: ChannelStatsQuery, nowMs: number): { from: number; to: number } {
  const to = end_timestamp > 0 ? end_timestamp * 1000 : nowMs;
  const longestMs = longestStats[step] * 1000;
  const from = start_timestamp > 0 ? start_timestamp * 1000 : to - longestMs;
  const clocksDifferMs = 300_000;
  if (to - from > longestMs + clocksDifferMs)
    throw new AppError('invalid_parameter', { reason: `the span is longer than ${longestStats[step]} seconds` });
  return { from, to };
}
