import { usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';

const inAMinute = () => Date.now() + 60_000;

describe('an overdue hold', () => {
  const stores = withMoneyStores();
  const isDue = async (requestId: string, nowMs: number) =>
    (await stores.wallet.due(nowMs, 1_000)).some((hold) => hold.requestId === requestId);

  it('is found after its deadline, not before', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const deadlineMs = inAMinute();
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs });
    expect(await isDue(owner.requestId, deadlineMs - 1)).to.equal(false);
    const after = deadlineMs + 1_000; // Redis counts from when it received the hold
    expect(await isDue(owner.requestId, after)).to.equal(true);
    expect(await stores.wallet.expire(owner, deadlineMs - 1)).to.deep.equal({ state: 'none' });
    expect(await stores.wallet.expire(owner, after)).to.deep.equal({ state: 'released' });
    expect(await stores.wallet.expire(owner, after)).to.deep.equal({ state: 'none' });
    expect((await stores.projected(owner.userId)).held).to.equal(0);
    expect(await isDue(owner.requestId, after)).to.equal(false);
  });

  it('is measured by the clock of Redis, whatever this process believes', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const ownNow = Date.now;
    const skewMs = 120_000;
    const redisNow = await stores.wallet.now();
    expect(redisNow).to.be.closeTo(ownNow(), 5_000);
    for (const skew of [skewMs, -skewMs]) {
      const call = { ...owner, requestId: `${owner.requestId}${skew}` };
      try {
        Date.now = () => ownNow() + skew;
        await stores.wallet.reserve({ ...call, amount: 10, deadlineMs: Date.now() + 60_000 });
      } finally {
        Date.now = ownNow;
      }
      expect(await isDue(call.requestId, redisNow + 55_000)).to.equal(false);
      expect(await isDue(call.requestId, redisNow + 70_000)).to.equal(true);
    }
  });

  it('that is reported hands out its event until it is settled', async () => {
    const owner = await stores.userWith({ balance: 100 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    const event = usageEvent({ quota: 130 });
    await stores.wallet.report(owner, event);
    const later = Date.now() + 31_000;
    expect(await isDue(owner.requestId, Date.now())).to.equal(false);
    expect(await isDue(owner.requestId, later)).to.equal(true);
    const expiry = await stores.wallet.expire(owner, later);
    expect(expiry).to.deep.include({ state: 'reported', lost: false, event: { ...event, uncollected: 30 } });
    await stores.wallet.republished(owner, later + 60_000);
    expect(await isDue(owner.requestId, later + 59_999)).to.equal(false);
    expect(await isDue(owner.requestId, later + 60_000)).to.equal(true);
  });

  it('whose relay wakes up again is not charged twice', async () => {
    const owner = await stores.userWith({ balance: 100 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: Date.now() - 1 });
    await stores.wallet.progress(owner, { event: usageEvent({ quota: 25 }), deadlineMs: Date.now() - 1 });
    expect(await stores.wallet.expire(owner, Date.now())).to.include({ state: 'reported', lost: true });
    expect(await stores.wallet.report(owner, usageEvent({ quota: 40 }))).to.include({ accepted: false });
    expect((await stores.projected(owner.userId)).held).to.equal(25);
  });
});
