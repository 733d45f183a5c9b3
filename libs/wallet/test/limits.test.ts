import { freshId, usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type CallWithLimits,
  type Lease,
  type LimitedReservation,
  type LimitRule,
  type LimitRules,
  limitKeys,
  limitRules,
  type ReserveRequest,
  type Subject,
} from '../src/index.ts';

const lifeMs = 60_000;
const inAMinute = () => Date.now() + lifeMs;
const rulesOf = (...[limits, more]: Parameters<typeof limitRules>): LimitRules => {
  const rules = limitRules(limits, more);
  if (rules === undefined) throw new Error('nothing is limited');
  return rules;
};
const within = (windowMs: number, kind: LimitRule['kind'], limit: number): LimitRule => ({
  name: `${kind} in a while`,
  kind,
  windowMs,
  limit,
});
const subject = (): Subject => ({ kind: 'channel', name: freshId() });
type Limited = CallWithLimits['subjects'][number];
const leasesOf = (reserved: LimitedReservation): Lease[] => ('leases' in reserved ? reserved.leases : []);

describe('limits of a call that is held', () => {
  const stores = withMoneyStores();
  type Own = { user?: LimitRules | undefined; token?: LimitRules | undefined; tokens: number };
  /** With limits of the user and the token, followed by other subjects. */
  const reserve = (
    owner: object,
    { limits, others = [], ...more }: { limits?: Own; others?: Limited[] } & Partial<Omit<ReserveRequest, 'limits'>>,
  ) => {
    const request = { amount: 1, deadlineMs: inAMinute(), ...owner, ...more } as ReserveRequest;
    const { userId, tokenId } = request;
    const own: Limited[] = [];
    if (limits?.user !== undefined) own.push({ subject: { kind: 'user', userId }, rules: limits.user });
    if (limits?.token !== undefined) own.push({ subject: { kind: 'token', userId, tokenId }, rules: limits.token });
    const lastIsOptional = others.at(-1)?.subject.kind === 'channel';
    return stores.wallet.reserve({
      ...request,
      limits: limits && { subjects: [...own, ...others], tokens: limits.tokens, lastIsOptional },
    });
  };

  it('let as many of 150 parallel calls through as they allow, of whichever kind they are', async () => {
    const kinds = {
      requests_per_minute: { limit: 50, tokens: 3 },
      requests_per_day: { limit: 50, tokens: 3 },
      tokens_per_minute: { limit: 159, tokens: 3 },
      tokens_per_day: { limit: 159, tokens: 3 },
      concurrent: { limit: 50, tokens: 3 },
    };
    for (const [name, { limit, tokens }] of Object.entries(kinds)) {
      for (const side of ['user', 'token']) {
        const owner = await stores.userWith({ balance: 1_000_000 });
        const limits = { user: undefined, token: undefined, [side]: limitRules({ [name]: limit }), tokens };
        const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => reserve(owner, { limits, requestId: `call-${i}` })));
        const allowed = name.startsWith('tokens') ? 53 : 50;
        expect(
          answers.filter(({ ok }) => ok),
          `${name} of a ${side}`,
        ).to.have.length(allowed);
        const refused = answers.find(({ ok }) => !ok);
        expect(refused).to.deep.include({ ok: false, reason: 'limit' });
        if (refused === undefined || !('reached' in refused)) throw new Error('no limit was named');
        expect(refused.reached).to.deep.include({ used: name.startsWith('tokens') ? 159 : 50, isTooMuch: false });
        expect(refused.reached.rule).to.include({ name, limit });
        expect(refused.reached.subject.kind).to.equal(side);
        expect((await stores.projected(owner.userId)).held, 'a refused call holds nothing').to.equal(allowed);
      }
    }
  });

  it('are counted together or not at all: what the token refuses does not count for the user, nor what the balance refuses', async () => {
    const owner = await stores.userWith({ balance: 10 });
    const limits = { user: limitRules({ requests_per_minute: 3 }), token: limitRules({ requests_per_minute: 1 }), tokens: 1 };
    expect((await reserve(owner, { limits, requestId: 'first' })).ok).to.equal(true);
    expect(await reserve(owner, { limits, requestId: 'second' })).to.deep.include({ reason: 'limit' });
    expect(await reserve(owner, { limits, requestId: 'dear', tokenId: owner.tokenId + 1, amount: 100 })).to.deep.include({
      reason: 'user',
    });
    for (const other of [1, 2]) {
      const reserved = await reserve(owner, { limits, requestId: `other-${other}`, tokenId: owner.tokenId + other });
      expect(leasesOf(reserved).map(({ used }) => used)).to.deep.equal([[1 + other], [1]]);
    }
    expect(await reserve(owner, { limits, requestId: 'last', tokenId: owner.tokenId + 3 })).to.deep.include({ reason: 'limit' });
  });

  it('count a repeated reserve once', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const limits = { user: limitRules({ requests_per_minute: 2, concurrent: 2 }), token: undefined, tokens: 0 };
    const answers = await Promise.all([1, 2, 3].map(() => reserve(owner, { limits })));
    expect(answers.every(({ ok }) => ok)).to.equal(true);
    expect(leasesOf(await reserve(owner, { limits, requestId: 'another' })))
      .to.have.nested.property('[0].used')
      .that.deep.equals([2, 2]);
  });

  it('are put right by the report itself, once, and also where a sweep was quicker', async () => {
    const limits = {
      user: limitRules({ tokens_per_minute: 1_000, concurrent: 5 }),
      token: limitRules({ tokens_per_day: 2_000, concurrent: 5 }),
      tokens: 200,
    };
    for (const how of ['once', 'repeated', 'swept']) {
      const owner = await stores.userWith({ balance: 100 });
      const leases = leasesOf(await reserve(owner, { limits }));
      const ending = { leases, end: { how: 'reported', tokens: 50 } as const };
      if (how === 'swept') await stores.wallet.report(owner, usageEvent({ quota: 1 }));
      const event = usageEvent({ quota: 0 });
      await stores.wallet.report(owner, event, ending);
      if (how === 'repeated') await stores.wallet.report(owner, event, ending);
      const next = leasesOf(await reserve(owner, { limits: { ...limits, tokens: 7 }, requestId: 'next' }));
      expect(
        next.map(({ used }) => used),
        how,
      ).to.deep.equal([
        [57, 1],
        [57, 1],
      ]);
    }
  });

  it('of group, model and channel are asked in the same step: what one of them refuses counts nowhere, and their end is the report', async () => {
    const all = rulesOf({ requests_per_minute: 9, tokens_per_minute: 900, tokens_per_day: 900, concurrent: 9 });
    const [group, model]: Subject[] = [
      { kind: 'group', name: freshId() },
      { kind: 'model', name: freshId() },
    ];
    const others = [group, model].map((of) => ({ subject: of, rules: all })) as Limited[];
    const owner = await stores.userWith({ balance: 100 });
    const limits = { user: all, token: all, tokens: 100 };
    const first = leasesOf(await reserve(owner, { limits, others }));
    expect(first.map(({ used }) => used)).to.deep.equal(Array.from({ length: 4 }, () => [1, 100, 100, 1]));
    const none: Limited = { subject: { kind: 'model', name: freshId() }, rules: rulesOf({ tokens_per_minute: 10 }) };
    const refused = await reserve(owner, { limits, others: [...others, none], requestId: 'refused' });
    expect(refused).to.deep.include({ ok: false, reason: 'limit' });
    expect(refused).to.have.nested.property('reached.subject', none.subject);
    await stores.wallet.report(owner, usageEvent({ quota: 1 }), { leases: first, end: { how: 'reported', tokens: 30 } });
    const next = leasesOf(await reserve(owner, { limits: { ...limits, tokens: 7 }, others, requestId: 'next' }));
    expect(next.map(({ used }) => used)).to.deep.equal(Array.from({ length: 4 }, () => [2, 37, 37, 1]));
  });

  it('leave a channel out that has no room: the call is held and counted for all others, and told when there is', async () => {
    const [group, channel]: Subject[] = [{ kind: 'group', name: freshId() }, subject()];
    const others = [
      { subject: group, rules: rulesOf({ requests_per_minute: 9 }) },
      { subject: channel, rules: rulesOf({ tokens_per_minute: 1_000, requests_per_day: 1, concurrent: 5 }) },
    ] as Limited[];
    const owner = await stores.userWith({ balance: 100 });
    const limits = { user: rulesOf({ requests_per_minute: 9 }), tokens: 10 };
    const taken = await reserve(owner, { limits, others, requestId: 'taken' });
    expect(taken).to.have.property('leftOut', undefined);
    expect(leasesOf(taken).map(({ used }) => used)).to.deep.equal([[1], [1], [1, 10, 1]]);
    const leftOut = await reserve(owner, { limits, others, requestId: 'left-out' });
    expect(leasesOf(leftOut).map(({ used }) => used)).to.deep.equal([[2], [2]]);
    expect(leftOut).to.have.nested.property('leftOut.rule.name', 'requests_per_day');
    expect(leftOut).to.have.nested.property('leftOut.used', 1);
    expect(leftOut).to.have.nested.property('leftOut.waitMs').that.is.within(1, 86_400_000);
    const alone = await reserve(owner, { limits: { tokens: 10 }, others: others.slice(1), requestId: 'alone' });
    expect(alone).to.deep.include({ ok: true, amount: 1, leases: [] });
  });

  it('refuse a call that weighs more than the whole limit for good, and take none that weighs nothing for too much', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const limits = { user: limitRules({ tokens_per_minute: 10 }), token: undefined, tokens: 11 };
    const refused = await reserve(owner, { limits });
    expect(refused).to.have.nested.property('reached.isTooMuch', true);
    expect(refused).not.to.have.nested.property('reached.waitMs');
    expect((await reserve(owner, { limits: { ...limits, tokens: 10 }, requestId: 'whole' })).ok).to.equal(true);
    expect((await reserve(owner, { limits: { ...limits, tokens: 1 }, requestId: 'more' })).ok).to.equal(false);
    expect((await reserve(owner, { limits: { ...limits, tokens: 0 }, requestId: 'none' })).ok).to.equal(true);
  });
});

describe('a lease', () => {
  const stores = withMoneyStores();
  const take = (of: Subject, rules: LimitRules, { tokens = 1, requestId = `call-${freshId()}`, life = lifeMs } = {}) =>
    stores.wallet.lease(of, { rules, tokens, requestId, lifeMs: life });
  const taken = async (...call: Parameters<typeof take>): Promise<Lease> => {
    const answer = await take(...call);
    if (!answer.ok) throw new Error(`refused by ${answer.reached.rule.name} at ${answer.reached.used}`);
    return answer.lease;
  };

  it('is never granted beyond the limit in any stretch of time, nor refused while there is room', async () => {
    const windowMs = 400;
    const [limit, of] = [40, subject()];
    const rules = rulesOf(undefined, [within(windowMs, 'r', limit)]);
    const granted: number[] = [];
    const refused: { from: number; to: number; waitMs: number }[] = [];
    for (const endAt = performance.now() + 3 * windowMs; performance.now() < endAt; ) {
      const from = await stores.wallet.now();
      const answers = await Promise.all(Array.from({ length: 8 }, () => take(of, rules)));
      const to = await stores.wallet.now();
      for (const answer of answers) {
        if (answer.ok) granted.push(answer.lease.atMs);
        else refused.push({ from, to, waitMs: answer.reached.waitMs ?? 0 });
      }
    }
    granted.sort((a, b) => a - b);
    granted.forEach((atMs, i) => {
      expect(granted[i + limit] ?? Number.POSITIVE_INFINITY, `${limit} calls after ${atMs}`).to.be.at.least(atMs + windowMs);
    });
    for (const { from, to, waitMs } of refused) {
      const counted = granted.filter((atMs) => atMs > from - windowMs * (61 / 60) - 1 && atMs <= to);
      expect(counted.length).to.be.at.least(limit);
      expect(waitMs).to.be.within(1, windowMs);
    }
  });

  it('is put right by what the call has used: less where it was counted, more from now on', async () => {
    const of = subject();
    const rules = rulesOf({ tokens_per_minute: 1_000, tokens_per_day: 5_000, requests_per_minute: 100 });
    const usedWith = async (tokens: number) => {
      const probe = await taken(of, rules, { tokens });
      await stores.wallet.endLeases([probe], { how: 'passed' });
      return probe.used.map((used, i) => used - (i === 0 ? 1 : tokens));
    };
    const calls = await Promise.all([1, 2, 3, 4].map(() => taken(of, rules, { tokens: 200 })));
    await stores.wallet.endLeases(calls.slice(0, 2), { how: 'reported', tokens: 50 });
    expect(await usedWith(1)).to.deep.equal([4, 500, 500]);
    await stores.wallet.endLeases(calls.slice(2, 3), { how: 'failed' });
    expect(await usedWith(1), 'a failed call was a request').to.deep.equal([4, 300, 300]);
    await stores.wallet.endLeases(calls.slice(3), { how: 'reported', tokens: 2_000 });
    expect(await usedWith(0), 'what was used beyond the estimate counts').to.deep.equal([4, 2_100, 2_100]);
    expect(await take(of, rules, { tokens: 1 })).to.have.nested.property('reached.used', 2_100);
  });

  it('of a call passed over never was; of one that failed it is no success', async () => {
    const of = subject();
    const rules = rulesOf(undefined, [within(60_000, 'r', 3), within(60_000, 's', 2)]);
    await stores.wallet.endLeases([await taken(of, rules)], { how: 'passed' });
    await stores.wallet.endLeases([await taken(of, rules)], { how: 'failed' });
    expect((await taken(of, rules)).used).to.deep.equal([2, 1]);
    expect((await taken(of, rules)).used).to.deep.equal([3, 2]);
    expect(await take(of, rules)).to.have.nested.property('reached.rule.kind', 'r');
  });

  it('is open until it is ended; one that nobody renews is open no longer than its life', async () => {
    const of = subject();
    const rules = rulesOf({ concurrent: 2 });
    const dying = await taken(of, rules, { life: 150 });
    const living = await taken(of, rules, { life: 150 });
    expect((await take(of, rules)).ok).to.equal(false);
    await stores.wallet.renewLeases([living], lifeMs);
    await untilTrue(async () => (await take(of, rules, { requestId: 'next' })).ok);
    expect((await take(of, rules)).ok, 'the renewed one and the next').to.equal(false);
    await stores.wallet.renewLeases([dying], lifeMs);
    await stores.wallet.endLeases([living], { how: 'reported', tokens: 5 });
    expect((await taken(of, rules)).used).to.deep.equal([2]);
  });

  it('leaves nothing behind when its time is over', async () => {
    const of = subject();
    const rules = rulesOf({ concurrent: 2 }, [within(100, 'r', 5)]);
    await taken(of, rules, { life: 100 });
    expect(await stores.redis.exists(...limitKeys(of))).to.equal(2);
    await untilTrue(async () => (await stores.redis.exists(...limitKeys(of))) === 0);
  });

  it('counts on from a clock that jumped back, and begins anew where one was far ahead', async () => {
    const of = subject();
    const [windows] = limitKeys(of);
    const rules = rulesOf({ requests_per_minute: 5 });
    const now = await stores.wallet.now();
    const written = (aheadMs: number) => {
      const bytes = Buffer.alloc(32);
      for (const [i, value] of [4, now + aheadMs, now + aheadMs, 4].entries()) bytes.writeDoubleLE(value, 8 * i);
      return stores.redis.hset(windows, 'r60000', bytes);
    };
    await written(20_000);
    expect((await taken(of, rules)).used).to.deep.equal([5]);
    expect((await take(of, rules)).ok).to.equal(false);
    await written(3_600_000);
    expect((await taken(of, rules)).used).to.deep.equal([1]);
  });

  it('keeps its sums whatever is counted and corrected', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tokens: fc.nat(10_000), used: fc.option(fc.nat(20_000)), how: fc.constantFrom('failed', 'passed') }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (calls) => {
          const of = subject();
          const rules = rulesOf({ tokens_per_day: 1e12, requests_per_day: 1e12 });
          const leases = await Promise.all(calls.map(({ tokens }) => taken(of, rules, { tokens })));
          let [requests, tokens] = [1, 0];
          for (const [i, { used, how }] of calls.entries()) {
            const lease = leases[i] as Lease;
            await stores.wallet.endLeases([lease], used === null ? { how: how as 'failed' } : { how: 'reported', tokens: used });
            requests += used === null && how === 'passed' ? 0 : 1;
            tokens += used ?? 0;
          }
          expect((await taken(of, rules, { tokens: 0 })).used).to.deep.equal([requests, tokens]);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('rules', () => {
  it('take the smaller of two limits for the same, and none for nothing, windows before calls at once', () => {
    expect(limitRules({ requests_per_minute: 0 })).to.equal(undefined);
    expect(limitRules(undefined)).to.equal(undefined);
    expect(limitRules({}, [within(60_000, 'r', Number.NaN), within(60_000, 's', -1)])).to.equal(undefined);
    const inOrder = (...set: Parameters<typeof limitRules>) =>
      rulesOf(...set).rules.map(({ kind, windowMs, limit }) => [kind, windowMs, limit]);
    expect(inOrder({ requests_per_minute: 9, concurrent: 3 }, [within(60_000, 'r', 4)])).to.deep.equal([
      ['r', 60_000, 4],
      ['c', 0, 3],
    ]);
    expect(inOrder({ requests_per_minute: 3, concurrent: 3 }, [within(60_000, 'r', 4), within(300_000, 's', 1e12)])).to.deep.equal([
      ['r', 60_000, 3],
      ['s', 300_000, 1e12],
      ['c', 0, 3],
    ]);
  });
});

async function untilTrue(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
