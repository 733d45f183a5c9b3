import {
  type BudgetBucketView,
  type BudgetView,
  type ChildToken,
  type NearBudgetView,
  neverMs,
  type Page,
  type RunDetail,
  type RunView,
  type TokenView,
} from '@tollgate/contracts';
import { AuditLog, rows, type UsageLogRow } from '@tollgate/db';
import { openRun } from '@tollgate/wallet';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('Budgets', () => {
  let tollgate: TestConsole;
  let root: Visitor;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    root = tollgate.root;
  });
  after(() => tollgate.close());

  const create = (by: Visitor, body: object = {}) =>
    by.ok<BudgetView>('POST', '/api/budget/', { name: 'Monthly', subject: 'user', amount: 1_000, window: 'month', ...body });
  const own = async (user: Visitor, query = '') => (await user.ok<Page<BudgetView>>('GET', `/api/budget/self?${query}`)).items;

  /** As billing counts it. */
  async function used(id: number, payer: number, quota: number): Promise<void> {
    const from = new Date(Date.now() - 1_000);
    const row = { budgetId: String(id), payer, from, until: new Date(Date.now() + 3_600_000), quota, requests: 2, tokens: 30 };
    await rows.budgetBuckets().insertOne({ _id: `${id}|${payer}|${from.getTime()}`, ...row, version: 1, marks: {} });
  }

  it('of users and their tokens are created, changed and deleted by them, and show what is used', async () => {
    const user = await tollgate.newUser();
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'laptop' });
    const budget = await create(user, {
      subject: 'token',
      subject_id: token.id,
      unit: 'quota',
      time_zone: 'Asia/Shanghai',
      models: ['gpt-*'],
    });
    expect(budget).to.deep.include({ subject_id: String(token.id), user_id: user.id, mode: 'hard', models: ['gpt-*'], by_admin: false });
    expect(new Date((budget.reset_time + 8 * 3600) * 1000).toISOString()).to.match(/-01T00:00:00/);
    await used(budget.id, user.id, 850);
    expect((await own(user))[0]).to.include({ id: budget.id, used: 850, held: 0, percent: 85 });
    expect(await own(user, 'near=90')).to.deep.equal([]);
    expect(await user.ok('PUT', '/api/budget/', { id: budget.id, amount: 10_000, mode: 'soft' })).to.include({
      percent: 8.5,
      mode: 'soft',
    });
    const [bucket] = await user.ok<BudgetBucketView[]>('GET', `/api/budget/${budget.id}/history`);
    expect(bucket).to.include({ quota: 850, requests: 2, tokens: 30 });
    const headers = { cookie: user.cookie ?? '', 'new-api-user': String(user.id) };
    const csv = await (await fetch(`${tollgate.origin}/api/budget/export`, { headers })).text();
    expect(csv).to.include('Asia/Shanghai');
    await user.ok('DELETE', `/api/budget/${budget.id}`);
    expect(await own(user)).to.deep.equal([]);
  });

  it('of an administrator bind a user or a group, who see and cannot change them, and are audited', async () => {
    const user = await tollgate.newUser();
    const [ofUser, ofGroup] = [
      await create(root, { subject_id: user.id, window: 'total' }),
      await create(root, { subject: 'group', subject_id: 'default', unit: 'requests', window: '5h' }),
    ];
    expect(ofUser).to.include({ by_admin: true, reset_time: -1 });
    expect((await own(user)).map(({ id }) => id)).to.deep.equal([ofGroup.id, ofUser.id]);
    for (const { id } of [ofUser, ofGroup]) {
      expect((await user.send('PUT', '/api/budget/', { id, amount: 1 })).success).to.equal(false);
      expect((await user.send('DELETE', `/api/budget/${id}`)).success).to.equal(false);
    }
    await used(ofUser.id, user.id, 990);
    const near = await root.ok<NearBudgetView[]>('GET', '/api/budget/near');
    expect(near.find(({ budget }) => budget === ofUser.id)).to.include({ user_id: user.id, used: 990, percent: 99 });
    const audited = await AuditLog.find({ target: `budget:${ofGroup.id}` }).lean();
    expect(audited.map(({ action }) => action)).to.deep.equal(['budget.create']);
    await root.ok('DELETE', `/api/budget/${ofGroup.id}`);
  });

  it('are refused for the tokens and accounts of others, unknown zones and windows, and beyond ten', async () => {
    const [user, other] = [await tollgate.newUser(), await tollgate.newUser()];
    const token = await other.ok<TokenView>('POST', '/api/token/', { name: 'theirs' });
    const wrong = [
      { subject: 'token', subject_id: token.id },
      { subject_id: other.id },
      { subject: 'group', subject_id: 'default' },
      { time_zone: 'Mars/Olympus' },
      { window: 'fortnight' },
      { amount: -1 },
      { amount: 0.5 },
    ];
    for (const body of wrong) {
      const answer = await user.send('POST', '/api/budget/', { name: 'x', subject: 'user', amount: 1, window: 'day', ...body });
      expect(answer.success, JSON.stringify(body)).to.equal(false);
    }
    const theirs = await create(other);
    expect((await user.send('DELETE', `/api/budget/${theirs.id}`)).success).to.equal(false);
    expect((await user.send('GET', `/api/budget/${theirs.id}/history`)).success).to.equal(false);
    for (let i = 0; i < 10; i++) await create(user);
    expect((await user.send('POST', '/api/budget/', { name: 'x', subject: 'user', amount: 1, window: 'day' })).success).to.equal(false);
  });

  describe('of runs', () => {
    const runs = async (user: Visitor) => (await user.ok<Page<RunView>>('GET', '/api/run/self')).items;
    const child = (key: string, body: object) =>
      fetch(`${tollgate.origin}/api/token/child`, {
        method: 'POST',
        headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'worker', ...body }),
      });

    it('are opened, raised and shown with cost by model and their calls by the owner of the token', async () => {
      const [user, other] = [await tollgate.newUser(), await tollgate.newUser()];
      const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'agent', run_budget: 700 });
      expect(token.run_budget).to.equal(700);
      const run = await user.ok<RunView>('POST', '/api/run', { token_id: token.id, run_id: 'task 1', limit: 1_000 });
      expect(run).to.include({ run_id: 'task 1', limit: 1_000, used: 0, opened_by: 'owner', token_name: 'agent' });
      const from = new Date(0);
      const row = { budgetId: run.id, payer: user.id, from, until: new Date(neverMs), quota: 90, requests: 2, tokens: 30 };
      await rows.budgetBuckets().insertOne({ _id: `${run.id}|${user.id}|0`, ...row, version: 1, marks: {} });
      const budgets = [{ id: run.id, unit: 'quota' as const, from: 0, until: neverMs }];
      const log = (id: string, quota: number, uncollected: number, at: number): UsageLogRow => ({
        ...{ _id: `${run.id}-${id}`, type: 2, at: new Date(at), userId: user.id, tokenId: token.id, model: id, channelId: 1 },
        ...{ promptTokens: 10, completionTokens: 5, quota, uncollected, budgets },
      });
      await rows.usageLogs().insertMany([log('small', 30, 0, 1_000), log('large', 70, 10, 2_000)]);
      const detail = await user.ok<RunDetail>('GET', `/api/run/detail?id=${run.id}`);
      expect(detail.run).to.include({ used: 90, percent: 9 });
      expect(detail.models.map(({ model, quota }) => [model, quota])).to.deep.equal([
        ['large', 60],
        ['small', 30],
      ]);
      expect(detail.calls.map(({ quota, total }) => [quota, total])).to.deep.equal([
        [30, 30],
        [60, 90],
      ]);
      expect(await user.ok('PUT', '/api/run', { id: run.id, limit: 2_000 })).to.include({ limit: 2_000, used: 90 });
      expect(await other.send('PUT', '/api/run', { id: run.id, limit: 1 })).to.include({ success: false });
      expect(await runs(other)).to.deep.equal([]);
      await openRun({ tokenId: token.id, runId: '' }, { userId: user.id, limit: 1, openedBy: 'caller' });
      const shared = (await runs(user)).find(({ run_id: id }) => id === '');
      expect(shared).to.include({ limit: 700 });
      await user.ok('PUT', '/api/run', { id: shared?.id, limit: 800 });
      expect((await user.ok<TokenView>('GET', `/api/token/${token.id}`)).run_budget).to.equal(800);
    });

    it('child tokens are made with the key of their parent, narrower than it in every respect', async () => {
      const user = await tollgate.newUser();
      const expired_time = Math.floor(Date.now() / 1000) + 600;
      const limits = { model_limits_enabled: true, model_limits: 'gpt-4o,gpt-4o-mini', expired_time };
      const parent = await user.ok<TokenView>('POST', '/api/token/', { name: 'agent', unlimited_quota: true, ...limits });
      const made = await child(parent.key, { models: ['gpt-4o'], budget: 0.5, life_seconds: 60, run_id: 'r', run_budget: 2 });
      const { data } = (await made.json()) as { data: ChildToken };
      expect(data)
        .to.include({ parent_id: parent.id, run_id: 'r' })
        .and.deep.include({ models: ['gpt-4o'] });
      expect(data.expired_time).to.be.at.most(Math.floor(Date.now() / 1000) + 61);
      expect((await runs(user))[0]).to.include({ run_id: 'r', limit: 1_000_000, opened_by: 'caller' });
      expect((await own(user, `subject=token&subject_id=${data.id}`))[0]).to.include({ amount: 250_000, window: 'total', mode: 'hard' });
      expect(await user.ok('GET', `/api/token/${data.id}`)).to.include({ parent_id: parent.id, unlimited_quota: true });
      const long = (await (await child(parent.key, { life_seconds: 6_000 })).json()) as { data: ChildToken };
      expect(long.data.expired_time).to.equal(expired_time);
      const refusals = await Promise.all([
        child(parent.key, { models: ['o3'] }),
        child(data.key.slice(3), {}),
        child('wrong', {}),
        child(parent.key, { budget: -1 }),
      ]);
      for (const refusal of refusals) expect(await refusal.json()).to.include({ success: false });
    });
  });
});
