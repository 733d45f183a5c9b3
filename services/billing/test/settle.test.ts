import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { rows } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { freshId, usageEvent, withMoneyStores } from '@tollgate/testing';
import type { HoldOwner } from '@tollgate/wallet';
import { expect } from 'chai';
import { balanceNotes } from '../src/settlement/note-balances.ts';
import { settle } from '../src/settlement/settle.ts';
import { agreeingBooks, channelBooks, total } from './books.ts';
import { type CrashPoint, crashableWallet, dying, installCrashPoints } from './crash-points.ts';

const silent = createLogger({ service: 'billing', level: 'silent' });

describe('settling a batch', () => {
  const stores = withMoneyStores();
  let nextOffset = 1;
  let epoch: string;
  beforeEach(() => {
    epoch = `test.cluster$${freshId()}`;
  });

  const deliver = (event: UsageRecorded, offset = nextOffset++, partition = 3): Delivery<UsageRecorded> => ({
    value: event,
    key: String(event.userId),
    coordinates: { epoch, partition, offset: String(offset).padStart(20, '0') },
    timestampMs: Date.now(),
  });
  const charge = (batch: Delivery<UsageRecorded>[]) => settle(batch, { wallet: stores.wallet, logsShown: true });

  /** A reserved and reported call, as its event arrives from the bus. */
  async function answered(owner: HoldOwner, given: Partial<UsageRecorded> = {}): Promise<UsageRecorded> {
    const call = { ...owner, requestId: `call-${freshId()}` };
    const event = usageEvent({ userId: owner.userId, tokenId: owner.tokenId, id: call.requestId, ...given });
    await stores.wallet.reserve({ ...call, amount: 1, deadlineMs: Date.now() + 60_000 });
    return JSON.parse((await stores.wallet.report(call, event)).json);
  }

  it('charges wallet, token, roll-ups and log, and ends the hold', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const channelId = freshId();
    const batch = [
      await answered(owner, { quota: 30, channelId }),
      await answered(owner, { quota: 12, channelId, model: 'other' }),
      await answered(owner, { quota: 8, channelId }),
    ].map((event) => deliver(event));
    expect(await charge(batch)).to.deep.equal({ charged: 3, redelivered: 0, duplicates: 0, quota: 50, uncollected: 0 });
    expect(await agreeingBooks(owner.userId)).to.deep.equal({ balance: 950, charged: 50, calls: 3 });
    expect(await channelBooks(channelId)).to.deep.equal({ usedQuota: 50, requests: 3 });
    const token = (await stores.wallet.tokenBalances([owner.tokenId])).get(owner.tokenId);
    expect(token).to.include({ remain: 450, used: 50 });
    expect(token?.accessedAt?.getTime()).to.equal(batch[2]?.value.at);
    expect(await stores.projected(owner.userId)).to.include({ balance: 950, held: 0 });
    expect(await stores.projectedToken(owner)).to.include({ remain: 450, held: 0 });
    expect(await rows.usageHourly().countDocuments({ userId: owner.userId })).to.equal(2);
  });

  it('notes what is left of each wallet, for those who warn', async () => {
    const [one, other] = [await stores.userWith({ balance: 1_000, remain: 500 }), await stores.userWith({ balance: 20, remain: 500 })];
    const batch = [await answered(one, { quota: 30 }), await answered(other, { quota: 30 })].map((event) => deliver(event));
    const noteBalances = balanceNotes(stores.redis, silent);
    await settle(batch, { wallet: stores.wallet, logsShown: true, noteBalances });
    const noted = await stores.redis.hmget('{charged}:balances', String(one.userId), String(other.userId));
    expect(noted).to.deep.equal(['970', '0']);
  });

  it('charges pictures and their like, and logs them item by item', async () => {
    const owner = await stores.userWith({ balance: 100_000, remain: 100_000 });
    const { price } = usageEvent({ quota: 1 });
    const items = [{ kind: 'pictures' as const, amount: 2, price: 0.04 }];
    const event = await answered(owner, { quota: 40_000, price: { ...price, modelPrice: 0.08 }, items });
    await charge([deliver(event)]);
    expect(await agreeingBooks(owner.userId)).to.include({ balance: 60_000, charged: 40_000 });
    expect((await rows.usageLogs().findOne({ _id: event.id }))?.items).to.deep.equal(items);
  });

  it('adds the calls of all users up by model and hour, from several partitions, and each once', async () => {
    const model = `model-${freshId()}`;
    const owners = await Promise.all([1, 2].map(() => stores.userWith({ balance: 1_000, remain: 500 })));
    const batches = await Promise.all(
      [3, 4].map((partition) =>
        Promise.all(owners.map(async (owner, i) => deliver(await answered(owner, { quota: 5 + i, model }), i + 1, partition))),
      ),
    );
    await Promise.all(batches.map(charge));
    for (const batch of batches) await charge(batch.slice(1));
    const hours = await rows.usageByModel().find({ model }).toArray();
    expect(total(hours, ({ requests }) => requests)).to.equal(4);
    expect(total(hours, ({ quota }) => quota)).to.equal(22);
    expect(new Set(hours.map(({ hour }) => hour.getTime())).size).to.equal(hours.length);
  });

  it('adds the calls of all users up by group, channel, token and its name, from several partitions, and each once', async () => {
    const group = `group-${freshId()}`;
    const channelId = freshId();
    const tokenName = `name-${freshId()}`;
    const owners = await Promise.all([1, 2].map(() => stores.userWith({ balance: 1_000, remain: 500 })));
    const batches = await Promise.all(
      [3, 4].map((partition) =>
        Promise.all(
          owners.map(async (owner, i) => deliver(await answered(owner, { quota: 5 + i, group, channelId, tokenName }), i + 1, partition)),
        ),
      ),
    );
    await Promise.all(batches.map(charge));
    for (const batch of batches) await charge(batch.slice(1));
    const ofToken = (i: number) => ({ by: 'token' as const, userId: owners[i]?.userId ?? 0, tokenId: owners[i]?.tokenId ?? 0 });
    const counted = async (filter: Parameters<ReturnType<typeof rows.usageByPart>['find']>[0]) => {
      const parts = await rows.usageByPart().find(filter).toArray();
      return [total(parts, ({ requests }) => requests), total(parts, ({ quota }) => quota)];
    };
    expect(await counted({ by: 'group', group })).to.deep.equal([4, 22]);
    expect(await counted({ by: 'channel', channelId })).to.deep.equal([4, 22]);
    expect(await counted({ by: 'tokenName', tokenName })).to.deep.equal([4, 22]);
    expect(await counted(ofToken(0))).to.deep.equal([2, 10]);
    expect(await counted(ofToken(1))).to.deep.equal([2, 12]);
  });

  it('changes nothing when the batch comes three times, whole or in parts', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const events = [await answered(owner, { quota: 5 }), await answered(owner, { quota: 6 }), await answered(owner, { quota: 7 })];
    const batch = events.map((event) => deliver(event));
    await charge(batch);
    await charge(batch.slice(1));
    expect(await charge(batch)).to.include({ charged: 0, redelivered: 3 });
    expect(await agreeingBooks(owner.userId)).to.include({ balance: 982, calls: 3 });
  });

  it('charges a call once that the producer published twice', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const event = await answered(owner, { quota: 5 });
    const other = await answered(owner, { quota: 6 });
    expect(await charge([deliver(event), deliver(event), deliver(other)])).to.include({ charged: 2, duplicates: 1 });
    expect(await charge([deliver(event), deliver(other, nextOffset++, 5)])).to.include({ charged: 0, duplicates: 2 });
    expect(await agreeingBooks(owner.userId)).to.include({ balance: 989, calls: 2 });
  });

  it('ends the hold of a call published twice only once the logged event is charged', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const event = await answered(owner, { quota: 5 });
    const logged = deliver(event);
    const restore = installCrashPoints();
    expect(await dying({ step: 1, when: 'before' }, () => charge([logged]))).to.equal(true); // crashed after the log step
    restore();
    await charge([deliver(event, nextOffset++, 5)]);
    expect((await stores.projected(owner.userId)).held).to.equal(5);
    await charge([logged]);
    expect(await stores.projected(owner.userId)).to.include({ balance: 995, held: 0 });
    await agreeingBooks(owner.userId);
  });

  it('that spans two lives of the bus charges the events of both', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const before = [deliver(await answered(owner, { quota: 5 }), 90), deliver(await answered(owner, { quota: 6 }), 91)];
    epoch = `later.life:${freshId()}`;
    const after = [deliver(await answered(owner, { quota: 7 }), 7), deliver(await answered(owner, { quota: 8 }), 8)];
    await charge([...before, ...after]);
    await charge([...before.slice(1), ...after]);
    expect(await agreeingBooks(owner.userId)).to.include({ balance: 974, calls: 4 });
  });

  it('by two consumers at once charges once', async () => {
    const owners = await Promise.all(Array.from({ length: 20 }, () => stores.userWith({ balance: 1_000, remain: 100 })));
    const batch: Delivery<UsageRecorded>[] = [];
    for (const owner of owners) for (let i = 0; i < 3; i++) batch.push(deliver(await answered(owner, { quota: 10 })));
    await Promise.all([charge(batch), charge(batch), charge(batch.slice(0, 31))]);
    for (const owner of owners) expect(await agreeingBooks(owner.userId)).to.deep.equal({ balance: 970, charged: 30, calls: 3 });
  });

  it('meets postings on the same wallet, and loses neither', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const batches = [];
    for (let i = 0; i < 30; i++) batches.push([deliver(await answered(owner, { quota: 1 }))]);
    const postings = Array.from({ length: 30 }, () =>
      stores.wallet.post({ id: `grant:${freshId()}`, userId: owner.userId, amount: 10, reason: 'test' }),
    );
    for (const batch of batches) await charge(batch);
    await Promise.all(postings);
    expect(await agreeingBooks(owner.userId)).to.include({ balance: 1_270, calls: 30 });
    expect(await stores.projected(owner.userId)).to.include({ balance: 1_270, held: 0 });
  });

  it('takes what the wallet has and notes the rest, when it holds less than was reported', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const events = [await answered(owner, { quota: 60 }), await answered(owner, { quota: 30 }), await answered(owner, { quota: 5 })];
    await stores.wallet.post({ id: `admin:${freshId()}`, userId: owner.userId, amount: -30, reason: 'admin' });
    expect(await charge(events.map((event) => deliver(event)))).to.include({ charged: 3, quota: 70, uncollected: 25 });
    expect(await agreeingBooks(owner.userId)).to.deep.equal({ balance: 0, charged: 70, calls: 3 });
    const logged = await rows
      .usageLogs()
      .find({ userId: owner.userId, type: 2 }, { sort: { offset: 1 } })
      .toArray();
    expect(logged.map(({ uncollected }) => uncollected)).to.deep.equal([0, 20, 5]);
  });

  it('logs calls of unknown users and deleted tokens, without a wrong charge', async () => {
    const [userId, tokenId] = [freshId(), freshId()];
    const seen: number[] = [];
    const batch = [deliver(usageEvent({ userId, tokenId, quota: 10 }))];
    await settle(batch, { wallet: stores.wallet, logsShown: true, onUnknownUser: (user) => seen.push(user) });
    expect(seen).to.deep.equal([userId]);
    expect(await agreeingBooks(userId)).to.deep.equal({ balance: 0, charged: 0, calls: 1 });
    expect(await rows.tokenWallets().findOne({ _id: tokenId })).to.equal(null);
  });

  it('keeps a hidden row of each call while logging is off', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const batch = [deliver(await answered(owner, { quota: 10 }))];
    await settle(batch, { wallet: stores.wallet, logsShown: false });
    await charge(batch);
    expect(await agreeingBooks(owner.userId)).to.deep.equal({ balance: 90, charged: 10, calls: 1 });
    expect(await charge(batch.map(({ value }) => deliver(value)))).to.include({ charged: 0, duplicates: 1 });
    expect(await agreeingBooks(owner.userId)).to.deep.equal({ balance: 90, charged: 10, calls: 1 });
    const row = await rows.usageLogs().findOne({ userId: owner.userId, type: 2 });
    expect(row).to.include({ hidden: true, quota: 10 });
    expect(row).not.to.have.any.keys('usage', 'price', 'channelName', 'endReason');
  });

  for (const when of ['before', 'half', 'after'] as const satisfies CrashPoint['when'][]) {
    it(`is exact after a crash ${when} any step`, async () => {
      const restore = installCrashPoints();
      try {
        let crashes = 0;
        for (let died = true; died; crashes++) {
          const owners = await Promise.all([
            stores.userWith({ balance: 1_000, remain: 25 }),
            stores.userWith({ balance: 1_000 }),
            stores.userWith({ balance: 30 }),
          ]);
          const channelId = freshId();
          const batch: Delivery<UsageRecorded>[] = [];
          for (const owner of owners) for (const quota of [10, 11]) batch.push(deliver(await answered(owner, { quota, channelId })));
          const last = owners[2] as HoldOwner;
          await stores.wallet.post({ id: `admin:${freshId()}`, userId: last.userId, amount: -15, reason: 'admin' }); // creates a shortfall
          const stranger = freshId();
          batch.push(deliver(usageEvent({ userId: stranger, quota: 4, channelId })));
          const wallet = crashableWallet(stores.wallet);
          died = await dying({ step: crashes, when }, () => settle(batch, { wallet, logsShown: true }));
          await charge(batch);
          const balances = [];
          for (const userId of [...owners.map((owner) => owner.userId), stranger]) balances.push((await agreeingBooks(userId)).balance);
          expect(balances, `after a crash ${when} step ${crashes}`).to.deep.equal([979, 979, 0, 0]);
          expect(await channelBooks(channelId)).to.deep.equal({ usedQuota: 57, requests: 7 });
          for (const owner of owners) expect((await stores.projected(owner.userId)).held).to.equal(0);
        }
        expect(crashes).to.be.greaterThan(8);
      } finally {
        restore();
      }
    });
  }
});
