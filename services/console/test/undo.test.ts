import type { ChannelTestView, ChannelView, Page, RedemptionView, TokenView, UndoResult, UserView } from '@tollgate/contracts';
import { AuditLog, Channel, ChannelTest, Undo } from '@tollgate/db';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Reply, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';

describe('what was done lately is taken back', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
  });
  after(() => tollgate.close());

  const root = <T>(method: string, path: string, body?: unknown) => tollgate.root.ok<T>(method, path, body);
  const takeBack = (id: string, who: Visitor = tollgate.root) => who.send<UndoResult>('POST', '/api/undo', { id });

  /** Does something; answers by what name it can be taken back. */
  async function undoOf(
    method: string,
    path: string,
    { body, who = tollgate.root }: { body?: unknown; who?: Visitor } = {},
  ): Promise<string> {
    const reply = (await who.send(method, path, body)) as Reply & { undo?: string };
    expect(reply.success, reply.message).to.equal(true);
    expect(reply.undo, `${method} ${path}`).to.be.a('string');
    return reply.undo as string;
  }

  /** The notices that an act leaves. */
  async function noticesOf(act: () => Promise<unknown>): Promise<string[]> {
    const redis = new Redis(tollgate.redisUrl);
    const heard: string[] = [];
    await redis.psubscribe('config:*');
    redis.on('pmessage', (_pattern, channel: string) => heard.push(channel));
    await act();
    await redis.punsubscribe();
    await redis.quit();
    return heard;
  }

  describe('of channels', () => {
    const listed = async (query = '') => (await root<Page<ChannelView>>('GET', `/api/channel/?page_size=100&id_sort=true&${query}`)).items;
    /** Every field of every channel but what counts its changes. */
    const rows = async () =>
      (await Channel.find().select('+keySealed +keyDigest').sort({ id: 1 }).lean()).map(({ version: _, changes: __, ...row }) => row);

    beforeEach(async () => {
      await Channel.deleteMany({});
      await root('POST', '/api/channel/', { name: 'main', type: 1, key: 'k1\nk2\nk3', models: 'gpt-4o', tag: 'main', priority: 1 });
      await root('POST', '/api/channel/', { name: 'spare', type: 14, key: 'k4', models: 'claude-3-5-haiku' });
    });

    it('by a filter: those that it changed, once, with one notice and one row in the audit log', async () => {
      const [first] = await listed();
      await root('PUT', '/api/channel/', { id: first?.id, status: 2 });
      const before = await rows();
      const undo = await undoOf('PUT', '/api/channel/batch', { body: { filter: {}, set: { status: 2, priority: 9 } } });
      expect((await listed('status=2')).length).to.equal(4);
      const audited = await AuditLog.countDocuments();
      let reply: Reply<UndoResult> | undefined;
      const notices = await noticesOf(async () => {
        reply = await takeBack(undo);
      });
      expect(reply?.data).to.deep.equal({ undone: 4, of: 4 });
      expect(await rows()).to.deep.equal(before);
      expect(notices).to.have.length(1);
      const [row, ...more] = await AuditLog.find().sort({ _id: 1 }).skip(audited).lean();
      expect(more).to.deep.equal([]);
      expect(row).to.deep.include({ action: 'channel.undo', target: 'channels:4' });
      expect(row?.after).to.deep.include({ of: 'channel.update_many' });
      expect(await takeBack(undo)).to.include({ success: false, code: 'undo_gone' });
      expect(await rows()).to.deep.equal(before);
    });

    it('without undoing what somebody changed since', async () => {
      const undo = await undoOf('PUT', '/api/channel/batch', { body: { filter: {}, set: { weight: 5 } } });
      const [{ id: changedToo = 0 } = {}, { id: changedElse = 0 } = {}, { id: changedAndBack = 0 } = {}, { id: gone = 0 } = {}] =
        await listed();
      await root('PUT', '/api/channel/', { id: changedToo, weight: 7 });
      await root('PUT', '/api/channel/', { id: changedElse, name: 'renamed' });
      for (const weight of [6, 5]) await root('PUT', '/api/channel/', { id: changedAndBack, weight });
      await root('DELETE', `/api/channel/${gone}`);
      expect((await takeBack(undo)).data).to.deep.equal({ undone: 1, of: 4 });
      const weights = new Map((await listed()).map(({ id, name, weight }) => [id, `${name} ${weight}`]));
      expect([...weights.keys()]).not.to.include(gone);
      expect(weights.get(changedToo)).to.match(/ 7$/);
      expect(weights.get(changedElse)).to.equal('renamed 0');
      expect(weights.get(changedAndBack)).to.match(/ 5$/);
    });

    it('deleted by a click, by their ids or because they were off, with their keys and last tests', async () => {
      const [{ id = 0 } = {}, { id: other = 0 } = {}, { id: off = 0 } = {}] = await listed();
      await ChannelTest.create({ channelId: id, at: new Date(), model: 'gpt-4o', durationMs: 12 });
      await root('PUT', '/api/channel/', { id: off, status: 2 });
      const before = await rows();
      for (const [method, path, body, count] of [
        ['DELETE', `/api/channel/${id}`, undefined, 1],
        ['POST', '/api/channel/batch', { ids: [id, other] }, 2],
        ['DELETE', '/api/channel/disabled', undefined, 1],
      ] as const) {
        const undo = await undoOf(method, path, { body });
        expect((await listed()).length, path).to.equal(4 - count);
        expect((await takeBack(undo)).data).to.deep.equal({ undone: count, of: count });
        const withoutSeal = (all: Awaited<ReturnType<typeof rows>>) => all.map(({ keySealed: _, ...row }) => row);
        expect(withoutSeal(await rows()), path).to.deep.equal(withoutSeal(before));
      }
      expect(
        (await listed('keyword=k4')).map((channel) => channel.id),
        'found by its key',
      ).to.deep.equal([id]);
      const [test] = await root<ChannelTestView[]>('GET', `/api/channel/${id}/tests`);
      expect(test).to.include({ model: 'gpt-4o' });
    });

    it('of a tag: switched, weighed, renamed, dissolved, put on and taken off', async () => {
      const ids = (await listed()).map(({ id }) => id);
      const before = await rows();
      for (const [method, path, body] of [
        ['POST', '/api/channel/tag/disabled', { tag: 'main' }],
        ['PUT', '/api/channel/tag', { tag: 'main', priority: 4 }],
        ['PUT', '/api/channel/tag', { tag: 'main', weight: 4 }],
        ['PUT', '/api/channel/tag', { tag: 'main', new_tag: 'other', models: 'gpt-4o-mini', groups: 'vip', model_mapping: '{"a":"b"}' }],
        ['PUT', '/api/channel/tag', { tag: 'main', new_tag: '' }],
        ['POST', '/api/channel/batch/tag', { ids, tag: 'all' }],
        ['POST', '/api/channel/batch/tag', { ids, tag: null }],
      ] as const) {
        const undo = await undoOf(method, path, { body });
        expect(await rows(), path).not.to.deep.equal(before);
        expect((await takeBack(undo)).data.undone, path).to.be.at.least(3);
        expect(await rows(), path).to.deep.equal(before);
      }
      const nothing = (await tollgate.root.send('POST', '/api/channel/tag/enabled', { tag: 'main' })) as Reply & { undo?: string };
      expect(nothing.undo, 'nothing was changed').to.equal(undefined);
    });

    it('all of 5000, as one record', async function () {
      this.timeout(60_000);
      const [{ _id: _, ...like } = {} as never] = await Channel.find().select('+keySealed +keyDigest').limit(1).lean();
      await Channel.collection.insertMany(Array.from({ length: 4996 }, (_each, index) => ({ ...like, id: 1_000_000 + index })));
      const undo = await undoOf('PUT', '/api/channel/batch', { body: { filter: {}, set: { weight: 3, models: 'gpt-4o,gpt-4o-mini' } } });
      expect(await Undo.countDocuments({ _id: undo })).to.equal(1);
      const notices = await noticesOf(async () => expect((await takeBack(undo)).data).to.deep.equal({ undone: 5000, of: 5000 }));
      expect(notices).to.have.length(1);
      expect(await Channel.countDocuments({ weight: 3 })).to.equal(0);
    });

    it('only by who did it, while he may, and not for ever', async () => {
      const admin = await tollgate.newUser({ admin: true });
      const change = { filter: {}, set: { weight: 8 } };
      const undo = await undoOf('PUT', '/api/channel/batch', { body: change, who: admin });
      expect(await takeBack(undo)).to.include({ code: 'undo_gone' });
      await root('POST', '/api/user/manage', { id: admin.id, action: 'demote' });
      expect(await takeBack(undo, admin)).to.include({ success: false });
      expect(await Channel.countDocuments({ weight: 8 })).to.equal(4);
      await Undo.updateOne({ _id: undo }, { expiresAt: new Date(Date.now() - 1) });
      await root('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
      expect(await takeBack(undo, admin)).to.include({ code: 'undo_gone' });
      for (const body of [{}, { id: '' }, { id: undo, ids: [1] }, { id: 'x'.repeat(65) }, { id: { $ne: '' } }])
        expect((await tollgate.root.send('POST', '/api/undo', body)).success, JSON.stringify(body)).to.equal(false);
    });
  });

  it('of tokens: a deleted one has the same key and the same quota, and nothing was paid twice', async () => {
    const made = await user.ok<TokenView[]>('POST', '/api/token/', { name: 'robot', remain_quota: 700, count: 3 });
    const [first] = made;
    const mine = async () =>
      (await user.ok<Page<TokenView>>('GET', '/api/token/?page_size=100')).items.map(({ version: _, ...token }) => token);
    const before = await mine();
    for (const [method, path, body, count] of [
      ['DELETE', `/api/token/${first?.id}`, undefined, 1],
      ['POST', '/api/token/batch', { filter: { keyword: 'robot' } }, 3],
      ['PUT', '/api/token/batch', { filter: { keyword: 'robot' }, set: { status: 2, allow_ips: '10.0.0.1' } }, 3],
    ] as const) {
      const undo = await undoOf(method, path, { body, who: user });
      expect(await takeBack(undo), 'somebody else').to.include({ code: 'undo_gone' });
      const notices = await noticesOf(async () => expect((await takeBack(undo, user)).data).to.deep.equal({ undone: count, of: count }));
      expect(notices, path).to.have.length(1);
      expect(await mine(), path).to.deep.equal(before);
    }
  });

  it('as far as the last fifty deeds of one person', async () => {
    const busy = await tollgate.newUser();
    await busy.ok('POST', '/api/token/', { name: 'toggled', unlimited_quota: true });
    const undos: string[] = [];
    for (let deed = 0; deed < 53; deed += 1)
      undos.push(await undoOf('PUT', '/api/token/batch', { body: { filter: {}, set: { status: 2 - (deed % 2) } }, who: busy }));
    expect(await Undo.countDocuments({ userId: busy.id })).to.equal(50);
    expect(await takeBack(undos[2] ?? '', busy)).to.include({ code: 'undo_gone' });
    expect((await takeBack(undos.at(-1) ?? '', busy)).data).to.deep.equal({ undone: 1, of: 1 });
  });

  it('of a redemption code, which is worth what it was, once', async () => {
    const [key = ''] = await root<string[]>('POST', '/api/redemption/', { name: 'spring', quota: 1234, count: 1 });
    const [{ id = 0 } = {}] = (await root<Page<RedemptionView>>('GET', '/api/redemption/')).items;
    const undo = await undoOf('DELETE', `/api/redemption/${id}`);
    expect((await user.send('POST', '/api/user/topup', { key })).code).to.equal('invalid_redemption_code');
    expect((await takeBack(undo)).data).to.deep.equal({ undone: 1, of: 1 });
    expect(await user.ok('POST', '/api/user/topup', { key })).to.equal(1234);
    const again = await undoOf('DELETE', `/api/redemption/${id}`);
    expect((await takeBack(again)).data).to.deep.equal({ undone: 1, of: 1 });
    expect((await user.send('POST', '/api/user/topup', { key })).code).to.equal('redemption_code_used');
  });

  it('by one of many who ask at once: only that one has done it, and the audit log says so', async () => {
    const closed = await tollgate.newUser();
    const undo = await undoOf('DELETE', `/api/user/${closed.id}`);
    const replies = await Promise.all(Array.from({ length: 20 }, () => takeBack(undo)));
    expect(replies.reduce((sum, { data }) => sum + (data?.undone ?? 0), 0)).to.equal(1);
    expect(await AuditLog.countDocuments({ action: 'user.undo', target: `user:${closed.id}` })).to.equal(1);
  });

  it('of an account, but not of one that its owner closed at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const closed = await tollgate.newUser();
      const deed = tollgate.root.send('DELETE', `/api/user/${closed.id}`) as Promise<Reply & { undo?: string }>;
      const [{ undo }, own] = await Promise.all([deed, closed.send('DELETE', '/api/user/self')]);
      if (undo !== undefined) await takeBack(undo);
      const again = await tollgate.anonymous.send('POST', '/api/user/login', { username: closed.username, password: testPassword });
      expect(own.success && again.success, 'closed by himself, and open').to.equal(false);
    }
  });

  it('of an account: it signs in again, and has what it had; who stands higher by then is left alone', async () => {
    const closed = await tollgate.newUser();
    await root('PUT', '/api/user/', { id: closed.id, add_quota: 500 });
    const before = await root<UserView>('GET', `/api/user/${closed.id}`);
    for (const [method, path, body] of [
      ['POST', '/api/user/manage', { id: closed.id, action: 'delete' }],
      ['DELETE', `/api/user/${closed.id}`, undefined],
    ] as const) {
      const undo = await undoOf(method, path, { body });
      const credentials = { username: closed.username, password: 'correct horse' };
      expect((await tollgate.anonymous.send('POST', '/api/user/login', credentials)).success).to.equal(false);
      expect((await closed.send('GET', '/api/user/self')).status, 'the old session').to.equal(401);
      expect((await takeBack(undo)).data).to.deep.equal({ undone: 1, of: 1 });
      expect((await closed.send('GET', '/api/user/self')).status, 'the old session stays ended').to.equal(401);
      await tollgate.signIn(closed.username);
      expect({ ...(await root<UserView>('GET', `/api/user/${closed.id}`)), version: 0 }).to.deep.equal({ ...before, version: 0 });
    }
    const admin = await tollgate.newUser({ admin: true });
    const undo = await undoOf('DELETE', `/api/user/${closed.id}`, { who: admin });
    await root('POST', '/api/user/manage', { id: admin.id, action: 'demote' });
    expect((await takeBack(undo, admin)).success).to.equal(false);
  });
});
