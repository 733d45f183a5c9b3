import type { BudgetBucketView, BudgetView, NearBudgetView, Page, TokenView } from '@tollgate/contracts';
import { AuditLog, rows } from '@tollgate/db';
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
});
