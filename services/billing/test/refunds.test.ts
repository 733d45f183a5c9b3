import type { Delivery } from '@tollgate/bus';
import type { TaskFailed, UsageRecorded } from '@tollgate/contracts';
import { rows, type TaskRow } from '@tollgate/db';
import { freshId, usageEvent, withMoneyStores } from '@tollgate/testing';
import type { HoldOwner } from '@tollgate/wallet';
import { expect } from 'chai';
import { inspect } from '../src/reconcile/invariants.ts';
import { publishFailed } from '../src/refunds/publish-failed.ts';
import { refund } from '../src/refunds/refund.ts';
import { settle } from '../src/settlement/settle.ts';
import { agreeingBooks, channelBooks, total } from './books.ts';
import { type CrashPoint, crashableWallet, dying, installCrashPoints } from './crash-points.ts';

const price = 50;

describe('giving back what failed tasks cost', () => {
  const stores = withMoneyStores();
  let nextOffset = 1;
  let epoch: string;
  let rejected: string[] = [];
  beforeEach(async () => {
    epoch = `test.${freshId()}`;
    rejected = [];
    await rows.tasks().deleteMany({});
  });

  const place = <T extends { userId: number }>(value: T, topic: string, offset = nextOffset++): Delivery<T> => ({
    value,
    key: String(value.userId),
    coordinates: { epoch: `${epoch}.${topic}`, partition: 1, offset: String(offset).padStart(20, '0') },
    timestampMs: Date.now(),
  });
  const give = (batch: Delivery<TaskFailed>[], wallet = stores.wallet) =>
    refund(batch, { wallet, reject: (_delivery, reason) => void rejected.push(reason) });

  /** A failed task, submitted and charged unless overridden. */
  async function failedTask(
    owner: HoldOwner,
    { settled = true, channelId = 7, ...fields }: Partial<TaskRow> & { settled?: boolean } = {},
  ): Promise<{ id: string; charge: Delivery<UsageRecorded> }> {
    const call = { ...owner, requestId: `task-${freshId()}` };
    const at = new Date();
    const event = usageEvent({
      userId: owner.userId,
      tokenId: owner.tokenId,
      id: call.requestId,
      quota: price,
      mode: 'drawing',
      channelId,
    });
    await rows.tasks().insertOne({
      _id: call.requestId,
      id: freshId(),
      kind: 'drawing',
      action: 'IMAGINE',
      status: 'FAILURE',
      progress: '100%',
      failReason: 'no',
      at,
      startedAt: null,
      endedAt: at,
      updatedAt: at,
      userId: owner.userId,
      username: '',
      tokenId: owner.tokenId,
      channelId,
      quota: price,
      prompt: '',
      refund: 'due' as const,
      ...fields,
    });
    await stores.wallet.reserve({ ...call, amount: price, deadlineMs: Date.now() + 60_000 });
    const charge = place(JSON.parse((await stores.wallet.report(call, event)).json) as UsageRecorded, 'usage');
    if (settled) await settle([charge], { wallet: stores.wallet, logsShown: true });
    return { id: call.requestId, charge };
  }

  const told = (id: string, userId: number) => place({ version: 1 as const, id, userId, at: Date.now() }, 'task');

  /** Expects these values in every place that counts charges. */
  async function allSay(owner: HoldOwner, wanted: { balance: number; remain: number; charged: number; calls: number; channelId: number }) {
    const logs = await rows.usageLogs().find({ userId: owner.userId }).toArray();
    const hours = await rows.usageHourly().find({ userId: owner.userId }).toArray();
    const wallet = await rows.wallets().findOne({ _id: owner.userId });
    const token = await rows.tokenWallets().findOne({ _id: owner.tokenId });
    const { charged } = wanted;
    const paid = ({ quota, uncollected }: { quota: number; uncollected: number }) => quota - uncollected;
    expect({
      wallet: [wallet?.balance, wallet?.usedQuota, wallet?.requests],
      token: [token?.remain, token?.used],
      log: total(
        logs.filter(({ mode, refundOf }) => mode !== undefined || refundOf !== undefined),
        paid,
      ),
      hours: [total(hours, paid), total(hours, ({ requests }) => requests)],
      channel: await channelBooks(wanted.channelId),
      redis: await stores.projected(owner.userId),
    }).to.deep.equal({
      wallet: [wanted.balance, charged, wanted.calls],
      token: [wanted.remain, charged],
      log: charged,
      hours: [charged, wanted.calls],
      channel: { usedQuota: charged, requests: wanted.calls },
      redis: { ...(await stores.projected(owner.userId)), balance: wanted.balance, held: 0 },
    });
    expect(
      (await inspect({ rolledUpWallets: 1_000_000, waitMs: 20 })).differences.filter(({ userId }) => userId === owner.userId),
    ).to.deep.equal([]);
  }

  it('moves wallet, token, user, channel and roll-ups together, once, however often it is told', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const channelId = freshId();
    const [failed] = [await failedTask(owner, { channelId }), await failedTask(owner, { channelId, status: 'SUCCESS', refund: undefined })];
    await allSay(owner, { balance: 900, remain: 400, charged: 100, calls: 2, channelId });
    const batch = [told(failed.id, owner.userId)];
    expect(await give(batch)).to.deep.equal({ refunded: 1, quota: price });
    await give(batch);
    await give([told(failed.id, owner.userId)]);
    await allSay(owner, { balance: 950, remain: 450, charged: 50, calls: 2, channelId });
    const row = await rows.usageLogs().findOne({ _id: `task-refund:${failed.id}` });
    expect(row).to.deep.include({ type: 4, quota: -price, uncollected: 0, refundOf: failed.id });
    expect(row?.text).to.deep.include({ code: 'task_refunded' });
  });

  it('is told of a task when its charge was taken, not before, until the refund stands in the log', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const { id, charge } = await failedTask(owner, { settled: false });
    const published: TaskFailed[] = [];
    const bus = {
      publish: async (_topic: unknown, messages: { value: unknown }[]) =>
        void published.push(...messages.map(({ value }) => value as TaskFailed)),
    };
    expect(await publishFailed({ bus, wallet: stores.wallet })).to.equal(0);
    await settle([charge], { wallet: stores.wallet, logsShown: true });
    expect(await publishFailed({ bus, wallet: stores.wallet })).to.equal(1);
    expect(published).to.deep.equal([{ version: 1, id, userId: owner.userId, at: published[0]?.at }]);
    await give(published.map((event) => place(event, 'task')));
    expect(await publishFailed({ bus, wallet: stores.wallet })).to.equal(0);
    expect((await stores.wallet.balance(owner.userId)).balance).to.equal(1_000);
  });

  it('believes no event: a task that did not fail, was not charged, or is another’s is given nothing', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 500 });
    const other = await stores.userWith({ balance: 1_000, remain: 500 });
    const good = await failedTask(owner, { status: 'SUCCESS' });
    const uncharged = await failedTask(owner, { settled: false });
    const failed = await failedTask(owner);
    const lies = [
      told(good.id, owner.userId),
      told(uncharged.id, owner.userId),
      told(failed.id, other.userId),
      told('no-such', owner.userId),
    ];
    expect(await give(lies)).to.include({ refunded: 0 });
    expect(rejected).to.have.length(4);
    expect((await stores.wallet.balance(owner.userId)).balance).to.equal(900);
  });

  it('gives back what was collected, where a balance did not cover it all', async () => {
    const owner = await stores.userWith({ balance: 30, remain: 500 });
    const channelId = freshId();
    const { id } = await failedTask(owner, { channelId });
    expect((await stores.wallet.balance(owner.userId)).balance).to.equal(0);
    await give([told(id, owner.userId)]);
    expect((await stores.wallet.balance(owner.userId)).balance).to.equal(30);
    expect((await rows.usageLogs().findOne({ _id: `task-refund:${id}` }))?.uncollected).to.equal(-20);
  });

  it('is exact wherever it dies, and when it comes again', async function () {
    this.timeout(120_000);
    const restore = installCrashPoints();
    const wallet = crashableWallet(stores.wallet);
    try {
      for (const when of ['before', 'half', 'after'] as CrashPoint['when'][]) {
        for (let step = 0, died = true; died; step++) {
          const owner = await stores.userWith({ balance: 1_000, remain: 500 });
          const channelId = freshId();
          const batch: Delivery<TaskFailed>[] = [];
          for (let task = 0; task < 3; task++) batch.push(told((await failedTask(owner, { channelId })).id, owner.userId));
          died = await dying({ step, when }, () => give(batch, wallet));
          await give(batch, wallet);
          await allSay(owner, { balance: 1_000, remain: 500, charged: 0, calls: 3, channelId });
        }
      }
    } finally {
      restore();
    }
    expect((await agreeingWithNothing()).length).to.equal(0);
  });

  /** Checks an uninvolved user; returns the rejected events. */
  async function agreeingWithNothing(): Promise<string[]> {
    const owner = await stores.userWith({ balance: 100, remain: 100 });
    expect(await agreeingBooks(owner.userId)).to.include({ charged: 0 });
    return rejected;
  }
});
