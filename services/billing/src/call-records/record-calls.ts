import type { CallsRecorded, ChannelMinute, FailedCall, FurtherFailures } from '@tollgate/contracts';
import { type CallFailureRow, channelStatsId, duplicateKey, rows, type StatsPeriod, statsPeriods } from '@tollgate/db';
import { raceFailures } from '../settlement/bulk.ts';
import { groupBy, sum } from '../settlement/charge.ts';
import { countOnce } from '../settlement/count-once.ts';

type Marked<T> = T & { offset: string };

const periods = Object.keys(statsPeriods) as StatsPeriod[];

/**
 * Stores events of any relays. Safe to repeat with any part of them: each row has a mark of the last event of a process that it counts, so
 * an event that was published or delivered twice changes nothing. Events of one process must come in their order.
 */
export async function recordCalls(events: readonly CallsRecorded[]): Promise<void> {
  for (const [mark, own] of groupBy(events, ({ process }) => process)) {
    const marked = <T>(listOf: (event: CallsRecorded) => T[]): Marked<T>[] =>
      own.flatMap((event) => listOf(event).map((each) => ({ ...each, offset: String(event.sequence).padStart(12, '0') })));
    await insertFailed(own.flatMap(({ failed }) => failed));
    await countFurther(
      mark,
      marked(({ further }) => further),
    );
    await countChannels(
      mark,
      marked(({ channels }) => channels),
    );
  }
}

async function insertFailed(failed: FailedCall[]): Promise<void> {
  let open = failed.map(rowOf);
  while (open.length > 0) {
    try {
      await rows.callFailures().insertMany(open, { ordered: false });
      return;
    } catch (error) {
      open = raceFailures(error).flatMap(({ index, code }) => (code === duplicateKey ? [] : [open[index] as CallFailureRow]));
    }
  }
}

function rowOf({ id, at, attempts, passedOver, ...fields }: FailedCall): CallFailureRow {
  return {
    _id: id,
    at: new Date(at),
    ...fields,
    ...(attempts.length > 0 && { attempts }),
    ...(passedOver.length > 0 && { passedOver }),
  };
}

function furtherId({ minute, userId, tokenId, status, code, channelId }: FurtherFailures): string {
  return `further|${minute}|${userId}|${tokenId}|${status}|${code}|${channelId}`;
}

/** Relays that saw the same cause in the same minute share a row. */
async function countFurther(mark: string, further: Marked<FurtherFailures>[]): Promise<void> {
  await countOnce(rows.callFailures(), mark, groupBy(further, furtherId), (own) => {
    const [{ minute, offset: _, count: __, lastId: ___, ...cause }] = own;
    return {
      $inc: { count: sum(own, ({ count }) => count) },
      // At the end of its minute: newer than the rows of single calls that it continues.
      $setOnInsert: () => ({ at: new Date(minute + statsPeriods.minute.ms - 1), ...cause, lastId: own.at(-1)?.lastId ?? '' }),
    };
  });
}

async function countChannels(mark: string, minutes: Marked<ChannelMinute>[]): Promise<void> {
  const groups = new Map<string, Marked<ChannelMinute>[]>();
  for (const period of periods) {
    for (const [id, own] of groupBy(minutes, (each) => channelStatsId(period, each.minute, each))) groups.set(id, own);
  }
  await countOnce(rows.channelStats(), mark, groups, (own, id) => ({
    $inc: incrementOf(own),
    $setOnInsert: () => {
      const period = id.slice(0, id.indexOf('|')) as StatsPeriod;
      const [{ minute, channelId, model }] = own;
      return { period, at: new Date(minute - (minute % statsPeriods[period].ms)), channelId, model };
    },
  }));
}

const plainCounts = ['attempts', 'failovers', 'outputTokens', 'generationMs'] as const;
const keyedCounts = ['failures', 'durations', 'firstTokens'] as const;

function incrementOf(own: readonly ChannelMinute[]): Record<string, number> {
  const $inc: Record<string, number> = {};
  for (const each of own) {
    for (const field of plainCounts) if (each[field] > 0) $inc[field] = ($inc[field] ?? 0) + each[field];
    for (const field of keyedCounts) {
      for (const [key, count] of Object.entries(each[field])) $inc[`${field}.${key}`] = ($inc[`${field}.${key}`] ?? 0) + count;
    }
  }
  return $inc;
}
