import { createHash } from 'node:crypto';
import type { Page, TokenView } from '@tollgate/contracts';
import { Token } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('tokens', () => {
  let tollgate: TestConsole;
  let user: Visitor;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
  });
  after(() => tollgate.close());

  it('are made with a key of 48 characters that is stored hashed and sealed only', async () => {
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'first', remain_quota: 500, expired_time: -1 });
    expect(token.key).to.match(/^[0-9a-zA-Z]{48}$/);
    expect(token).to.include({
      status: 1,
      remain_quota: 500,
      unlimited_quota: false,
      expired_time: -1,
      used_quota: 0,
      group: '',
      user_id: user.id,
    });
    const stored = await Token.findOne({ id: token.id }).select('+keySealed').lean();
    expect(stored?.keyHash).to.equal(createHash('sha256').update(token.key).digest('hex'));
    expect(JSON.stringify(stored)).not.to.contain(token.key);
    expect(await user.ok('GET', `/api/token/${token.id}`)).to.deep.equal(token);
  });

  it('are listed newest first, at most 100 a page, and found by name and by key', async () => {
    const owner = await tollgate.newUser();
    const made = [];
    for (const name of ['alpha', 'beta.*', 'Alphabet'])
      made.push(await owner.ok<TokenView>('POST', '/api/token/', { name, unlimited_quota: true }));
    const list = async (path: string) => (await owner.ok<Page<TokenView>>('GET', path)).items.map(({ name }) => name);
    expect(await list('/api/token/?p=1&size=10')).to.deep.equal(['Alphabet', 'beta.*', 'alpha']);
    expect(await list('/api/token/?p=2&size=2')).to.deep.equal(['alpha']);
    expect(await owner.ok('GET', '/api/token/?size=100000')).to.include({ page: 1, page_size: 100, total: 3 });
    expect(await list('/api/token/search?keyword=alpha&token=')).to.deep.equal(['Alphabet', 'alpha']);
    expect(await list(`/api/token/search?keyword=${encodeURIComponent('.*')}`)).to.deep.equal(['beta.*']);
    expect(await list(`/api/token/search?token=sk-${made[0]?.key}`)).to.deep.equal(['alpha']);
    expect(await list(`/api/token/search?token=${made[1]?.key.slice(10, 30)}`)).to.deep.equal(['beta.*']);
    expect(await list('/api/token/search?token=sk-nothing')).to.deep.equal([]);
  });

  it('need a name when they are created, in words', async () => {
    for (const name of ['', '  ', undefined]) {
      const reply = await user.send('POST', '/api/token/', { name, unlimited_quota: true });
      expect(reply, String(name)).to.include({ success: false, code: 'invalid_parameter' });
      expect(reply.message).to.match(/name/);
    }
  });

  it('keep what an edit does not name', async () => {
    const token = await user.ok<TokenView>('POST', '/api/token/', {
      name: 'n',
      remain_quota: 10,
      model_limits_enabled: true,
      model_limits: 'a, b,,a',
      allow_ips: '10.0.0.0/8\n1.2.3.4, ::1',
      drawing_modes: 'relax, fast',
    });
    expect(token).to.include({ model_limits: 'a,b', allow_ips: '10.0.0.0/8\n1.2.3.4\n::1', drawing_modes: 'relax,fast' });
    const edited = await user.ok<TokenView>('PUT', '/api/token/', { id: token.id, name: 'm', remain_quota: 25 });
    expect(edited).to.deep.equal({ ...token, name: 'm', remain_quota: 25, quota_shown: 25, version: 1 });
    const sentBack = await user.ok<TokenView>('PUT', '/api/token/', { ...edited, status: 4, DeletedAt: null });
    expect(sentBack).to.deep.equal(edited);
  });

  it('have limits, each a number from 0 on that an edit leaves alone unless it names it', async () => {
    const none = { requests_per_minute: 0, requests_per_day: 0, tokens_per_minute: 0, tokens_per_day: 0, concurrent: 0 };
    const token = await user.ok<TokenView>('POST', '/api/token/', {
      name: 'limited',
      unlimited_quota: true,
      requests_per_minute: 60,
      concurrent: 3,
    });
    expect(token).to.include({ ...none, requests_per_minute: 60, concurrent: 3 });
    const edited = await user.ok<TokenView>('PUT', '/api/token/', { id: token.id, tokens_per_day: 1e12, requests_per_minute: 0 });
    expect(edited).to.include({ ...none, tokens_per_day: 1e12, concurrent: 3 });
    await user.ok('PUT', '/api/token/batch', { ids: [token.id], set: { requests_per_day: 9 } });
    expect(await user.ok('GET', `/api/token/${token.id}`)).to.include({ tokens_per_day: 1e12, concurrent: 3, requests_per_day: 9 });
    for (const wrong of [-1, 1.5, '5', 1e12 + 1, null, [1], { $gt: 0 }]) {
      for (const name of Object.keys(none)) {
        const answer = await user.send('PUT', '/api/token/', { id: token.id, [name]: wrong });
        expect(answer.code, `${name}: ${JSON.stringify(wrong)}`).to.equal('invalid_parameter');
      }
    }
  });

  it('are switched by status_only, which looks at nothing else', async () => {
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'switch', unlimited_quota: true });
    expect(await user.ok('PUT', '/api/token/?status_only=true', { id: token.id, status: 2, name: 'ignored' })).to.include({
      status: 2,
      name: 'switch',
    });
    expect(await user.ok('PUT', '/api/token/?status_only=true', { id: token.id, status: 1 })).to.include({ status: 1 });
    expect((await user.send('PUT', '/api/token/?status_only=true', { id: token.id, status: 99 })).code).to.equal('invalid_parameter');
  });

  it('show that they are expired or exhausted, and cannot be enabled as such', async () => {
    const expired = await user.ok<TokenView>('POST', '/api/token/', { name: 'old', unlimited_quota: true, expired_time: 1_600_000_000 });
    expect(expired.status).to.equal(3);
    expect((await user.send('PUT', '/api/token/?status_only=true', { id: expired.id, status: 1 })).code).to.equal('token_needs_expiry');
    expect(await user.ok('PUT', '/api/token/', { id: expired.id, expired_time: -1 })).to.include({ status: 1 });
    const exhausted = await user.ok<TokenView>('POST', '/api/token/', { name: 'empty' });
    expect(exhausted.status).to.equal(4);
    expect((await user.send('PUT', '/api/token/?status_only=true', { id: exhausted.id, status: 1 })).code).to.equal('token_needs_quota');
    expect(await user.ok('PUT', '/api/token/', { id: exhausted.id, remain_quota: 5, status: 1 })).to.include({
      status: 1,
      remain_quota: 5,
    });
  });

  it('are gone once deleted', async () => {
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'gone', unlimited_quota: true });
    await user.ok('DELETE', `/api/token/${token.id}/`);
    for (const method of ['GET', 'DELETE']) expect((await user.send(method, `/api/token/${token.id}`)).code).to.equal('record_not_found');
  });

  it('refuse what could never work, each with its reason', async () => {
    for (const [body, message] of [
      [{ name: 'x'.repeat(31) }, /name: .*30/],
      [{ name: 'x', remain_quota: -1 }, /remain_quota/],
      [{ name: 'x', remain_quota: 1.5 }, /remain_quota/],
      [{ name: 'x', remain_quota: 1e18 }, /remain_quota/],
      [{ name: 'x', remain_quota: '5' }, /remain_quota/],
      [{ name: 'x', expired_time: -2 }, /expired_time/],
      [{ name: 'x', allow_ips: '10.0.0.0/33' }, /10\.0\.0\.0\/33 is neither/],
      [{ name: 'x', drawing_modes: 'fast,warp' }, /drawing_modes may hold fast, relax, turbo/],
      [{ name: 'x', allow_ips: 'localhost' }, /localhost is neither/],
      [{ name: 'x', group: 'secret' }, /You may not use the group secret/],
      [{}, /name/],
    ] as const) {
      const reply = await user.send('POST', '/api/token/', body);
      expect(reply, JSON.stringify(body)).to.include({ status: 200, success: false });
      expect(reply.message).to.match(message);
    }
    expect((await user.send('GET', '/api/token/abc')).code).to.equal('invalid_parameter');
  });

  it('are a thousand at most, however many are made at once', async () => {
    const owner = await tollgate.newUser();
    const body = { name: 'many', unlimited_quota: true, count: 100 };
    const replies = await Promise.all(Array.from({ length: 14 }, () => owner.send<TokenView[]>('POST', '/api/token/', body)));
    const made = replies.filter(({ success }) => success).flatMap(({ data }) => data.map(({ id }) => id));
    expect(replies.filter(({ success }) => !success).map(({ code }) => code)).to.include('too_many_tokens');
    const { items, total } = await owner.ok<Page<TokenView>>('GET', '/api/token/?page_size=100');
    expect(total).to.equal(made.length).and.at.most(1000);
    expect(made).to.include.members(items.map(({ id }) => id));
  });

  it('announce every change to those who keep them in memory', async () => {
    const subscriber = new Redis(tollgate.redisUrl);
    const heard: string[] = [];
    await subscriber.psubscribe('config:token:*');
    subscriber.on('pmessage', (_pattern, channel) => heard.push(channel));
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'told', unlimited_quota: true });
    await user.ok('PUT', '/api/token/?status_only=1', { id: token.id, status: 2 });
    await user.ok('DELETE', `/api/token/${token.id}`);
    await eventually(() => expect(heard.filter((channel) => channel === `config:token:${token.id}`)).to.have.length(2));
    subscriber.disconnect();
  });
});
