import type { UsageDimension } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageHourly, type UsageSums } from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import { dayLists, daysIn, totalsOf } from './day-lists.ts';
import type { Filter, Scope } from './filter.ts';
import {
  add,
  areUtcDays,
  type Counted,
  floorHour,
  inOrder,
  inSteps,
  restOf,
  type Span,
  type Steps,
  stepsOf,
  sums,
  utc,
} from './usage-steps.ts';

/** How long a look may write down lists of models' days: what has none is added up from its hours. */
const countingMs = 1000;
/** So many rows come at once, without a second round trip. */
const wholeAnswer = 100_000;

interface Source {
  rollUp: Pick<typeof UsageHourly, 'aggregate'>;
  where: Filter;
  /** The fields that hold the key and the begin of a row's hour. */
  keyField: string;
  timeField: string;
  /** All keys are counted before the top ones are chosen. */
  hasFewKeys: boolean;
}

const keyFields = { model: 'model', token: 'tokenId', channel: 'channelId', group: 'group', user: 'userId' } as const;

/** Which roll-up answers. Each user's own tells all dimensions apart; everybody's by model and by group have as many rows as needed and no more. */
export function sourceOf(by: UsageDimension, scope: Scope): Source {
  const keyField = keyFields[by];
  const hasFewKeys = by === 'model' || by === 'group';
  if ('userId' in scope) return { rollUp: UsageHourly, where: { userId: scope.userId }, keyField, timeField: 'hour', hasFewKeys };
  if (by === 'model') return { rollUp: UsageByModel as never, where: {}, keyField, timeField: 'hour', hasFewKeys };
  return { rollUp: UsageByPart as never, where: { by }, keyField, timeField: 'at', hasFewKeys };
}

/** Beyond so many hourly rows of all users, usage by channel, token and user is counted by days of UTC. */
const mostHourRows = 10_000;

/** All users' hours by any dimension, where they are few enough to be added up for every request; undefined where they are not, or there are none. */
export async function fewHours(by: UsageDimension, span: Span): Promise<Source | undefined> {
  const source: Source = { rollUp: UsageHourly, where: {}, keyField: keyFields[by], timeField: 'hour', hasFewKeys: true };
  const rows = await UsageHourly.countDocuments(within(source, { start: floorHour(span.start), end: span.end }), {
    limit: mostHourRows + 1,
  }).maxTimeMS(listTimeoutMs);
  return rows > 0 && rows <= mostHourRows ? source : undefined;
}

/**
 * The usage of the keys that cost the most, by step and then by key, and of all others together. Of models and groups there are so few that all are told apart first; the
 * rest is asked for the dearest, then for what they used.
 */
export async function countUsage(
  source: Source,
  span: Span,
  { steps, top, now }: { steps: Steps; top: number; now: number },
): Promise<Counted[]> {
  const where = { ...source.where, ...within(source, { start: floorHour(span.start), end: span.end }) };
  const ask = (filter: Filter, by: ('key' | 'at')[]) => added(source, filter, by, steps);
  if (source.rollUp === UsageByModel && steps.step !== 'hour') {
    const zone = steps.step === 'total' || areUtcDays(span, steps.zone) ? utc : steps.zone;
    return dearestApart(inSteps(await modelDays(span, { now, zone }), steps), top, span);
  }
  if (source.hasFewKeys) return dearestApart(await ask(where, ['key', 'at']), top, span);

  const keys = await dearest(source, where, top + 1);
  if (keys.length <= top) return inOrder(await ask(where, ['key', 'at']));
  const chosen = keys.slice(0, top);
  const [told, all] = await Promise.all([ask({ ...where, [source.keyField]: { $in: chosen } }, ['key', 'at']), ask(where, ['at'])]);
  return inOrder([...told, ...restOf(all, told)]);
}

/** All users' usage by model and day of a zone: whole days from their lists, with all models; the rest of the span from its hours, with the models of `where`. */
export async function modelDays(
  span: Span,
  { now, zone = utc, where = {} }: { now: number; zone?: string; where?: Filter },
): Promise<Counted[]> {
  const source = { ...sourceOf('model', { everybody: true }), where };
  const [start, end] = [floorHour(span.start), span.end + 1];
  const whole = daysIn(span, zone).filter((day) => day.at >= start && day.end <= end);
  const [first, last] = [whole[0], whole.at(-1)];
  const days =
    first && last
      ? await dayLists('model', await totalsOf({ start: first.at, end: last.at }, zone), { now, spareMs: countingMs, zone })
      : undefined;
  const steps = stepsOf('day', span, zone);
  const rows: Counted[] = [];
  const ranges: Promise<Counted[]>[] = [];
  const fromHours = (from: number, to: number): void => {
    if (to > from) ranges.push(added(source, { ...where, ...within(source, { start: from, end: to - 1 }) }, ['key', 'at'], steps));
  };
  let from = start;
  for (const { at, end: dayEnd, size, keyAt, usedAt, isWhole } of days?.lists ?? []) {
    if (!isWhole) continue;
    for (let place = 0; place < size; place++) rows.push({ key: String(keyAt(place)), at, ...usedAt(place) });
    fromHours(from, at);
    from = dayEnd;
  }
  fromHours(from, end);
  return [...rows, ...(await Promise.all(ranges)).flat()];
}

function within({ timeField }: Source, { start, end }: Span): Filter {
  return { [timeField]: { $gte: new Date(start * 1000), $lte: new Date(end * 1000) } };
}

/** Those that cost the most by themselves, and the others of each step as one. */
function dearestApart(rows: Counted[], top: number, span: Span): Counted[] {
  const costs = inSteps(rows, stepsOf('total', span));
  if (costs.length <= top) return inOrder(rows);
  const chosen = new Set(
    costs
      .sort((a, b) => b.quota - a.quota || (a.key < b.key ? -1 : 1))
      .slice(0, top)
      .map(({ key }) => key),
  );
  const others = new Map<number, Counted>();
  for (const { key, at, ...used } of rows) {
    if (chosen.has(key)) continue;
    const sum = others.get(at);
    if (sum) add(sum, used, 1);
    else others.set(at, { key: '', at, ...used });
  }
  return inOrder([...rows.filter(({ key }) => chosen.has(key)), ...[...others.values()].filter(({ requests }) => requests > 0)]);
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

async function added(source: Source, where: Filter, by: ('key' | 'at')[], steps: Steps): Promise<Counted[]> {
  const { step, zone } = steps;
  const _id = {
    ...(by.includes('key') && { key: `$${source.keyField}` }),
    ...(step !== 'total' && {
      at: step === 'hour' || zone !== utc ? `$${source.timeField}` : { $dateTrunc: { date: `$${source.timeField}`, unit: 'day' } },
    }),
  };
  const found = await source.rollUp
    .aggregate<UsageSums & { _id: { key?: unknown; at?: Date } }>([{ $match: where }, { $group: { _id, ...sums } }])
    .option({ maxTimeMS: listTimeoutMs, batchSize: wholeAnswer });
  const rows = found.map(({ _id: { key, at }, ...used }) => ({ key: String(key ?? ''), at: at ? at.getTime() / 1000 : 0, ...used }));
  return step === 'hour' ? rows : inSteps(rows, steps);
}
