import type { UsageRecorded } from '@tollgate/contracts';
import { usageEvent, withMoneyStores } from '@tollgate/testing';
import { type HoldOwner, holdKey, indexKey } from '@tollgate/wallet';
import { expect } from 'chai';
import { type SweepDependencies, sweep } from '../src/sweep/sweep.ts';

describe('the sweep', () => {
  const stores = withMoneyStores();
  const silent = { error() {}, warn() {} };
  let published: UsageRecorded[] = [];
  beforeEach(async () => {
    published = [];
    for (const key of await stores.redis.keys('{u*}:holds')) await stores.redis.del(key);
  });

  const bus = {
    publish: async (_topic: unknown, messages: { value: unknown }[]) => {
      published.push(...messages.map(({ value }) => value as UsageRecorded));
    },
  } as SweepDependencies['bus'];
  const sweepAt = (nowMs: number, given: Partial<SweepDependencies> = {}) =>
    sweep({ wallet: stores.wallet, bus, logger: silent, isBehind: false, nowMs, ...given });

  async function running(deadlineMs: number, draft?: UsageRecorded): Promise<HoldOwner> {
    const owner = await stores.userWith({ balance: 100, remain: 100 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs });
    if (draft) await stores.wallet.progress(owner, { event: { ...draft, ...owner, id: owner.requestId }, deadlineMs });
    return owner;
  }

  it('publishes again what was reported and not charged, ever more rarely', async () => {
    const owner = await running(Date.now() + 60_000);
    const event = usageEvent({ id: owner.requestId, userId: owner.userId, quota: 30 });
    await stores.wallet.report(owner, event);
    const reportedAt = Date.now();
    expect(await sweepAt(reportedAt + 20_000)).to.deep.equal({ republished: 0, lost: 0, released: 0, unreadable: 0 });
    let sweeps = 0;
    for (let second = 31; second < 3_600; second += 15) sweeps += (await sweepAt(reportedAt + second * 1_000)).republished;
    expect(sweeps).to.be.within(8, 12);
    expect(published[0]).to.deep.equal(event);
  });

  it('charges an open hold past its deadline for its draft', async () => {
    const deadlineMs = Date.now() + 60_000;
    const owner = await running(deadlineMs, usageEvent({ quota: 25 }));
    expect(await sweepAt(deadlineMs - 1)).to.include({ lost: 0 });
    expect(await sweepAt(deadlineMs + 1_000)).to.include({ lost: 1, released: 0 });
    expect(published).to.have.length(1);
    expect(published[0]).to.include({ id: owner.requestId, quota: 25, endReason: 'relay_lost', usageSource: 'estimated' });
    expect((await stores.projected(owner.userId)).held).to.equal(25);
  });

  it('releases an open hold past its deadline that has no draft', async () => {
    const deadlineMs = Date.now() + 60_000;
    const owner = await running(deadlineMs);
    expect(await sweepAt(deadlineMs + 1_000)).to.deep.equal({ republished: 0, lost: 0, released: 1, unreadable: 0 });
    expect((await stores.projected(owner.userId)).held).to.equal(0);
    expect(await stores.wallet.counts()).to.deep.equal({ open: 0, reported: 0 });
  });

  it('does not feed a backlog with what was reported lately', async () => {
    const owner = await running(Date.now() + 60_000);
    await stores.wallet.report(owner, usageEvent({ id: owner.requestId, userId: owner.userId, quota: 30 }));
    expect(await sweepAt(Date.now() + 31_000, { isBehind: true })).to.include({ republished: 0 });
    expect(await sweepAt(Date.now() + 700_000, { isBehind: true })).to.include({ republished: 1 });
  });

  it('keeps what it could not publish for the next time', async () => {
    const deadlineMs = Date.now() - 1;
    await running(deadlineMs, usageEvent({ quota: 25 }));
    const down = { publish: () => Promise.reject(new Error('the bus is down')) };
    expect(await sweepAt(Date.now(), { bus: down }).catch((error: Error) => error.message)).to.equal('the bus is down');
    expect(await sweepAt(Date.now() + 1)).to.include({ republished: 1 });
    expect(published[0]).to.include({ quota: 25, endReason: 'relay_lost' });
  });

  it('goes on past a hold that cannot be read, and past entries without a hold', async () => {
    const broken = await running(Date.now() - 1, usageEvent({ quota: 25 }));
    await stores.redis.hset(holdKey(broken.userId, broken.requestId), 'event', '{"half":');
    await stores.redis.zadd(indexKey(19), 1, holdKey(19, 'never-was'));
    const good = await running(Date.now() - 1, usageEvent({ quota: 25 }));
    expect(await sweepAt(Date.now())).to.deep.equal({ republished: 0, lost: 1, released: 0, unreadable: 1 });
    expect(published[0]).to.include({ id: good.requestId });
    expect(await stores.redis.zscore(indexKey(19), holdKey(19, 'never-was'))).to.equal(null);
  });

  it('by several at once ends every hold', async () => {
    for (let i = 0; i < 600; i++) await stores.wallet.reserve({ ...(await fakeOwner(i)), amount: 0, deadlineMs: 1 });
    const swept = await Promise.all([sweepAt(Date.now()), sweepAt(Date.now())]);
    expect(swept.reduce((sum, { released }) => sum + released, 0)).to.equal(600);
    expect(await stores.wallet.counts()).to.deep.equal({ open: 0, reported: 0 });
  });

  const fakeOwner = async (i: number): Promise<HoldOwner> => ({
    userId: 900 + (i % 40),
    tokenId: 0,
    tokenUnlimited: true,
    requestId: `many-${i}`,
  });
});
