import { setTimeout as delay } from 'node:timers/promises';
import { rows, type UsageHourlyRow, type UsageLogRow, type UsagePart } from '@tollgate/db';
import { confirmDifferences } from './confirm-difference.ts';
import type { Difference } from './difference.ts';

const pageSize = 500;
const hourMs = 3_600_000;

export interface Inspection {
  walletsChecked: number;
  differences: Difference[];
}

/**
 * Compares every wallet with the ledger (`balance + usedQuota` = applied entries), `rolledUpWallets` of them with all their hourly
 * roll-ups, the roll-ups of the last closed hours with the log, and the roll-ups over all users with those per user. This checks every link
 * from log to balance without reading all rows each night. `waitMs`: time for running charges to reach all places.
 */
export async function inspect({ hours = 25, rolledUpWallets = 1_000, nowMs = Date.now(), waitMs = 2_000 } = {}): Promise<Inspection> {
  const inspection: Inspection = { walletsChecked: 0, differences: [] };
  const count = await rows.wallets().estimatedDocumentCount();
  const rolledUpFrom = Math.floor(Math.random() * Math.max(1, count - rolledUpWallets + 1));
  let userIds: number[] = [];
  const checkPage = async () => {
    const withRollUps = userIds.filter((_, i) => isWithin(inspection.walletsChecked + i, rolledUpFrom, rolledUpWallets));
    inspection.differences.push(
      ...(await lastingOf(userIds, { waitMs, check: againstLedger })),
      ...(await lastingOf(withRollUps, { waitMs, check: againstRollUps })),
    );
    inspection.walletsChecked += userIds.length;
    userIds = [];
  };
  for await (const { _id } of rows.wallets().find({}, { projection: { _id: 1 }, sort: { _id: 1 } })) {
    userIds.push(_id);
    if (userIds.length === pageSize) await checkPage();
  }
  await checkPage();
  const closedHour = Math.floor(nowMs / hourMs) * hourMs;
  for (let hour = closedHour - hours * hourMs; hour < closedHour; hour += hourMs) {
    const [from, until] = [new Date(hour), new Date(hour + hourMs)];
    inspection.differences.push(
      ...(await confirmDifferences(waitMs, (lookWaitMs) => delay(lookWaitMs).then(() => hourAgainstLog(from, until)))),
    );
  }
  inspection.differences.push(...(await partsAgainstHours({ hours, nowMs, waitMs })));
  return inspection;
}

function isWithin(index: number, from: number, count: number): boolean {
  return index >= from && index < from + count;
}

function lastingOf(
  userIds: number[],
  { waitMs, check }: { waitMs: number; check(userIds: number[], waitMs: number): Promise<Difference[]> },
): Promise<Difference[]> {
  let suspects = userIds;
  return confirmDifferences(waitMs, async (lookWaitMs) => {
    const differences = await check(suspects, lookWaitMs);
    suspects = differences.map(({ userId }) => userId);
    return differences;
  });
}

async function againstLedger(userIds: number[], waitMs: number): Promise<Difference[]> {
  await delay(waitMs);
  const wallets = await readWallets(userIds);
  const granted = new Map<number, number>();
  for await (const entry of rows
    .ledger()
    .find({ userId: { $in: userIds }, state: { $ne: 'refused' } }, { projection: { userId: 1, amount: 1, state: 1 } })) {
    const guard = wallets.get(entry.userId)?.applied.find(({ id }) => id === entry._id);
    const applied = entry.state === 'applied' || (guard !== undefined && !guard.refused);
    if (applied) granted.set(entry.userId, (granted.get(entry.userId) ?? 0) + entry.amount);
  }
  const differences: Difference[] = [];
  for (const { _id: userId, balance, usedQuota } of wallets.values()) {
    const expected = (granted.get(userId) ?? 0) - usedQuota;
    if (balance !== expected || balance < 0) differences.push({ userId, what: 'balance', found: balance, expected });
  }
  return differences;
}

/**
 * Roll-ups are written after the wallet, so those of an active user lag. They must have at least what the wallet had before they were read,
 * and at most what it has afterwards. For an idle wallet both are equal.
 */
async function againstRollUps(userIds: number[], waitMs: number): Promise<Difference[]> {
  const before = await readWallets(userIds);
  await delay(waitMs);
  const counted = await rows
    .usageHourly()
    .aggregate<Total>([{ $match: { userId: { $in: userIds } } }, total('$userId')])
    .toArray();
  const charged = new Map(counted.map(({ _id, quota, uncollected }) => [_id, quota - uncollected]));
  const after = await readWallets(userIds);
  const differences: Difference[] = [];
  for (const { _id: userId, usedQuota: atLeast } of before.values()) {
    const expected = charged.get(userId) ?? 0;
    const found = after.get(userId)?.usedQuota ?? atLeast;
    const [least, most] = [Math.min(atLeast, found), Math.max(atLeast, found)];
    if (expected < least || expected > most) differences.push({ userId, what: 'usedQuota', found, expected });
  }
  return differences;
}

async function hourAgainstLog(from: Date, until: Date): Promise<Difference[]> {
  const within = { $gte: from, $lt: until };
  const rolledUp = await rows
    .usageHourly()
    .aggregate<Total>([{ $match: { hour: within } }, total('$userId')])
    .toArray();
  const logged = await rows
    .usageLogs()
    .aggregate<Total>([{ $match: { at: within, importedFrom: null, $or: [{ type: 2 }, { refundOf: { $gt: '' } }] } }, total('$userId')])
    .toArray();
  if (logged.length === 0) return []; // cleaned up, or no calls
  const expected = new Map(logged.map(({ _id, quota, uncollected }) => [_id, quota - uncollected]));
  const found = new Map(rolledUp.map(({ _id, quota, uncollected }) => [_id, quota - uncollected]));
  return [...expected]
    .filter(([userId, charged]) => found.get(userId) !== charged)
    .map(([userId, charged]) => ({ userId, what: 'hour', found: found.get(userId) ?? 0, expected: charged }));
}

interface Total {
  _id: number;
  quota: number;
  uncollected: number;
}

function total(by: `$${keyof UsageHourlyRow & keyof UsageLogRow & string}`) {
  return { $group: { _id: by, quota: { $sum: '$quota' }, uncollected: { $sum: '$uncollected' } } };
}

async function readWallets(userIds: number[]) {
  const found = await rows
    .wallets()
    .find({ _id: { $in: userIds } }, { projection: { balance: 1, usedQuota: 1, applied: 1 } })
    .toArray();
  return new Map(found.map((wallet) => [wallet._id, wallet]));
}

const dayMs = 24 * hourMs;

/**
 * Compares the usage by group (last closed hours) and by channel, token and token name (last closed day) with the sum of the per-user
 * roll-ups. Skips periods that began before these roll-ups existed.
 */
async function partsAgainstHours({ hours, nowMs, waitMs }: { hours: number; nowMs: number; waitMs: number }): Promise<Difference[]> {
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
