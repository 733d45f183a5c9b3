import { rows } from '@tollgate/db';
import { freshId, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';

describe('a ledger entry', () => {
  const stores = withMoneyStores();

  it('changes the wallet once, however often and from wherever it is posted', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const posting = { id: `redeem:${freshId()}`, userId, amount: 50, reason: 'redeem' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => stores.wallet.post(posting)));
    expect(answers.every(({ state }) => state === 'applied')).to.equal(true);
    expect(await stores.wallet.post(posting)).to.deep.equal({ state: 'applied', first: false, balance: 150 });
    expect(await stores.storedBalance(userId)).to.equal(150);
  });

  it('reaches a balance that Redis knows', async () => {
    const owner = await stores.userWith({ balance: 10 });
    await stores.wallet.reserve({ ...owner, amount: 10, deadlineMs: Date.now() + 60_000 });
    await stores.wallet.post({ id: `topup:${freshId()}`, userId: owner.userId, amount: 50, reason: 'top-up' });
    expect(await stores.projected(owner.userId)).to.include({ balance: 60, held: 10 });
  });

  it('that takes more than there is is refused for good', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const posting = { id: `admin:${freshId()}`, userId, amount: -101, reason: 'admin' };
    expect(await stores.wallet.post(posting)).to.deep.equal({ state: 'refused', first: true, balance: 100 });
    await stores.wallet.post({ id: `topup:${freshId()}`, userId, amount: 50, reason: 'top-up' });
    expect(await stores.wallet.post(posting)).to.deep.equal({ state: 'refused', first: false, balance: 150 });
  });

  it('never takes a balance below zero, also with many at once', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => stores.wallet.post({ id: `spend:${userId}:${i}`, userId, amount: -30, reason: 'test' })),
    );
    expect(answers.filter(({ state }) => state === 'applied')).to.have.length(3);
    expect(await stores.storedBalance(userId)).to.equal(10);
  });

  it('never lifts a balance above what it may be, also with many at once, whoever finishes it', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const credit = (i: number) => ({ id: `credit:${userId}:${i}`, userId, amount: 30, most: 200, reason: 'test' });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => stores.wallet.post(credit(i))));
    expect(answers.filter(({ state }) => state === 'applied')).to.have.length(3);
    expect(await stores.wallet.post(credit(99))).to.include({ state: 'refused', balance: 190 });
    await rows.ledger().insertOne({ ...credit(100), _id: `credit:${userId}:100`, state: 'pending', at: new Date(0) });
    await stores.wallet.finishPending();
    expect(await rows.ledger().findOne({ _id: `credit:${userId}:100` })).to.include({ state: 'refused' });
    expect(await stores.storedBalance(userId)).to.equal(190);
    expect(await stores.wallet.post({ id: `paid:${userId}`, userId, amount: 30, reason: 'test' })).to.include({ balance: 220 });
  });

  it('that takes from a balance above what it may be is as any other', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const spend = { id: `spend:${freshId()}`, userId, amount: -30, most: 50, reason: 'test' };
    expect(await stores.wallet.post(spend)).to.include({ state: 'applied', balance: 70 });
  });

  it('is an error when its id was used for something else', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const id = `order:${freshId()}`;
    await stores.wallet.post({ id, userId, amount: 50, reason: 'order' });
    const again = stores.wallet.post({ id, userId, amount: 51, reason: 'order' });
    expect(await again.catch((error: Error) => error.message)).to.include('exists already');
  });

  it('refuses amounts that are not integers', async () => {
    for (const amount of [0.5, Number.NaN, 2 ** 60, Number.POSITIVE_INFINITY]) {
      const posted = stores.wallet.post({ id: `odd:${freshId()}`, userId: 1, amount, reason: 'test' });
      expect(await posted.catch((error: Error) => error.name)).to.equal('RangeError');
    }
  });

  it('writes its log row once', async () => {
    const { userId } = await stores.userWith({ balance: 0 });
    const posting = {
      id: `redeem:${freshId()}`,
      userId,
      amount: 50,
      reason: 'redeem',
      log: { type: 1, username: 'ann', content: 'redeemed' },
    } as const;
    await Promise.all([stores.wallet.post(posting), stores.wallet.post(posting)]);
    const logged = await rows.usageLogs().find({ userId }).toArray();
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ _id: posting.id, type: 1, quota: 50, content: 'redeemed', username: 'ann' });
  });

  it('gives a token back what it refunds, once', async () => {
    const owner = await stores.userWith({ balance: 0, remain: 5 });
    const posting = { id: `task-refund:${freshId()}`, userId: owner.userId, amount: 50, reason: 'refund', tokenId: owner.tokenId };
    await Promise.all([stores.wallet.post(posting), stores.wallet.post(posting)]);
    expect((await stores.wallet.tokenBalances([owner.tokenId])).get(owner.tokenId)).to.include({ remain: 55, used: -50 });
  });

  for (const diedAfter of ['recording', 'applying to the wallet', 'writing the log'] as const) {
    it(`is finished when the process died after ${diedAfter}`, async () => {
      const { userId } = await stores.userWith({ balance: 100 });
      const id = `crash:${freshId()}`;
      const at = new Date(Date.now() - 120_000);
      const log = { type: 4, content: 'refund' } as const;
      await rows.ledger().insertOne({ _id: id, userId, amount: 50, reason: 'test', state: 'pending', at, log });
      if (diedAfter !== 'recording') {
        await rows.wallets().updateOne({ _id: userId }, { $inc: { balance: 50, version: 1 }, $push: { applied: { id, at } } });
      }
      if (diedAfter === 'writing the log') {
        await rows.usageLogs().insertOne({
          ...log,
          _id: id,
          at,
          userId,
          tokenId: 0,
          model: '',
          channelId: 0,
          promptTokens: 0,
          completionTokens: 0,
          quota: 50,
          uncollected: 0,
        });
      }
      expect(await Promise.all([stores.wallet.finishPending(), stores.wallet.finishPending()])).to.include(1);
      expect(await stores.wallet.finishPending()).to.equal(0);
      expect(await stores.storedBalance(userId)).to.equal(150);
      expect(await rows.usageLogs().countDocuments({ _id: id })).to.equal(1);
      expect(await rows.ledger().findOne({ _id: id })).to.include({ state: 'applied' });
    });
  }

  it('whose refusal was decided stays refused when the process died then', async () => {
    const { userId } = await stores.userWith({ balance: 100 });
    const id = `crash:${freshId()}`;
    const at = new Date(Date.now() - 120_000);
    await rows.ledger().insertOne({ _id: id, userId, amount: -150, reason: 'test', state: 'pending', at });
    await rows.wallets().updateOne({ _id: userId }, { $push: { applied: { id, at, refused: true } } });
    await stores.wallet.post({ id: `topup:${freshId()}`, userId, amount: 500, reason: 'top-up' });
    await stores.wallet.finishPending();
    expect(await stores.storedBalance(userId)).to.equal(600);
    expect(await rows.ledger().findOne({ _id: id })).to.include({ state: 'refused' });
  });
});

describe('wallets and tokens', () => {
  const stores = withMoneyStores();

  it('are made once and empty', async () => {
    const userId = freshId();
    await Promise.all(Array.from({ length: 10 }, () => stores.wallet.open(userId)));
    await stores.wallet.post({ id: `grant:${userId}`, userId, amount: 7, reason: 'test' });
    await stores.wallet.open(userId);
    expect(await stores.wallet.balance(userId)).to.deep.equal({ balance: 7, usedQuota: 0, requests: 0 });
  });

  it('of strangers read as zero', async () => {
    const stranger = freshId();
    expect((await stores.wallet.balances([stranger])).get(stranger)).to.deep.equal({ balance: 0, usedQuota: 0, requests: 0 });
    expect((await stores.wallet.tokenBalances([stranger])).get(stranger)).to.deep.equal({ remain: 0, used: 0, accessedAt: null });
  });

  it('hear at once what a token may spend now', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 10 });
    const ask = { ...owner, amount: 100, deadlineMs: Date.now() + 60_000 };
    expect(await stores.wallet.reserve(ask)).to.include({ ok: false, reason: 'token' });
    await stores.wallet.setTokenRemain({ ...owner, remain: 100 });
    expect(await stores.wallet.reserve(ask)).to.deep.equal({ ok: true, amount: 100 });
  });

  it('do not ask an unlimited token, and do not charge its remainder at the reserve', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    expect(await stores.wallet.reserve({ ...owner, amount: 100, deadlineMs: Date.now() + 60_000 })).to.include({ ok: true });
    expect(await stores.projectedToken(owner)).to.deep.equal({});
  });
});
