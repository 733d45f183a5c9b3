import { mostUsageKeys, type UsageDataQuery, type UsageDimension, type UsageStep } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageHourly } from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import type { Filter, Scope } from './filter.ts';

const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
/** Weeks begin on Monday; the clock's first day was a Thursday. */
const firstMonday = 4 * day;
/** So many rows come at once, without a second round trip. */
const wholeAnswer = 100_000;

/** Unix seconds, both inclusive. */
export interface Span {
  start: number;
  end: number;
}

/** What one key used in one step; `key` '' is the rest. `at` in unix seconds. */
export interface Counted {
  key: string;
  at: number;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

interface Source {
  rollUp: Pick<typeof UsageHourly, 'aggregate'>;
  where: Filter;
  /** The fields that hold the key and the begin of a row's period. */
  keyField: string;
  timeField: string;
  /** How long a row's period is, in seconds. */
  period: number;
  /** Too many rows to be added up whenever somebody looks. */
  isLarge: boolean;
}

const keyFields = { model: 'model', token: 'tokenId', channel: 'channelId', group: 'group', user: 'userId' } as const;

/** Which roll-up answers. Each user's own tells all dimensions apart; everybody's has as many rows as needed and no more. */
export function sourceOf(by: UsageDimension, scope: Scope): Source {
  const keyField = keyFields[by];
  if ('userId' in scope)
    return { rollUp: UsageHourly, where: { userId: scope.userId }, keyField, timeField: 'hour', period: hour, isLarge: false };
  if (by === 'model') return { rollUp: UsageByModel as never, where: {}, keyField, timeField: 'hour', period: hour, isLarge: false };
  const rollUp = UsageByPart as never;
  if (by === 'group') return { rollUp, where: { by }, keyField, timeField: 'at', period: hour, isLarge: false };
  return { rollUp, where: { by: by === 'user' ? 'token' : by }, keyField, timeField: 'at', period: day, isLarge: true };
}

/** The usage of the keys that cost the most, by step and then by key, and of all others together. */
export async function countUsage(
  source: Source,
  span: Span,
  query: Pick<UsageDataQuery, 'by' | 'default_time' | 'top'>,
): Promise<Counted[]> {
  const step = query.default_time === '' ? 'hour' : query.default_time;
  const top = query.top > 0 || query.by === 'model' ? query.top : mostUsageKeys;
  const begin = Math.floor(span.start / source.period) * source.period;
  const where = { ...source.where, [source.timeField]: { $gte: new Date(begin * 1000), $lte: new Date(span.end * 1000) } };
  const ask = (filter: Filter, by: ('key' | 'at')[]) => added(source, filter, { by, step, start: span.start });
  if (top === 0) return inOrder(await ask(where, ['key', 'at']));

  const keys = await dearest(source, where, top + 1);
  if (keys.length <= top) return inOrder(await ask(where, ['key', 'at']));
  const chosen = keys.slice(0, top);
  const [told, all] = await Promise.all([ask({ ...where, [source.keyField]: { $in: chosen } }, ['key', 'at']), ask(where, ['at'])]);
  return inOrder([...told, ...restOf(all, told)]);
}

/** The keys that cost the most. */
async function dearest(source: Source, where: Filter, most: number): Promise<unknown[]> {
  const found = await source.rollUp
    .aggregate<{ _id: unknown }>([
      { $match: where },
      { $group: { _id: `$${source.keyField}`, quota: { $sum: '$quota' } } },
      { $sort: { quota: -1, _id: 1 } },
      { $limit: most },
    ])
    .option({ maxTimeMS: listTimeoutMs, batchSize: wholeAnswer });
  return found.map(({ _id }) => _id);
}

const sums = Object.fromEntries(['requests', 'promptTokens', 'completionTokens', 'quota'].map((field) => [field, { $sum: `$${field}` }]));

async function added(
  source: Source,
  where: Filter,
  { by, step, start }: { by: ('key' | 'at')[]; step: UsageStep; start: number },
): Promise<Counted[]> {
  const _id = {
    ...(by.includes('key') && { key: `$${source.keyField}` }),
    ...(step !== 'total' && { at: `$${source.timeField}` }),
  };
  const found = await source.rollUp
    .aggregate<Omit<Counted, 'key' | 'at'> & { _id: { key?: unknown; at?: Date } }>([{ $match: where }, { $group: { _id, ...sums } }])
    .option({ maxTimeMS: listTimeoutMs, batchSize: wholeAnswer });
  const steps = new Map<string, Counted>();
  for (const { _id: id, requests, promptTokens, completionTokens, quota } of found) {
    const key = String(id.key ?? '');
    const at = id.at ? beginOf(id.at.getTime() / 1000, step) : start;
    const sum = steps.get(`${at}|${key}`) ?? { key, at, requests: 0, promptTokens: 0, completionTokens: 0, quota: 0 };
    steps.set(`${at}|${key}`, sum);
    add(sum, { requests, promptTokens, completionTokens, quota }, 1);
  }
  return [...steps.values()];
}

/** What is left of each step's sum without those that are told apart. */
function restOf(all: Counted[], told: Counted[]): Counted[] {
  const rest = new Map(all.map((sum) => [sum.at, { ...sum }]));
  for (const one of told) {
    const sum = rest.get(one.at);
    if (sum) add(sum, one, -1);
  }
  return [...rest.values()].filter(({ requests }) => requests > 0);
}

function add(sum: Counted, one: Omit<Counted, 'key' | 'at'>, sign: 1 | -1): void {
  sum.requests += sign * one.requests;
  sum.promptTokens += sign * one.promptTokens;
  sum.completionTokens += sign * one.completionTokens;
  sum.quota += sign * one.quota;
}

function beginOf(seconds: number, step: UsageStep): number {
  if (step === 'day') return Math.floor(seconds / day) * day;
  if (step === 'week') return Math.floor((seconds - firstMonday) / week) * week + firstMonday;
  return seconds;
}

function inOrder(rows: Counted[]): Counted[] {
  return rows.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}
