import { setTimeout as delay } from 'node:timers/promises';
import { rows, type UsagePart } from '@tollgate/db';
import { confirmDifferences } from './confirm-difference.ts';
import type { Difference } from './difference.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Compares the usage by group (last closed hours) and by channel, token and token name (last closed day) with the sum of the per-user
 * roll-ups. Skips periods that began before these roll-ups existed.
 */
export async function partsAgainstHours({ hours, nowMs, waitMs }: { hours: number; nowMs: number; waitMs: number }): Promise<Difference[]> {
  const closedHour = Math.floor(nowMs / hourMs) * hourMs;
  const closedDay = Math.floor(nowMs / dayMs) * dayMs;
  // Channels and tokens were introduced with groups, whose hourly rows date that more precisely.
  const begun = { group: await firstOf('group'), tokenName: await firstOf('tokenName') };
  const spans: [UsagePart, { since: number; from: number; until: number; periodMs: number }][] = [
    ['group', { since: begun.group, from: closedHour - hours * hourMs, until: closedHour, periodMs: hourMs }],
    ['channel', { since: begun.group, from: closedDay - dayMs, until: closedDay, periodMs: dayMs }],
    ['token', { since: begun.group, from: closedDay - dayMs, until: closedDay, periodMs: dayMs }],
    ['tokenName', { since: begun.tokenName, from: closedDay - dayMs, until: closedDay, periodMs: dayMs }],
  ];
  const differences: Difference[] = [];
  for (const [by, { since, from, until, periodMs }] of spans) {
    const whole = Math.max(from, Math.ceil((since + 1) / periodMs) * periodMs);
    if (whole < until) {
      const within = { $gte: new Date(whole), $lt: new Date(until) };
      differences.push(...(await confirmDifferences(waitMs, (lookWaitMs) => delay(lookWaitMs).then(() => differencesOf(by, within)))));
    }
  }
  return differences;
}

/** The start of the first period with rows of a dimension; Infinity: none. */
async function firstOf(by: UsagePart): Promise<number> {
  const first = await rows.usageByPart().findOne({ by }, { sort: { at: 1 }, projection: { at: 1 } });
  return first?.at.getTime() ?? Number.POSITIVE_INFINITY;
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
