import { rows, type UsagePart } from '@tollgate/db';
import type { Difference } from './invariants.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A period that is over may still get a late call while it is looked at; a difference counts when it is there as often as this. */
const looks = 3;

/**
 * Compares what everybody used by group, in the last closed hours, and by channel and token, in the last closed day, with the sum of the
 * users' own roll-ups. An installation may be older than these roll-ups: a period that they do not have whole is not looked at.
 */
export async function partsAgainstHours({ hours, nowMs }: { hours: number; nowMs: number }): Promise<Difference[]> {
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
    if (from < until) differences.push(...(await lasting(by, { $gte: new Date(from), $lt: new Date(until) })));
  return differences;
}

async function lasting(by: UsagePart, within: { $gte: Date; $lt: Date }): Promise<Difference[]> {
  const sums = { $group: { _id: null, quota: { $sum: '$quota' }, requests: { $sum: '$requests' } } };
  let differences: Difference[] = [];
  for (let look = 0; look < looks; look++) {
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
    differences = [];
    const [found, expected] = [part ?? none, own ?? none];
    if (found.quota !== expected.quota || found.requests !== expected.requests)
      differences.push({ userId: 0, what: by, found: found.quota, expected: expected.quota });
    if (differences.length === 0) break;
  }
  return differences;
}

interface Sums {
  quota: number;
  requests: number;
}
const none: Sums = { quota: 0, requests: 0 };
