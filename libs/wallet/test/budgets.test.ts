import { calendarPeriod } from '@tollgate/contracts';
import { rows } from '@tollgate/db';
import { freshId, usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { type BudgetRule, budgetField, budgetState, type HoldOwner, type LimitedReservation, limitRules, walletKey } from '../src/index.ts';

const inAMinute = () => Date.now() + 60_000;
const rule = (given: Partial<BudgetRule> = {}): BudgetRule => ({
  id: `b-${freshId()}`,
  unit: 'quota',
  limit: 1_000,
  window: '1d',
  timeZone: 'UTC',
  ...given,
});
const tokensUsed = (tokens: number) => ({ usage: { ...usageEvent().usage, textInput: tokens, textOutput: 0 } });

describe('budgets', () => {
  const stores = withMoneyStores();

  async function reserve(
    owner: HoldOwner,
    rules: BudgetRule[],
    {
      amount = 100,
      minimum,
      tokens = 10,
      minimumTokens = 1,
    }: { amount?: number; minimum?: number; tokens?: number; minimumTokens?: number } = {},
  ) {
    const budgeted = { rules, tokens, minimumTokens };
    return stores.wallet.reserve({ ...owner, amount, ...(minimum !== undefined && { minimum }), budgeted, deadlineMs: inAMinute() });
  }
  const call = (owner: HoldOwner, requestId = `call-${freshId()}`): HoldOwner => ({ ...owner, requestId });
  const held = (owner: HoldOwner, reserved: LimitedReservation): HoldOwner => {
    if (!reserved.ok || !('budgets' in reserved)) throw new Error(`not held: ${JSON.stringify(reserved)}`);
    return { ...owner, heldBudgets: reserved.budgets };
  };
  const state = async ({ userId }: HoldOwner, budget: BudgetRule) => {
    const { spent, held: heldNow } = budgetState(await stores.redis.hgetBuffer(walletKey(userId), budgetField(budget)));
    return { spent, held: heldNow };
  };
  /** Charges what was reported, as billing does it. */
  async function charge(owner: HoldOwner, calls: HoldOwner[], spent: Record<string, number>, version = 1) {
    const uses = new Map(calls.flatMap(({ heldBudgets }) => heldBudgets?.uses ?? []).map((use) => [use.id, use]));
    const budgets = [...uses.values()].map(({ id, unit, from, until }) => ({
      id,
      unit,
      buckets: [{ from: new Date(from), until: new Date(until), spent: spent[id] ?? 0, version }],
    }));
    const wallet = await rows.wallets().findOne({ _id: owner.userId });
    await stores.wallet.settle([
      {
        userId: owner.userId,
        requestIds: calls.map(({ requestId }) => requestId),
        wallet: { balance: wallet?.balance ?? 0, version: wallet?.version ?? 0 },
        tokens: [],
        budgets,
      },
    ]);
  }

  it('let through exactly what they allow of 200 parallel calls, in every unit and window', async () => {
    const kinds = [
      rule({ window: '5h' }),
      rule({ window: 'month', timeZone: 'Asia/Shanghai' }),
      rule({ unit: 'requests', limit: 10, window: 'day', timeZone: 'America/New_York' }),
      rule({ unit: 'tokens', limit: 105, window: 'total' }),
    ];
    for (const budget of kinds) {
      const owner = await stores.userWith({ balance: 1_000_000 });
      const answers = await Promise.all(Array.from({ length: 200 }, () => reserve(call(owner), [budget], { minimumTokens: 10 })));
      expect(
        answers.filter(({ ok }) => ok),
        `${budget.unit} ${budget.window}`,
      ).to.have.length(10);
      const refused = answers.find(({ ok }) => !ok);
      expect(refused).to.deep.include({ ok: false, reason: 'budget' });
      if (refused === undefined || !('exceeded' in refused)) throw new Error('no budget was named');
      expect(refused.exceeded).to.include({ rule: budget, roomAtMs: 0 });
      expect((await stores.projected(owner.userId)).held).to.equal(1_000);
    }
  });

  it('hold all of a call or nothing, whichever budget, balance or limit refuses', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const [wide, narrow] = [rule(), rule({ unit: 'requests', limit: 1 })];
    expect((await reserve(call(owner), [wide, narrow])).ok).to.equal(true);
    expect(await reserve(call(owner), [wide, narrow])).to.deep.include({ reason: 'budget' });
    expect(await state(owner, wide)).to.deep.equal({ spent: 0, held: 100 });
    expect(await reserve(call(owner), [wide], { amount: 20_000 })).to.deep.include({ reason: 'user' });
    const limits = { subjects: [{ subject: { kind: 'user', userId: owner.userId }, rules: limitRules({ concurrent: 1 }) }], tokens: 1 };
    const both = () =>
      stores.wallet.reserve({
        ...call(owner),
        amount: 1,
        deadlineMs: inAMinute(),
        limits: limits as never,
        budgeted: { rules: [wide], tokens: 1, minimumTokens: 1 },
      });
    expect(await both())
      .to.include({ ok: true })
      .and.have.property('leases');
    expect(await both()).to.deep.include({ reason: 'limit' });
    expect(await state(owner, wide)).to.deep.equal({ spent: 0, held: 101 });
  });

  it('shorten a call to what is left, down to its minimum', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const [money, tokens] = [rule({ limit: 70 }), rule({ unit: 'tokens', limit: 8 })];
    const first = await reserve(call(owner), [money, tokens], { minimum: 20, minimumTokens: 5 });
    expect(first).to.include({ ok: true, amount: 70 }).and.have.nested.property('budgets.tokens', 8);
    expect(await reserve(call(owner), [money], { minimum: 20 })).to.deep.include({ reason: 'budget' });
  });

  it('count without refusing where they have no limit', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const watched = rule({ limit: undefined });
    for (let i = 0; i < 3; i++) await reserve(call(owner), [watched], { amount: 1_000 });
    expect(await state(owner, watched)).to.deep.equal({ spent: 0, held: 3_000 });
  });

  it('take the actual usage from report to charge, and give the rest back', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const rules = [rule(), rule({ unit: 'tokens', limit: 100 }), rule({ unit: 'requests', limit: 2 })];
    const request = call(owner);
    const own = held(request, await reserve(request, rules));
    await stores.wallet.report(own, usageEvent({ id: own.requestId, userId: owner.userId, quota: 40, ...tokensUsed(7) }));
    expect(await Promise.all(rules.map((each) => state(owner, each)))).to.deep.equal([
      { spent: 0, held: 40 },
      { spent: 0, held: 7 },
      { spent: 0, held: 1 },
    ]);
    const [money, tokens, requests] = rules.map(({ id }) => id) as [string, string, string];
    for (let time = 0; time < 2; time++) await charge(owner, [own], { [money]: 40, [tokens]: 7, [requests]: 1 });
    expect(await Promise.all(rules.map((each) => state(owner, each)))).to.deep.equal([
      { spent: 40, held: 0 },
      { spent: 7, held: 0 },
      { spent: 1, held: 0 },
    ]);
    const failed = call(owner);
    await reserve(failed, rules);
    for (let time = 0; time < 2; time++) await stores.wallet.release(failed);
    expect(await state(owner, rules[2] as BudgetRule)).to.deep.equal({ spent: 1, held: 0 });
  });

  it('never take an older value of a bucket, and take a refund', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const budget = rule({ limit: 100 });
    const request = call(owner);
    const own = held(request, await reserve(request, [budget]));
    await charge(owner, [own], { [budget.id]: 90 }, 5);
    await charge(owner, [own], { [budget.id]: 30 }, 4);
    expect(await state(owner, budget)).to.deep.equal({ spent: 90, held: 0 });
    expect(await reserve(call(owner), [budget], { amount: 20 })).to.have.nested.property(
      'exceeded.roomAtMs',
      own.heldBudgets?.uses[0]?.until,
    );
    await charge(owner, [own], { [budget.id]: 0 }, 6);
    expect((await reserve(call(owner), [budget])).ok).to.equal(true);
  });

  it('are rebuilt from what billing charged when Redis loses them, and calls in flight are counted again', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const budget = rule({ limit: 150 });
    const request = call(owner);
    const own = held(request, await reserve(request, [budget], { amount: 50 }));
    const [use] = own.heldBudgets?.uses ?? [];
    if (use === undefined) throw new Error('no bucket');
    const { id, from, until } = use;
    const row = { budgetId: id, payer: owner.userId, from: new Date(from), until: new Date(until), requests: 1, tokens: 1, marks: {} };
    await rows.budgetBuckets().insertOne({ _id: `${id}|${owner.userId}|${from}`, ...row, quota: 60, version: 3 });
    await stores.redis.flushall();
    await stores.wallet.progress(own, { amount: 50, deadlineMs: inAMinute() });
    expect(await reserve(call(owner), [budget], { amount: 41 })).to.have.nested.property('exceeded.used', 110);
    await stores.wallet.report(own, usageEvent({ id: own.requestId, userId: owner.userId, quota: 30 }));
    expect(await state(owner, budget)).to.deep.equal({ spent: 60, held: 30 });
  });

  it('end an overdue call by its draft, or free it', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const budget = rule();
    const [first, second] = [call(owner), call(owner)];
    const [own] = [held(first, await reserve(first, [budget])), await reserve(second, [budget])];
    await stores.wallet.progress(own, {
      event: usageEvent({ id: own.requestId, userId: owner.userId, quota: 15 }),
      deadlineMs: inAMinute(),
    });
    const later = Date.now() + 600_000;
    expect(await stores.wallet.expire(first, later)).to.include({ state: 'reported', lost: true });
    expect(await stores.wallet.expire(second, later)).to.deep.equal({ state: 'released' });
    expect(await state(owner, budget)).to.deep.equal({ spent: 0, held: 15 });
  });

  it('refuse the growth of a stream beyond them', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const budget = rule({ limit: 150 });
    const own = held(owner, await reserve(owner, [budget]));
    expect(await stores.wallet.progress(own, { amount: 200, deadlineMs: inAMinute() })).to.deep.equal({
      ok: false,
      reason: 'budget',
      available: 50,
    });
    expect(await stores.wallet.progress(own, { amount: 140, deadlineMs: inAMinute() })).to.deep.equal({ ok: true, amount: 140 });
    expect(await state(owner, budget)).to.deep.equal({ spent: 0, held: 140 });
  });

  it('return the buckets again when a reserve is repeated', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const budget = rule();
    const first = await reserve(owner, [budget]);
    expect(held(owner, await reserve(owner, [budget])).heldBudgets).to.deep.equal({ ...held(owner, first).heldBudgets, used: [] });
    expect(await state(owner, budget)).to.deep.equal({ spent: 0, held: 100 });
  });
});

describe('a calendar window', () => {
  const at = (text: string) => new Date(text).getTime();
  const iso = (window: 'day' | 'week' | 'month', zone: string, now: string) => {
    const { startMs, endMs, nextEndMs } = calendarPeriod(window, zone, at(now));
    return [startMs, endMs, nextEndMs].map((ms) => new Date(ms).toISOString().slice(0, 16));
  };

  it('begins at local midnight, on Monday, on the first of the month', () => {
    expect(iso('day', 'Asia/Kolkata', '2026-11-26T20:00Z')).to.deep.equal(['2026-11-26T18:30', '2026-11-27T18:30', '2026-11-28T18:30']);
    expect(iso('week', 'UTC', '2026-11-26T20:00Z')).to.deep.equal(['2026-11-23T00:00', '2026-11-30T00:00', '2026-12-07T00:00']);
    expect(iso('month', 'Asia/Shanghai', '2026-12-31T20:00Z')).to.deep.equal(['2026-12-31T16:00', '2027-01-31T16:00', '2027-02-28T16:00']);
  });

  it('has 23 or 25 hours where clocks change, also at midnight', () => {
    expect(iso('day', 'Europe/Berlin', '2026-03-29T12:00Z')).to.deep.equal(['2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00']);
    expect(iso('day', 'America/Havana', '2026-11-01T12:00Z').slice(0, 2)).to.deep.equal(['2026-11-01T04:00', '2026-11-02T05:00']);
    expect(iso('day', 'Africa/Cairo', '2026-04-24T12:00Z').slice(0, 2)).to.deep.equal(['2026-04-23T22:00', '2026-04-24T21:00']);
  });
});
