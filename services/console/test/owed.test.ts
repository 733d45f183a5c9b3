import type { UserView } from '@tollgate/contracts';
import { LedgerEntry, Order, Redemption, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { startConsole, type TestConsole } from './support/console.ts';

describe('what a dead console left owing', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole();
  });
  after(() => tollgate.close());

  it('is paid without its owner coming, once, and a row that cannot be paid stops none of the others', async () => {
    const user = await tollgate.newUser();
    const past = new Date(Date.now() - 1000);
    const code = { name: 'x', quota: 10, createdAt: past, status: 3, usedUserId: user.id, usedUsername: user.username, redeemedAt: past };
    const order = { userId: user.id, username: user.username, amount: 1, quota: 100, cents: 100, currency: 'CNY', method: 'x' };
    const paid = { status: 'paid' as const, createdAt: past, paidAt: past, isOwed: true };
    const owe = (id: string, amount: number) => ({ id, amount, text: { code: 'new_user_gift', values: { quota: amount } } });
    // Another amount under the same id: the ledger refuses it for good.
    const entry = { userId: user.id, amount: 1, reason: 'x', state: 'applied' as const, at: past };
    for (const id of ['redeem:9001', 'order:BAD', 'grant:bad']) await LedgerEntry.create({ ...entry, _id: id });
    for (const id of [9001, 9002])
      await Redemption.create({ ...code, id, userId: 1, keySealed: 'x', keyDigest: `digest ${id}`, isOwed: true });
    for (const tradeNo of ['BAD', 'GOOD']) await Order.create({ ...order, ...paid, tradeNo });
    const { quota } = await user.ok<UserView>('GET', '/api/user/self');
    await User.updateOne({ id: user.id }, { $set: { owed: [owe('grant:bad', 1000), owe('grant:good', 1000)] } });

    await tollgate.restart();
    await eventually(async () => expect(await LedgerEntry.countDocuments({ userId: user.id, state: 'applied' })).to.equal(6));
    const owner = await tollgate.signIn(user.username);
    await eventually(async () => expect((await owner.ok<UserView>('GET', '/api/user/self')).quota).to.equal(quota + 1110));
    expect((await User.findOne({ id: user.id }).lean())?.owed?.map(({ id }) => id)).to.deep.equal(['grant:bad']);
    expect(await Redemption.find({ isOwed: true }).distinct('id')).to.deep.equal([9001]);
    expect(await Order.find({ isOwed: true }).distinct('tradeNo')).to.deep.equal(['BAD']);
  });
});
