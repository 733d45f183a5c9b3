import { UsageLog } from '@tollgate/db';
import { expect } from 'chai';
import type { Gateway, TestUser } from './gateway.ts';

/** The rows of a user's charged calls. */
export const callsOf = (user: TestUser) => UsageLog.find({ userId: user.id, type: 2 }).lean();

/** So many calls of the user are charged, nothing is held, and the wallet is grants minus logs. */
export async function expectSettled(
  gateway: Gateway,
  user: TestUser,
  { calls, granted }: { calls: number; granted: number },
): Promise<void> {
  const rows = await callsOf(user);
  expect(rows).to.have.length(calls);
  const charged = rows.reduce((sum, row) => sum + (row.quota ?? 0) - (row.uncollected ?? 0), 0);
  expect((await gateway.wallet.balance(user.id)).balance).to.equal(granted - charged);
  expect(await gateway.held(user)).to.equal(0);
}
