import { rows } from '@tollgate/db';
import { withMoneyStores } from '@tollgate/testing';
import { budgetField, budgetState, walletKey } from '@tollgate/wallet';
import { expect } from 'chai';
import fc from 'fast-check';
import { agreeingBooks, channelBooks, total } from '../books.ts';
import { installCrashPoints } from '../crash-points.ts';
import { type Step, schedule } from './schedule.ts';
import { type ModelCall, modelBudgets, World } from './world.ts';

/** MODEL_RUNS=2000 is the full run; MODEL_SEED and MODEL_PATH repeat a printed failure. */
const { MODEL_RUNS = '120', MODEL_SEED, MODEL_PATH } = process.env;

describe('the money, whatever happens in whatever order', () => {
  const stores = withMoneyStores();
  let restore: () => void;
  before(() => {
    restore = installCrashPoints();
  });
  after(() => restore());

  it(`is exact in ${MODEL_RUNS} random schedules of calls, crashes, redeliveries, duplicates, moves, postings and new topics`, async function () {
    this.timeout(0);
    await fc.assert(fc.asyncProperty(schedule, playAndCheck), {
      numRuns: Number(MODEL_RUNS),
      ...(MODEL_SEED && { seed: Number(MODEL_SEED) }),
      ...(MODEL_PATH && { path: MODEL_PATH }),
    });
  });

  async function playAndCheck(steps: Step[]): Promise<void> {
    const world = new World(stores);
    await world.begin();
    for (const step of steps) {
      await world.play(step);
      await nothingBelowZero(world);
    }
    await world.drain();
    for (const { userId, tokenId } of world.users) {
      const { balance } = await agreeingBooks(userId);
      const projected = await stores.projected(userId);
      if ('balance' in projected) expect(projected, 'what Redis holds').to.include({ balance, held: 0 });
      expect((await stores.projectedToken({ userId, tokenId } as never)).held ?? 0).to.equal(0);
    }
    for (const { userId } of world.users) await checkBudgets(userId);
    let charged = 0;
    for (const call of world.calls) charged += await checkCall(call, world);
    const channels = await Promise.all([1, 2].map(channelBooks));
    expect(total(channels, ({ usedQuota }) => usedQuota)).to.equal(charged);
    const models = await rows.usageByModel().find().toArray();
    expect(total(models, ({ quota, uncollected }) => quota - uncollected)).to.equal(charged);
    for (const by of ['group', 'channel', 'token', 'tokenName'] as const) {
      const parts = await rows.usageByPart().find({ by }).toArray();
      expect(
        total(parts, ({ quota, uncollected }) => quota - uncollected),
        `by ${by}`,
      ).to.equal(charged);
    }
  }

  /** The budgets' buckets are what the log rows of their calls add up to, in the database and in Redis, and nothing is held of them. */
  async function checkBudgets(userId: number): Promise<void> {
    const logs = await rows.usageLogs().find({ userId }).toArray();
    for (const { id, unit } of modelBudgets(userId)) {
      const counted = logs.filter(({ budgets }) => budgets?.some((use) => use.id === id));
      const expected = {
        quota: total(counted, ({ quota, uncollected }) => quota - uncollected),
        requests: counted.length,
        tokens: total(counted, ({ promptTokens, completionTokens }) => promptTokens + completionTokens),
      };
      const buckets = await rows.budgetBuckets().find({ budgetId: id, payer: userId }).toArray();
      for (const name of ['quota', 'requests', 'tokens'] as const) {
        expect(
          total(buckets, (bucket) => bucket[name]),
          `${name} of ${id}`,
        ).to.equal(expected[name]);
      }
      const { spent, held } = budgetState(await stores.redis.hgetBuffer(walletKey(userId), budgetField({ id, unit })));
      if (spent !== undefined) expect({ spent, held }, id).to.deep.equal({ spent: expected[unit], held: 0 });
    }
  }

  /** An answered call has exactly one row, with a quota that it had. Returns what was charged. */
  async function checkCall(call: ModelCall, { topic, isGuarded }: World): Promise<number> {
    const row = await rows.usageLogs().findOne({ _id: call.owner.requestId });
    if (call.state === 'released') expect(row).to.equal(null);
    const mustBeThere = call.state === 'reported' && (!call.holdLost || call.publishedIn.has(topic.birth));
    if (mustBeThere) expect(row, `the log row of ${call.owner.requestId}`).not.to.equal(null);
    if (!row) return 0;
    expect([...call.quotas]).to.include(row.quota);
    if (call.state === 'open') expect(row.endReason).to.equal('relay_lost');
    expect(row.uncollected).to.be.within(0, row.quota);
    if (isGuarded && call.event && row.endReason !== 'relay_lost') expect(row.uncollected).to.equal(call.event.uncollected);
    return row.quota - row.uncollected;
  }

  async function nothingBelowZero({ users }: World): Promise<void> {
    for (const { userId } of users) {
      expect(await stores.storedBalance(userId)).to.be.at.least(0);
      const { balance = 0, held = 0 } = await stores.projected(userId);
      expect(balance).to.be.at.least(0);
      expect(held).to.be.at.least(0);
    }
  }
});
