import type { LogView, Page, RedemptionView, UserView } from '@tollgate/contracts';
import { AuditLog, LedgerEntry, Redemption } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('Redemption codes', () => {
  let tollgate: TestConsole;
  let root: Visitor;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    root = tollgate.root;
  });
  after(() => tollgate.close());

  const make = (body: object = {}) => root.ok<string[]>('POST', '/api/redemption/', { name: 'gift', quota: 1000, ...body });
  const find = async (key: string) => {
    const { items } = await root.ok<Page<RedemptionView>>('GET', `/api/redemption/search?keyword=${key}`);
    expect(items.map((item) => item.key)).to.deep.equal([key]);
    return items[0] as RedemptionView;
  };
  const quotaOf = async (user: Visitor) => (await user.ok<UserView>('GET', '/api/user/self')).quota;

  it('are made up to 100 at once, and listed the newest first', async () => {
    const keys = await make({ name: 'batch', quota: 5, count: 100 });
    expect(new Set(keys)).to.have.property('size', 100);
    for (const key of keys) expect(key).to.match(/^[0-9a-f]{32}$/);
    const { items, ...page } = await root.ok<Page<RedemptionView>>('GET', '/api/redemption/?p=0&page_size=2');
    expect(page).to.include({ page: 1, page_size: 2 });
    expect(items.map((item) => item.key)).to.deep.equal(keys.slice(-2).reverse());
    expect(items[0]).to.include({ name: 'batch', quota: 5, status: 1, user_id: root.id, used_user_id: 0, redeemed_time: 0, count: 0 });
  });

  it('are named after what they are worth where no name is given', async () => {
    const nameOf = async (body: object) => (await find((await root.ok<string[]>('POST', '/api/redemption/', body))[0] ?? '')).name;
    expect(await nameOf({ quota: 100_000 })).to.equal('$0.20');
    expect(await nameOf({ name: ' ', quota: 1_000_000 })).to.equal('$2.00');
    await root.ok('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'false' });
    const names = [9999, 10_000, 1_000_000, 2_500_000_000].map((quota) => nameOf({ name: '', quota }));
    expect(await Promise.all(names)).to.deep.equal(['9999', '10.0k', '1.0M', '2.5B']);
    await root.ok('PUT', '/api/option/', { key: 'DisplayInCurrencyEnabled', value: 'true' });
  });

  it('are found by id, a part of the name, or the whole code, and by no part of it', async () => {
    const [key = ''] = await make({ name: 'Ostern.*' });
    const row = await find(key);
    const ids = async (keyword: string) =>
      (await root.ok<Page<RedemptionView>>('GET', `/api/redemption/search?keyword=${encodeURIComponent(keyword)}`)).items.map(
        ({ id }) => id,
      );
    expect(await ids(String(row.id))).to.deep.equal([row.id]);
    expect(await ids('stern.*')).to.deep.equal([row.id]);
    expect(await ids('x.*')).to.deep.equal([]);
    expect(await ids(key.slice(0, 20))).to.deep.equal([]);
    expect(await root.ok('GET', `/api/redemption/${row.id}`)).to.deep.equal(row);
  });

  it('give their quota to whoever redeems them first, say so in his log, and then are used', async () => {
    const [user, other] = await Promise.all([tollgate.newUser(), tollgate.newUser()]);
    const [key = ''] = await make({ quota: 1234 });
    const { id } = await find(key);
    expect(await user.ok('POST', '/api/user/topup', { key: ` ${key}\n` })).to.equal(1234);
    expect(await quotaOf(user)).to.equal(1234);
    const { items } = await user.ok<Page<LogView>>('GET', '/api/log/self/?type=1');
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ type: 1, quota: 1234, username: user.username, content: `Redeemed 1,234 quota with code ${id}` });
    for (const visitor of [user, other])
      expect(await visitor.send('POST', '/api/user/topup', { key })).to.include({
        success: false,
        code: 'redemption_code_used',
        message: 'This redemption code has been used',
      });
    const used = await find(key);
    expect(used).to.include({ status: 3, used_user_id: user.id, used_username: user.username });
    expect(used.redeemed_time).to.be.greaterThan(0);
    expect(await quotaOf(other)).to.equal(0);
  });

  it('give their quota once, however many redeem them at the same time', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => tollgate.newUser()));
    const [key = ''] = await make({ quota: 777 });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => users[index % 5]?.send('POST', '/api/user/topup', { key })));
    expect(replies.filter((reply) => reply?.success)).to.have.length(1);
    for (const reply of replies.filter((each) => !each?.success)) expect(reply?.code).to.equal('redemption_code_used');
    const quotas = await Promise.all(users.map(quotaOf));
    expect(quotas.toSorted((a, b) => a - b)).to.deep.equal([0, 0, 0, 0, 777]);
  });

  it('are credited once when the console died after taking them, at whatever point', async () => {
    const user = await tollgate.newUser();
    const redeemed = { status: 3, usedUserId: user.id, usedUsername: user.username, redeemedAt: new Date(), isOwed: true };
    const codes = await Promise.all((await make({ quota: 10, count: 3 })).map(find));
    for (const { id } of codes) await Redemption.updateOne({ id }, { $set: redeemed, $inc: { version: 1 } });
    // The first died before the ledger heard of it, the second while the entry was pending, the third when all was said.
    const entry = { userId: user.id, amount: 10, reason: 'redeem', at: new Date() };
    await LedgerEntry.create({ ...entry, _id: `redeem:${codes[1]?.id}`, state: 'pending' });
    await tollgate.restart();
    await eventually(async () => expect(await Redemption.countDocuments({ isOwed: true })).to.equal(0));
    expect(await quotaOf(user)).to.equal(30);
    await Redemption.updateOne({ id: codes[2]?.id }, { $set: { isOwed: true } });
    await tollgate.restart();
    await eventually(async () => expect(await Redemption.countDocuments({ isOwed: true })).to.equal(0));
    expect(await quotaOf(user)).to.equal(30);
  });

  it('that are unknown, disabled or deleted give nothing', async () => {
    const user = await tollgate.newUser();
    const [disabled = '', deleted = ''] = await make({ count: 2 });
    await root.ok('PUT', '/api/redemption/?status_only=true', { id: (await find(disabled)).id, status: 2 });
    await root.ok('DELETE', `/api/redemption/${(await find(deleted)).id}/`);
    for (const key of [disabled, deleted, 'ffffffffffffffffffffffffffffffff', disabled.slice(1)])
      expect(await user.send('POST', '/api/user/topup', { key })).to.include({
        code: 'invalid_redemption_code',
        message: 'Invalid redemption code',
      });
    const inChinese = await user.send('POST', '/api/user/topup', { key: 'x' }, { 'accept-language': 'zh' });
    expect(inChinese.message).to.equal('无效的兑换码');
    for (const key of ['', '  ', { $ne: '' }, ['x'], 5, 'x'.repeat(65)])
      expect((await user.send('POST', '/api/user/topup', { key })).code).to.equal('invalid_parameter');
    expect(await quotaOf(user)).to.equal(0);
  });

  it('are edited while they are unused, switched while they are not used, and history afterwards', async () => {
    const [key = ''] = await make({ name: 'before', quota: 10 });
    const row = await find(key);
    const edited = await root.ok<RedemptionView>('PUT', '/api/redemption/', { ...row, name: 'after', quota: 20 });
    expect(edited).to.deep.equal({ ...row, name: 'after', quota: 20, version: 1 });
    expect(await root.ok('PUT', '/api/redemption/?status_only=true', { id: row.id, status: 2, name: 'x' })).to.include({
      status: 2,
      name: 'after',
    });
    expect((await root.send('PUT', '/api/redemption/', { id: row.id, quota: 30 })).code).to.equal('redemption_code_disabled');
    expect(await root.ok('PUT', '/api/redemption/?status_only=true', { id: row.id, status: 1 })).to.include({ status: 1 });
    expect((await root.send('PUT', '/api/redemption/', { id: row.id, version: 0, quota: 30 })).code).to.equal('conflict');
    const user = await tollgate.newUser();
    expect(await user.ok('POST', '/api/user/topup', { key })).to.equal(20);
    for (const [path, change] of [
      ['/api/redemption/', { quota: 40 }],
      ['/api/redemption/', { status: 1 }],
      ['/api/redemption/?status_only=true', { status: 1 }],
      ['/api/redemption/?status_only=true', { status: 2 }],
    ] as const)
      expect((await root.send('PUT', path, { id: row.id, ...change })).code, path).to.equal('redemption_code_used');
    await root.ok('DELETE', `/api/redemption/${row.id}`);
    expect((await root.send('GET', `/api/redemption/${row.id}`)).code).to.equal('record_not_found');
    expect((await root.send('DELETE', `/api/redemption/${row.id}`)).code).to.equal('record_not_found');
  });

  it('refuse what makes no sense', async () => {
    for (const body of [
      { name: 'x'.repeat(21) },
      { quota: 0 },
      { quota: -5 },
      { quota: 1.5 },
      { quota: 1e16 },
      { count: 0 },
      { count: 101 },
      { count: 1.5 },
    ]) {
      const reply = await root.send('POST', '/api/redemption/', { name: 'n', quota: 1, count: 1, ...body });
      expect(reply, JSON.stringify(body)).to.include({ success: false, code: 'invalid_parameter' });
    }
  });

  it('are no secret of the database: it holds them sealed, and the audit log not at all', async () => {
    const [key = ''] = await make();
    await root.ok('PUT', '/api/redemption/', { id: (await find(key)).id, name: 'renamed' });
    const stored = JSON.stringify([await Redemption.find().lean(), await AuditLog.find().lean()]);
    expect(stored).to.contain('redemption.update');
    expect(stored).not.to.contain(key);
  });
});
