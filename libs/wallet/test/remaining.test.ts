import { rows } from '@tollgate/db';
import { usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';

const inAMinute = () => Date.now() + 60_000;

describe('what remains of a wallet', () => {
  const stores = withMoneyStores();
  const remaining = async (userId: number) => (await stores.wallet.remaining([userId])).get(userId);
  const tokenRemaining = async ({ userId, tokenId }: { userId: number; tokenId: number }) =>
    (await stores.wallet.tokensRemaining([{ userId, tokenId }])).get(tokenId);

  it('is the balance less the calls that are answered and not charged yet, and does not move when they are', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 90 });
    const running = { ...owner, requestId: `${owner.requestId}-running` };
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([100, 90]);
    await stores.wallet.reserve({ ...owner, amount: 50, deadlineMs: inAMinute() });
    await stores.wallet.reserve({ ...running, amount: 20, deadlineMs: inAMinute() });
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([100, 90]);

    const event = usageEvent({ quota: 30 });
    await stores.wallet.report(owner, event);
    await stores.wallet.report(owner, event);
    expect(await stores.storedBalance(owner.userId)).to.equal(100);
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([70, 60]);

    const charged = { $inc: { balance: -30, version: 1 } };
    const wallet = await rows.wallets().findOneAndUpdate({ _id: owner.userId }, charged, { returnDocument: 'after' });
    const settlement = {
      userId: owner.userId,
      requestIds: [owner.requestId, running.requestId],
      wallet: { balance: 70, version: wallet?.version ?? 0 },
      tokens: [{ tokenId: owner.tokenId, remain: 60, version: 9 }],
    };
    await stores.wallet.settle([settlement]);
    await stores.wallet.settle([settlement]);
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([70, 60]);
    await stores.wallet.post({ id: `more:${owner.userId}`, userId: owner.userId, amount: 5, reason: 'test' });
    expect(await remaining(owner.userId)).to.equal(75);
  });

  it('counts the drafts of calls whose relay died', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 90 });
    await stores.wallet.reserve({ ...owner, amount: 50, deadlineMs: Date.now() - 1 });
    await stores.wallet.progress(owner, { event: usageEvent({ quota: 25 }), deadlineMs: Date.now() - 1 });
    await stores.wallet.expire(owner, Date.now());
    await stores.wallet.expire(owner, Date.now());
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([75, 65]);
  });

  it('is what the database says where Redis knows nothing', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 90 });
    expect(await stores.redis.keys(`*:wallet:${owner.userId}`)).to.deep.equal([]);
    expect([await remaining(owner.userId), await remaining(4_242_424_242)]).to.deep.equal([100, 0]);
    expect(await tokenRemaining(owner)).to.equal(90);
  });

  it('is the database’s after a restore, when Redis comes back older', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 90 });
    await stores.wallet.reserve({ ...owner, amount: 50, deadlineMs: inAMinute() });
    await rows.wallets().updateOne({ _id: owner.userId }, { $inc: { balance: -60, version: 1 } });
    await rows.tokenWallets().updateOne({ _id: owner.tokenId }, { $inc: { remain: -60, version: 1 } });
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([100, 90]);
    await stores.wallet.catchUp();
    await stores.wallet.catchUp();
    expect([await remaining(owner.userId), await tokenRemaining(owner)]).to.deep.equal([40, 30]);
    await stores.wallet.release(owner); // the released amount is free again, and no more
    const [free] = await stores.redis.keys(`*:wallet:${owner.userId}`);
    expect(await stores.redis.hget(free ?? '', 'held')).to.equal('0');
  });
});
