import { setTimeout as delay } from 'node:timers/promises';
import { rows, type UsagePart } from '@tollgate/db';
import type { Difference } from './invariants.ts';
import { lasting } from './looks.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Compares what everybody used by group, in the last closed hours, and by channel and token, in the last closed day, with the sum of the
 * users' own roll-ups. An installation may be older than these roll-ups: a period that they do not have whole is not looked at.
 */
export async function partsAgainstHours({ hours, nowMs, waitMs }: { hours: number; nowMs: number; waitMs: number }): Promise<Difference[]> {
  const first = await rows.usageByPart().findOne({ by: 'group' }, { sort: { at: 1 }, projection: { at: 1 } });
  if (!first) return [];
  const closedHour = Math.floor(nowMs / hourMs) * hourMs;
  const closedDay = Math.floor(nowMs / dayMs) * dayMs;
  const wholeFrom = first.at.getTime() + 1;
  const spans: [UsagePart, number, number][] = [
    ['group', Math.max(closedHour - hours * hourMs, Math.ceil(wholeFrom / hourMs) * hourMs), closedHour],
    ['channel', Math.max(closedDay - dayMs, Math.ceil(wholeFrom / dayMs) * dayMs), closedDay],
    ['token', Math.max(closedDay - dayMs, Math.ceil(wholeFrom / dayMs) * dayMs), closedDay],
  ];
  const differences: Difference[] = [];
  for (const [by, from, until] of spans)
    if (from < until) {
      const within = { $gte: new Date(from), $lt: new Date(until) };
      differences.push(...(await lasting(waitMs, (lookWaitMs) => delay(lookWaitMs).then(() => differencesOf(by, within)))));
    }
  return differences;
}

async function differencesOf(by: UsagePart, within: { $gte: Date; $lt: Date }): Promise<Difference[]> {
  const sums = { $group: { _id: null, quota: { $sum: '$quota' }, requests: { $sum: '$requests' } } };
  const [[part], [own]] = await Promise.all([
    rows
      .usageByPart()
      .aggregate<Sums>([{ $match: { by, at: within } }, sums])
      .toArray(),
    rows
      .usageHourly()
      .aggregate<Sums>([{ $match: { hour: within } }, sums])
      .toArray(),
  ]);
  const [found, expected] = [part ?? none, own ?? none];
  if (found.quota === expected.quota && found.requests === expected.requests) return [];
  return [{ userId: 0, what: by, found: found.quota, expected: expected.quota }];
}

interface Sums {
  quota: number;
  requests: number;
}
const none: Sums = { quota: 0, requests: 0 };
