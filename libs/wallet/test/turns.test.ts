import { usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { type HoldOwner, holdKey, indexKey, openWallet, type Wallet, walletKey } from '../src/index.ts';

const inAMinute = () => Date.now() + 60_000;

describe('calls of one user in one turn', () => {
  const stores = withMoneyStores();
  let redis: Redis;
  let wallet: Wallet;
  let sent: string[] = [];

  before(() => {
    redis = stores.redis.duplicate({ enableAutoPipelining: false });
    const words: (() => void)[] = [];
    const turn = {
      atEnd(say: () => void) {
        words.push(say);
        if (words.length > 1) return;
        setImmediate(() => {
          for (const each of words.splice(0)) each();
        });
      },
    };
    wallet = openWallet({ redis, turn });
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, stream) => {
      sent.push(command.name);
      return send(command, stream);
    };
  });
  beforeEach(() => {
    sent = [];
  });
  after(async () => void (await redis.quit()));

  const held = async (userId: number) => numbers(await stores.redis.hmget(walletKey(userId), 'held', 'reported'));
  const numbers = (texts: (string | null)[]) => texts.map((text) => Number(text ?? 0));

  it('cost one command to reserve and one to report', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const calls = Array.from({ length: 20 }, (_, i) => ({ ...owner, requestId: `call-${i}` }));
    const round = async (name: string) => {
      const own = calls.map((call) => ({ ...call, requestId: `${name}-${call.requestId}` }));
      const reserved = await Promise.all(own.map((call) => wallet.reserve({ ...call, amount: 10, deadlineMs: inAMinute() })));
      expect(reserved).to.deep.equal(Array(20).fill({ ok: true, amount: 10 }));
      const events = own.map(({ requestId: id }) => usageEvent({ id, quota: 3 }));
      const reported = await Promise.all(own.map((call, i) => wallet.report(call, events[i] as (typeof events)[number])));
      expect(reported).to.deep.equal(events.map((event) => ({ uncollected: 0, accepted: true, json: JSON.stringify(event) })));
    };
    await round('first'); // loads the scripts and the balance
    sent = [];
    await round('second');
    expect(sent).to.deep.equal(['evalsha', 'evalsha']);
    expect(await held(owner.userId)).to.deep.equal([120, 120]);
  });

  it('are let through as far as the balance goes', async () => {
    for (const remain of [undefined, 1_000]) {
      const owner = await stores.userWith({ balance: 1_000, ...(remain !== undefined && { remain }) });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          wallet.reserve({ ...owner, requestId: `call-${i}`, amount: 100, minimum: 60, deadlineMs: inAMinute() }),
        ),
      );
      expect(answers.filter(({ ok }) => ok)).to.have.length(10);
      expect(answers.find(({ ok }) => !ok)).to.deep.equal({ ok: false, reason: 'user', available: 0 });
      expect(await held(owner.userId)).to.deep.equal([1_000, 0]);
    }
  });

  it('get the part that is left where that is enough, and are told what nothing covered', async () => {
    const owner = await stores.userWith({ balance: 250 });
    const calls = ['a', 'b', 'c'].map((requestId) => ({ ...owner, requestId }));
    const answers = await Promise.all(calls.map((call) => wallet.reserve({ ...call, amount: 100, minimum: 40, deadlineMs: inAMinute() })));
    expect(answers.map((answer) => answer.ok && answer.amount)).to.deep.equal([100, 100, 50]);
    const reported = await Promise.all(calls.map((call) => wallet.report(call, usageEvent({ quota: 90 }))));
    expect(reported.map(({ uncollected }) => uncollected).sort((a, b) => a - b)).to.deep.equal([0, 0, 20]);
    expect(await held(owner.userId)).to.deep.equal([250, 250]);
  });

  it('do not suffer from one that Redis cannot serve', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const calls = ['well', 'broken', 'also-well'].map((requestId) => ({ ...owner, requestId }));
    await Promise.all(calls.map((call) => wallet.reserve({ ...call, amount: 10, deadlineMs: inAMinute() })));
    await stores.redis.set(holdKey(owner.userId, 'broken'), 'of somebody else');
    const reported = await Promise.allSettled(calls.map((call) => wallet.report(call, usageEvent({ quota: 4 }))));
    expect(reported.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await held(owner.userId)).to.deep.equal([18, 8]);
  });

  it('keep the books even, whatever comes together and however often', async () => {
    const step = fc.record({
      call: fc.nat(6),
      do: fc.constantFrom('reserve', 'report', 'release', 'settle'),
      amount: fc.nat(300),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }), async (turns) => {
        const owner = await stores.userWith({ balance: 100_000 });
        for (const [turn, steps] of turns.entries()) {
          await Promise.all(steps.map((each) => act({ ...owner, requestId: `call-${each.call}` }, { ...each, turn })));
        }
        const { sums, misplaced } = await standing(owner.userId);
        expect(await held(owner.userId)).to.deep.equal(sums);
        expect(misplaced).to.deep.equal([]);
      }),
      { numRuns: 15 },
    );
  });

  type Step = { do: string; amount: number; turn: number };

  function act(owner: HoldOwner, { do: verb, amount, turn }: Step): Promise<unknown> {
    if (verb === 'reserve') return wallet.reserve({ ...owner, amount, deadlineMs: inAMinute() });
    if (verb === 'report') return wallet.report(owner, usageEvent({ id: `${owner.requestId}-${turn}`, quota: amount }));
    if (verb === 'release') return wallet.release(owner);
    return wallet.settle([{ userId: owner.userId, requestIds: [owner.requestId], wallet: { balance: 100_000, version: 1 }, tokens: [] }]);
  }

  /** The sums of all holds and of the reported ones, and the number that the index classifies differently. */
  async function standing(userId: number) {
    const sums = [0, 0];
    const misplaced: string[] = [];
    for (const key of await stores.redis.keys(holdKey(userId, '*'))) {
      const [state, amount] = await stores.redis.hmget(key, 'state', 'amount');
      const score = Number(await stores.redis.zscore(indexKey(userId), key));
      const isReported = state === 'reported';
      if (isReported !== score >= 1e14) misplaced.push(key);
      for (const i of isReported ? [0, 1] : [0]) sums[i] = (sums[i] ?? 0) + Number(amount);
    }
    return { sums, misplaced };
  }
});
