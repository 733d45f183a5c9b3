import { rows } from '@tollgate/db';
import { expect } from 'chai';

/** The values of all places for some users, to be compared with each other and with a test's expectation. */
export interface Books {
  balance: number;
  charged: number;
  calls: number;
}

/**
 * Reads every place that counts a user's calls and fails unless they agree: ledger and log with the wallet, the log with hourly roll-up and
 * tokens, no unrecorded shortfall, nothing below zero.
 */
export async function agreeingBooks(userId: number): Promise<Books> {
  const wallet = await rows.wallets().findOne({ _id: userId });
  const entries = await rows.ledger().find({ userId, state: 'applied' }).toArray();
  const calls = await rows.usageLogs().find({ userId, type: 2 }).toArray();
  const hours = await rows.usageHourly().find({ userId }).toArray();
  const tokens = await rows.tokenWallets().find({ userId }).toArray();
  const charged = total(calls, ({ quota, uncollected }) => quota - uncollected);
  const facts = {
    balance: wallet?.balance ?? 0,
    usedQuota: wallet?.usedQuota ?? 0,
    requests: wallet?.requests ?? 0,
    hourlyRequests: total(hours, ({ requests }) => requests),
    hourlyCharged: total(hours, ({ quota, uncollected }) => quota - uncollected),
    shortfalls: wallet?.shortfalls ?? [],
  };
  expect(facts, `the books of user ${userId}`).to.deep.equal({
    balance: total(entries, ({ amount }) => amount) - charged,
    usedQuota: charged,
    requests: calls.length,
    hourlyRequests: calls.length,
    hourlyCharged: charged,
    shortfalls: [],
  });
  expect(facts.balance).to.be.at.least(0);
  for (const { _id, used, remain } of tokens) {
    const refunded = total(
      entries.filter(({ tokenId }) => tokenId === _id),
      ({ amount }) => amount,
    );
    const ofToken = calls.filter(({ tokenId }) => tokenId === _id);
    expect(used, `token ${_id}`).to.equal(total(ofToken, ({ quota, uncollected }) => quota - uncollected) - refunded);
    expect(remain).to.be.at.least(0);
  }
  return { balance: facts.balance, charged, calls: calls.length };
}

/** Usage of a channel over all partitions. */
export async function channelBooks(channelId: number): Promise<{ usedQuota: number; requests: number }> {
  const parts = await rows.channelUsage().find({ channelId }).toArray();
  return { usedQuota: total(parts, ({ usedQuota }) => usedQuota), requests: total(parts, ({ requests }) => requests) };
}

export function total<T>(items: T[], numberOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
