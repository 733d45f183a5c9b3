import type { UsageRecorded } from '@tollgate/contracts';
import { rows, SettlementEpoch } from '@tollgate/db';
import { freshId, type MoneyStores, usageEvent } from '@tollgate/testing';
import type { BudgetRule, CallWithBudgets, HoldOwner, Wallet } from '@tollgate/wallet';
import { closeGoneEpochs } from '../../src/reconcile/epochs.ts';
import { settle } from '../../src/settlement/settle.ts';
import { copyAllUncollected } from '../../src/settlement/uncollected.ts';
import { sweep } from '../../src/sweep/sweep.ts';
import { type CrashPoint, crashableWallet, dying } from '../crash-points.ts';
import type { Step } from './schedule.ts';
import { ModelTopic, type TakenBatch } from './topic.ts';

/** A call in the model. */
export interface ModelCall {
  owner: HoldOwner;
  state: 'open' | 'reported' | 'released';
  /** The quotas it may be charged: its drafts and its report. */
  quotas: Set<number>;
  hasDraft: boolean;
  event?: UsageRecorded;
  /** Redis was emptied after the report: only the bus may still have the event. */
  holdLost: boolean;
  /** The creations of the topic that received its event. */
  publishedIn: Set<number>;
}

export interface ModelUser {
  userId: number;
  tokenId: number;
}

/** One budget of each unit and kind of window. */
export const modelBudgets = (userId: number): BudgetRule[] => [
  { id: `money-${userId}`, unit: 'quota', limit: 150, window: '5h', timeZone: 'UTC' },
  { id: `tokens-${userId}`, unit: 'tokens', limit: 400, window: 'total', timeZone: 'UTC' },
  { id: `calls-${userId}`, unit: 'requests', limit: undefined, window: 'week', timeZone: 'Asia/Tokyo' },
];
const budgetsOf = (userId: number): CallWithBudgets => ({ rules: modelBudgets(userId), tokens: 20, minimumTokens: 15 });

/** The state of one schedule: two users on real datastores, relays, a topic, consumers, and a clock that can be advanced. */
export class World {
  readonly users: ModelUser[] = [];
  readonly calls: ModelCall[] = [];
  readonly topic = new ModelTopic();
  /** Redis was never emptied and no money removed by hand: every wallet can pay what was reported. */
  isGuarded = true;
  private readonly zombies: TakenBatch[] = [];
  private readonly wallet: Wallet;
  private readonly stores: MoneyStores;
  private clockOffsetMs = 0;

  constructor(stores: MoneyStores) {
    this.stores = stores;
    this.wallet = crashableWallet(stores.wallet);
  }

  async begin(): Promise<void> {
    const collections = [
      rows.wallets,
      rows.tokenWallets,
      rows.ledger,
      rows.usageLogs,
      rows.usageHourly,
      rows.usageByModel,
      rows.usageByPart,
      rows.budgetBuckets,
      rows.channelUsage,
    ];
    await Promise.all([
      ...collections.map((collection) => (collection() as ReturnType<typeof rows.wallets>).deleteMany({})),
      SettlementEpoch.deleteMany({}),
    ]);
    await this.stores.redis.flushdb();
    for (const balance of [200, 40]) {
      const { userId, tokenId } = await this.stores.userWith({ balance, remain: 100 });
      this.users.push({ userId, tokenId });
    }
  }

  get nowMs(): number {
    return Date.now() + this.clockOffsetMs;
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case 'reserve':
        return this.reserve(step);
      case 'progress':
        return this.progress(step);
      case 'report':
        return this.report(step);
      case 'release':
        return this.release(this.call(step.call));
      case 'publishAgain': {
        const call = this.call(step.call);
        if (call?.event) this.publish(call.event);
        return;
      }
      case 'consume': {
        const batch = this.topic.take(step.partition, step.size);
        if (batch) await this.settle(batch, step.crash, step.commit);
        return;
      }
      case 'consumeTwiceAtOnce': {
        const batches = [this.topic.take(step.partition, step.size), this.topic.take(step.partition, step.size + 1)];
        await Promise.all(batches.map((batch) => batch && this.settle(batch, null, true)));
        return;
      }
      case 'freeze': {
        const batch = this.topic.take(step.partition, step.size);
        if (batch) this.zombies.push(batch);
        return;
      }
      case 'wake': {
        const [batch] = this.zombies.splice(step.zombie % Math.max(1, this.zombies.length), 1);
        if (batch) await this.settle(batch, step.crash, true);
        return;
      }
      case 'repartition':
        return this.topic.repartition(step.partitions);
      case 'restartBus':
        return this.topic.restart();
      case 'recreateTopic':
        return this.topic.recreate();
      case 'reconcile':
        return this.reconcile();
      case 'sweep':
        return this.sweep(step.afterSeconds * 1_000, step.busDown);
      case 'post':
        return this.post(step);
      case 'setTokenRemain':
        return this.wallet.setTokenRemain({ ...this.user(step.user), remain: step.remain });
      case 'emptyRedis': {
        await this.stores.redis.flushdb();
        this.isGuarded = false;
        for (const call of this.calls) call.holdLost ||= call.state === 'reported';
        return;
      }
    }
  }

  /** All processes run until nothing is left to do. */
  async drain(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await this.reconcile();
      for (const partition of this.topic.indexes) {
        for (let batch = this.topic.take(partition, 50); batch; batch = this.topic.take(partition, 50))
          await this.settle(batch, null, true);
      }
      await this.sweep(700_000, false);
      const { open, reported } = await this.wallet.counts();
      if (round > 1 && open + reported === 0) return;
    }
    throw new Error('holds are left that nothing ends');
  }

  private async reserve({ user, amount, minimum, token, seconds }: Step & { do: 'reserve' }): Promise<void> {
    const { userId, tokenId } = this.user(user);
    const owner: HoldOwner = {
      userId,
      tokenId: token === 'none' ? 0 : tokenId,
      tokenUnlimited: token !== 'limited',
      requestId: `call-${freshId()}`,
    };
    const budgeted = amount % 3 === 0 ? undefined : budgetsOf(userId);
    const ask = { ...owner, budgeted, amount, minimum: Math.min(minimum, amount), deadlineMs: this.nowMs + seconds * 1_000 };
    const answer = await this.wallet.reserve(ask);
    const again = await this.wallet.reserve(ask);
    if (answer.ok && (!again.ok || again.amount !== answer.amount)) throw new Error('a repeated reserve says something else');
    if (answer.ok && 'budgets' in answer) owner.heldBudgets = answer.budgets;
    if (answer.ok) this.calls.push({ owner, state: 'open', quotas: new Set(), hasDraft: false, holdLost: false, publishedIn: new Set() });
  }

  private async progress({ call: index, amount, quota, seconds }: Step & { do: 'progress' }): Promise<void> {
    const call = this.call(index);
    if (call?.state !== 'open') return;
    await this.wallet.progress(call.owner, { amount, event: this.eventOf(call, quota), deadlineMs: this.nowMs + seconds * 1_000 });
    call.quotas.add(quota);
    call.hasDraft = true;
  }

  private async report({ call: index, quota, publish, again }: Step & { do: 'report' }): Promise<void> {
    const call = this.call(index);
    if (call?.state !== 'open') return;
    const event = this.eventOf(call, quota);
    const first = await this.wallet.report(call.owner, event);
    if (again) await this.wallet.report(call.owner, event);
    call.state = 'reported';
    call.quotas.add(quota);
    if (!first.accepted) return;
    call.event = JSON.parse(first.json) as UsageRecorded;
    for (let times = 0; times < publish; times++) this.publish(call.event);
  }

  private async release(call: ModelCall | undefined): Promise<void> {
    if (call?.state !== 'open' || call.hasDraft) return; // content was delivered: such a call is reported
    await this.wallet.release(call.owner);
    await this.wallet.release(call.owner);
    call.state = 'released';
  }

  private publish(event: UsageRecorded): void {
    this.topic.publish(event);
    this.calls.find(({ owner }) => owner.requestId === event.id)?.publishedIn.add(this.topic.birth);
  }

  private async settle(batch: TakenBatch, crash: CrashPoint | null, commits: boolean): Promise<void> {
    for (const { coordinates } of batch.deliveries) await this.noteEpoch(coordinates.epoch);
    const task = () => settle(batch.deliveries, { wallet: this.wallet, logsShown: true });
    const died = await dying(crash, task);
    if (!died && commits) this.topic.commit(batch);
  }

  private async noteEpoch(epoch: string): Promise<void> {
    const at = new Date(this.nowMs);
    await SettlementEpoch.updateOne(
      { _id: epoch },
      { $set: { lastSeenAt: at, closedAt: null }, $setOnInsert: { firstSeenAt: at } },
      { upsert: true },
    );
  }

  /** Fifteen minutes later no consumer of an old topic is left, and reconcile finishes it. */
  private async reconcile(): Promise<void> {
    this.clockOffsetMs += 16 * 60_000;
    const ofFormerTopics = this.zombies.filter(({ birth }) => birth !== this.topic.birth);
    for (const zombie of ofFormerTopics) this.zombies.splice(this.zombies.indexOf(zombie), 1);
    await this.noteEpoch(this.topic.epoch);
    await this.wallet.finishPending(0);
    await copyAllUncollected();
    await closeGoneEpochs({ wallet: this.wallet, nowMs: this.nowMs });
  }

  private async sweep(afterMs: number, busDown: boolean): Promise<void> {
    this.clockOffsetMs += afterMs;
    const publish = async (_topic: unknown, messages: { value: unknown }[]) => {
      if (busDown) throw new Error('the bus is down');
      for (const { value } of messages) this.publish(value as UsageRecorded);
    };
    const silent = { warn() {}, error() {} };
    const sweeping = sweep({ wallet: this.wallet, bus: { publish } as never, logger: silent, isBehind: false, nowMs: this.nowMs });
    await (busDown ? sweeping.catch(() => undefined) : sweeping);
  }

  private async post({ user, amount, toToken, crash }: Step & { do: 'post' }): Promise<void> {
    const { userId, tokenId } = this.user(user);
    if (amount < 0) this.isGuarded = false;
    const posting = { id: `post:${freshId()}`, userId, amount, reason: 'model', ...(toToken && amount > 0 && { tokenId }) };
    const died = await dying(crash, () => this.wallet.post(posting));
    if (died && amount % 2 === 0) await this.wallet.post(posting); // the caller retries; otherwise reconcile has to find it
  }

  private eventOf({ owner: { userId, tokenId, requestId, heldBudgets } }: ModelCall, quota: number): UsageRecorded {
    const budgets = heldBudgets && { budgets: heldBudgets.uses };
    return usageEvent({ id: requestId, userId, tokenId, quota, channelId: (userId % 2) + 1, ...budgets });
  }

  private call(index: number): ModelCall | undefined {
    return this.calls[index % Math.max(1, this.calls.length)];
  }

  private user(index: number): ModelUser {
    return this.users[index] as ModelUser;
  }
}
