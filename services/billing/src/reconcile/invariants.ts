import { rows, type UsageHourlyRow, type UsageLogRow, type UsagePart } from '@tollgate/db';
import { partsAgainstHours } from './parts.ts';

const pageSize = 500;
const hourMs = 3_600_000;
/** A wallet may move while it is looked at; a difference counts when it is there as often as this in a row. */
const looks = 3;

/** What is not as its sources say. All in quota; `expected` is what `found` should be. User 0: what all users had together. */
export interface Difference {
  userId: number;
  what: 'balance' | 'usedQuota' | 'hour' | UsagePart;
  found: number;
  expected: number;
}

export interface Inspection {
  walletsChecked: number;
  differences: Difference[];
}

/**
 * Compares every wallet with the ledger (`balance + usedQuota` = applied entries), `rolledUpWallets` of them with all of their
 * hourly roll-ups, the roll-ups of the last closed hours with the log, and everybody's roll-ups with the users'. So each link from log to balance is looked at, and a
 * hundred million rows need not be read every night.
 */
export async function inspect({ hours = 25, rolledUpWallets = 1_000, nowMs = Date.now() } = {}): Promise<Inspection> {
  const inspection: Inspection = { walletsChecked: 0, differences: [] };
  const count = await rows.wallets().estimatedDocumentCount();
  const rolledUpFrom = Math.floor(Math.random() * Math.max(1, count - rolledUpWallets + 1));
  let userIds: number[] = [];
  const checkPage = async () => {
    const withRollUps = userIds.filter((_, i) => isWithin(inspection.walletsChecked + i, rolledUpFrom, rolledUpWallets));
    inspection.differences.push(...(await lasting(userIds, againstLedger)), ...(await lasting(withRollUps, againstRollUps)));
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
    inspection.differences.push(...(await hourAgainstLog(new Date(hour), new Date(hour + hourMs))));
  }
  inspection.differences.push(...(await partsAgainstHours({ hours, nowMs })));
  return inspection;
}

function isWithin(index: number, from: number, count: number): boolean {
  return index >= from && index < from + count;
}

async function lasting(userIds: number[], check: (userIds: number[]) => Promise<Difference[]>): Promise<Difference[]> {
  let differences: Difference[] = [];
  let suspects = userIds;
  for (let look = 0; look < looks && suspects.length > 0; look++) {
    differences = await check(suspects);
    suspects = differences.map(({ userId }) => userId);
  }
  return differences;
}

/** The wallet is read before and after: of one that moved meanwhile nothing can be said, and it is looked at again. */
async function againstLedger(userIds: number[]): Promise<Difference[]> {
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

async function againstRollUps(userIds: number[]): Promise<Difference[]> {
  const wallets = await readWallets(userIds);
  const counted = await rows
    .usageHourly()
    .aggregate<Total>([{ $match: { userId: { $in: userIds } } }, total('$userId')])
    .toArray();
  const charged = new Map(counted.map(({ _id, quota, uncollected }) => [_id, quota - uncollected]));
  const differences: Difference[] = [];
  for (const { _id: userId, usedQuota } of wallets.values()) {
    const expected = charged.get(userId) ?? 0;
    if (usedQuota !== expected) differences.push({ userId, what: 'usedQuota', found: usedQuota, expected });
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
    .aggregate<Total>([{ $match: { at: within, $or: [{ type: 2 }, { refundOf: { $gt: '' } }] } }, total('$userId')])
    .toArray();
  if (logged.length === 0) return []; // cleaned up, or nothing happened
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
