import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { rows, SettlementEpoch } from '@tollgate/db';
import { freshId, usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { closeGoneEpochs, forgetClosedEpochs } from '../src/reconcile/epochs.ts';
import { inspect } from '../src/reconcile/invariants.ts';
import { answersAgainstCharges, pruneGuards } from '../src/reconcile/reconcile.ts';
import { settle } from '../src/settlement/settle.ts';
import { copyAllUncollected } from '../src/settlement/uncollected.ts';
import { agreeingBooks } from './books.ts';
import { dying, installCrashPoints } from './crash-points.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('reconcile', () => {
  const stores = withMoneyStores();
  const charge = (batch: Delivery<UsageRecorded>[]) => settle(batch, { wallet: stores.wallet, logsShown: true });
  const deliver = (epoch: string, offset: number, event: UsageRecorded): Delivery<UsageRecorded> => ({
    value: event,
    key: String(event.userId),
    coordinates: { epoch, partition: 0, offset: String(offset).padStart(20, '0') },
    timestampMs: Date.now(),
  });
  const seen = (epoch: string, agoMs: number) => {
    const at = new Date(Date.now() - agoMs);
    return SettlementEpoch.updateOne({ _id: epoch }, { $set: { firstSeenAt: at, lastSeenAt: at } }, { upsert: true });
  };
  beforeEach(async () => {
    await SettlementEpoch.deleteMany({});
  });

  it('charges what was logged from a topic that is gone, wherever the charge had got to', async () => {
    const restore = installCrashPoints();
    try {
      let steps = 0;
      for (let died = true; died; steps++) {
        const epoch = `gone.${freshId()}`;
        const owner = await stores.userWith({ balance: 1_000, remain: 100 });
        const batch = [7, 9].map((quota, i) =>
          deliver(epoch, 10 + i, usageEvent({ ...owner, id: `call-${freshId()}`, quota, channelId: freshId() })),
        );
        died = await dying({ step: steps, when: 'after' }, () => charge(batch));
        await seen(epoch, 20 * minuteMs);
        await seen(`next.${epoch}`, 0);
        await closeGoneEpochs(stores);
        const { calls, balance } = await agreeingBooks(owner.userId);
        expect(balance, `after step ${steps}`).to.equal(1_000 - 16);
        expect(calls).to.equal(2);
        await charge(batch); // a zombie of the old topic
        expect(await closeGoneEpochs(stores)).to.equal(0);
        expect(await agreeingBooks(owner.userId)).to.include({ balance: 1_000 - 16 });
      }
      expect(steps).to.be.greaterThan(5);
    } finally {
      restore();
    }
  });

  it('leaves the topic in use alone, and one that was in use lately', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const [older, current] = [`older.${freshId()}`, `current.${freshId()}`];
    await seen(older, 5 * minuteMs);
    await seen(current, 60 * minuteMs);
    const restore = installCrashPoints();
    await dying({ step: 1, when: 'before' }, () => charge([deliver(older, 1, usageEvent({ ...owner, id: `call-${freshId()}` }))]));
    restore();
    await closeGoneEpochs(stores);
    expect(await stores.storedBalance(owner.userId)).to.equal(1_000);
  });

  it('forgets the marks of a topic that is gone for long, and only those', async () => {
    const [gone, current] = [`gone.${freshId()}`, `current.${freshId()}`];
    const owner = await stores.userWith({ balance: 1_000, remain: 100 });
    const event = () => usageEvent({ ...owner, id: `call-${freshId()}`, quota: 1 });
    await charge([deliver(gone, 1, event())]);
    await charge([deliver(current, 1, event())]);
    await seen(gone, 40 * dayMs);
    await seen(current, 0);
    await closeGoneEpochs({ ...stores, nowMs: Date.now() - 31 * dayMs + minuteMs });
    await closeGoneEpochs(stores);
    await forgetClosedEpochs(Date.now() + 31 * dayMs);
    const wallet = await rows.wallets().findOne({ _id: owner.userId });
    const token = await rows.tokenWallets().findOne({ _id: owner.tokenId });
    for (const marks of [wallet?.marks, token?.marks]) expect(Object.keys(marks ?? {})).to.deep.equal([`${current.replace('.', '%2e')}_0`]);
    await agreeingBooks(owner.userId);
  });

  it('notes what a dead process could not collect', async () => {
    const owner = await stores.userWith({ balance: 0 });
    const event = usageEvent({ ...owner, id: `call-${freshId()}`, quota: 30 });
    const restore = installCrashPoints();
    await dying({ step: 2, when: 'after' }, () => charge([deliver(`e${freshId()}`, 1, event)]));
    restore();
    expect((await rows.usageLogs().findOne({ _id: event.id }))?.uncollected).to.equal(0);
    expect(await copyAllUncollected()).to.equal(1);
    expect((await rows.usageLogs().findOne({ _id: event.id }))?.uncollected).to.equal(30);
    expect(await copyAllUncollected()).to.equal(0);
  });

  it('forgets guards of entries long decided, none that a pending one may need', async () => {
    const { userId } = await stores.userWith({ balance: 10 });
    await stores.wallet.post({ id: `two:${userId}`, userId, amount: 10, reason: 'test' });
    const guards = async () => (await rows.wallets().findOne({ _id: userId }))?.applied.map(({ id }) => id);
    await pruneGuards();
    expect(await guards()).to.deep.equal([`grant:${userId}`, `two:${userId}`]);
    await rows.ledger().updateOne({ _id: `grant:${userId}` }, { $set: { state: 'pending' } });
    await pruneGuards(Date.now() + dayMs);
    expect(await guards()).to.deep.equal([`grant:${userId}`, `two:${userId}`]);
    await stores.wallet.finishPending(0);
    await pruneGuards(Date.now() + dayMs);
    expect(await guards()).to.deep.equal([]);
    expect(await stores.storedBalance(userId)).to.equal(20);
  });

  it('finds a wallet that differs from its ledger, its roll-ups or the log', async () => {
    const hourAgo = Date.now() - 60 * minuteMs;
    const owners = [];
    for (let i = 0; i < 4; i++) owners.push(await stores.userWith({ balance: 1_000 }));
    const epoch = `e${freshId()}`;
    await charge(owners.map((owner, i) => deliver(epoch, i + 1, usageEvent({ ...owner, id: `call-${freshId()}`, quota: 5, at: hourAgo }))));
    const [sound, moneyMade, rollUpLost, logLost] = owners.map(({ userId }) => userId);
    await rows.wallets().updateOne({ _id: moneyMade }, { $inc: { balance: 1 } });
    await rows.usageHourly().updateOne({ userId: rollUpLost }, { $inc: { quota: -2 } });
    await rows.usageLogs().updateOne({ userId: logLost, type: 2 }, { $set: { quota: 50 } });
    const { differences, walletsChecked } = await inspect({ waitMs: 20 });
    expect(walletsChecked).to.be.at.least(4);
    const of = (userId: number | undefined) => differences.filter((difference) => difference.userId === userId).map(({ what }) => what);
    expect(of(sound)).to.deep.equal([]);
    expect(of(moneyMade)).to.deep.equal(['balance']);
    expect(of(rollUpLost)).to.deep.equal(['usedQuota', 'hour']);
    expect(of(logLost)).to.deep.equal(['hour']);
  });

  it('finds an answer that was delivered and never charged', async () => {
    const hour = Math.floor(Date.now() / (60 * minuteMs)) * 60 * minuteMs - 60 * minuteMs;
    const [honest, given] = [await stores.userWith({ balance: 1_000 }), await stores.userWith({ balance: 1_000 })];
    const calls = [honest, honest, given].map((owner) => usageEvent({ ...owner, id: `call-${freshId()}`, quota: 5, at: hour + minuteMs }));
    await charge(calls.map((event, i) => deliver(`e${freshId()}`, i + 1, event)));
    await stores.wallet.noteAnswers(
      hour,
      'a',
      new Map([
        [honest.userId, 1],
        [given.userId, 1],
      ]),
    );
    await stores.wallet.noteAnswers(
      hour,
      'b',
      new Map([
        [honest.userId, 1],
        [given.userId, 2],
      ]),
    );
    await stores.wallet.noteAnswers(hour, 'b', new Map([[honest.userId, 1]])); // a repetition
    const differences = await answersAgainstCharges({ ...stores, nowMs: Date.now(), waitMs: 20 });
    expect(differences).to.deep.equal([{ userId: given.userId, what: 'answers', found: 1, expected: 3 }]);
  });

  it('finds nothing wrong with a charge that is on its way from the wallet to the roll-ups', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    await charge([deliver(`e${freshId()}`, 1, usageEvent({ ...owner, id: `call-${freshId()}`, quota: 5 }))]);
    await rows.wallets().updateOne({ _id: owner.userId }, { $inc: { balance: -7, usedQuota: 7, version: 1 } });
    const looking = inspect({ waitMs: 500, rolledUpWallets: 1_000_000 });
    await delay(50);
    await rows.usageHourly().updateOne({ userId: owner.userId }, { $inc: { quota: 7 } });
    expect((await looking).differences.filter(({ userId }) => userId === owner.userId)).to.deep.equal([]);
  });

  it("finds everybody's roll-ups by group, channel, token or its name that differ from the users' own, where they have the whole period", async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const today = Math.floor(Date.now() / dayMs) * dayMs;
    const nowMs = today + 2 * 60 * minuteMs;
    await Promise.all([rows.usageByPart().deleteMany({}), rows.usageHourly().deleteMany({})]);
    const event = (at: number) => usageEvent({ ...owner, id: `call-${freshId()}`, quota: 5, at });
    const epoch = `e${freshId()}`;
    const found = async () =>
      (await inspect({ waitMs: 20, nowMs })).differences
        .filter(({ userId }) => userId === 0)
        .map(({ what, found, expected }) => `${what} ${found} ${expected}`);
    await charge([deliver(epoch, 1, event(today - 60 * minuteMs))]);
    await rows.usageByPart().updateMany({}, { $inc: { quota: 1 } });
    expect(await found(), 'the period they began in').to.deep.equal([]);
    await rows.usageByPart().updateMany({}, { $inc: { quota: -1 } });
    await charge([deliver(epoch, 2, event(today - 3 * dayMs))]);
    expect(await found()).to.deep.equal([]);
    await rows.usageByPart().updateMany({ at: { $gte: new Date(today - dayMs) } }, { $inc: { quota: 1 } });
    expect(await found()).to.deep.equal(['group 6 5', 'channel 6 5', 'token 6 5', 'tokenName 6 5']);
    await rows.usageByPart().deleteMany({});
  });
});
