import type { BulkResult, ChannelFacets, ChannelTestView, ChannelView, Page, TokenView } from '@tollgate/contracts';
import { AuditLog, Channel, ChannelTest } from '@tollgate/db';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('many rows at once', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    user = await tollgate.newUser();
  });
  after(() => tollgate.close());

  /** The notices that an act leaves. */
  async function noticesOf(act: () => Promise<unknown>): Promise<string[]> {
    const redis = new Redis(tollgate.redisUrl);
    const heard: string[] = [];
    await redis.psubscribe('config:channel:*', 'config:token:*');
    redis.on('pmessage', (_pattern, channel: string) => heard.push(channel));
    await act();
    await redis.punsubscribe();
    await redis.quit();
    return heard;
  }

  describe('channels', () => {
    const root = <T>(method: string, path: string, body?: unknown) => tollgate.root.ok<T>(method, path, body);
    const listed = async (query: string) => (await root<Page<ChannelView>>('GET', `/api/channel/?page_size=100&${query}`)).items;
    const patch = (body: unknown) => root<BulkResult>('PUT', '/api/channel/batch', body);

    beforeEach(async () => {
      await Channel.deleteMany({});
      const common = { type: 1, key: 'k1\nk2', models: 'gpt-4o,gpt-4o-mini' };
      await root('POST', '/api/channel/', { ...common, name: 'main', tag: 'main' });
      await root('POST', '/api/channel/', { ...common, name: 'spare', type: 14, models: 'claude-3-5-haiku', group: 'default,vip' });
    });

    it('are counted by type, group, tag and model', async () => {
      const [first] = await listed('tag=main');
      await root('PUT', '/api/channel/', { id: first?.id, status: 2 });
      const facets = await root<ChannelFacets>('GET', '/api/channel/facets');
      expect(facets).to.deep.equal({
        total: 4,
        types: [
          { type: 1, count: 2, enabled: 1 },
          { type: 14, count: 2, enabled: 2 },
        ],
        statuses: [
          { status: 1, count: 3 },
          { status: 2, count: 1 },
        ],
        groups: [
          { name: 'default', count: 4, enabled: 3 },
          { name: 'vip', count: 2, enabled: 2 },
        ],
        tags: [{ name: 'main', count: 2, enabled: 1, used_quota: 0, models: 2 }],
        untagged: 2,
        models: [
          { name: 'claude-3-5-haiku', count: 2, enabled: 2 },
          { name: 'gpt-4o', count: 2, enabled: 1 },
          { name: 'gpt-4o-mini', count: 2, enabled: 1 },
        ],
      });
      const counts = await Promise.all(
        ['type=14', 'status=2', 'tag=main', 'untagged=true', 'group=vip'].map(async (query) => (await listed(query)).length),
      );
      expect(counts).to.deep.equal([2, 1, 2, 2, 2]);
    });

    it('are counted anew after each change, whether one changes, is made or goes', async () => {
      const counts = async () => {
        const { total, tags, models } = await root<ChannelFacets>('GET', '/api/channel/facets');
        return { total, tags: tags.map(({ name, count }) => [name, count]), models: models.length };
      };
      const [first, second] = await listed('tag=main');
      const before = await counts();
      await root('PUT', '/api/channel/', { id: first?.id, tag: 'other', models: 'one-more' });
      expect(await counts()).to.deep.equal({
        ...before,
        tags: [
          ['main', 1],
          ['other', 1],
        ],
        models: before.models + 1,
      });
      await root('POST', '/api/channel/', { type: 1, key: 'sk-new', models: 'gpt-4o', group: 'default', name: 'new', tag: 'other' });
      expect(await counts()).to.deep.equal({
        total: before.total + 1,
        tags: [
          ['other', 2],
          ['main', 1],
        ],
        models: before.models + 1,
      });
      await root('DELETE', `/api/channel/${second?.id}`);
      expect(await counts(), 'with the only one of gpt-4o-mini gone').to.deep.equal({
        total: before.total,
        tags: [['other', 2]],
        models: before.models,
      });
    });

    it('without a tag are the last group of the list by tags, for those who ask for it', async () => {
      expect((await listed('tag_mode=true')).map(({ tag }) => tag)).to.deep.equal(['main', 'main']);
      const page = await root<Page<ChannelView>>('GET', '/api/channel/?tag_mode=true&untagged=true');
      expect(page.total).to.equal(2);
      expect(page.items.map(({ tag }) => tag)).to.deep.equal(['main', 'main', null, null]);
      expect(
        (await root<Page<ChannelView>>('GET', '/api/channel/?tag_mode=true&untagged=true&p=2&page_size=1')).items.map(({ name }) => name),
      ).to.deep.equal(['spare', 'spare']);
    });

    it('are changed by their ids in one call, with one notice and one row in the audit log', async () => {
      const ids = (await listed('')).map(({ id }) => id);
      const before = await AuditLog.countDocuments();
      let result: BulkResult | undefined;
      const notices = await noticesOf(async () => {
        result = await patch({ ids, set: { priority: 7, tag: 'all', group: 'vip', max_input_tokens: 100 } });
      });
      expect(result).to.deep.equal({ matched: 4, changed: 4 });
      expect(notices).to.have.length(1);
      expect((await listed('tag=all')).map(({ priority, group, max_input_tokens }) => [priority, group, max_input_tokens])).to.deep.equal(
        Array(4).fill([7, 'vip', 100]),
      );
      const [row, ...more] = await AuditLog.find().sort({ _id: 1 }).skip(before).lean();
      expect(more).to.deep.equal([]);
      expect(row).to.deep.include({ action: 'channel.update_many', target: 'channels:4' });
      expect((row?.after as { ids: number[] } | undefined)?.ids).to.have.members(ids);
      expect(await patch({ ids, set: { priority: 7 } })).to.deep.equal({ matched: 4, changed: 0 });
      expect(await AuditLog.countDocuments()).to.equal(before + 1);
    });

    it('are changed by what a filter leaves, of which a misspelt one is refused', async () => {
      expect(await patch({ filter: { untagged: true }, set: { status: 2 } })).to.deep.equal({ matched: 2, changed: 2 });
      expect((await listed('status=2')).map(({ name }) => name)).to.deep.equal(['spare', 'spare']);
      for (const body of [
        { set: { priority: 1 } },
        { ids: [1], filter: {}, set: { priority: 1 } },
        { filter: { tags: 'main' }, set: { priority: 1 } },
        { filter: { type: 'one' }, set: { priority: 1 } },
        { filter: {}, set: {} },
        { filter: {}, set: { models: '' } },
        { filter: {}, set: { group: 'nobody knows' } },
        { ids: [], set: { priority: 1 } },
      ])
        expect((await tollgate.root.send('PUT', '/api/channel/batch', body)).success, JSON.stringify(body)).to.equal(false);
      expect((await listed('')).map(({ priority }) => priority)).to.deep.equal([0, 0, 0, 0]);
    });

    it('keep changes that others make at the same time', async () => {
      const [{ id = 0 } = {}] = await listed('');
      await Promise.all([
        ...Array.from({ length: 5 }, (_, index) => patch({ filter: {}, set: { priority: index + 1 } })),
        ...Array.from({ length: 5 }, (_, index) => root('PUT', '/api/channel/', { id, weight: index + 1 })),
      ]);
      const channel = (await listed('')).find((each) => each.id === id);
      expect(channel?.priority).to.be.within(1, 5);
      expect(channel?.weight).to.be.within(1, 5);
      expect(channel?.version).to.be.at.least(2);
    });

    it('past their time rest, with the reason, until they get a later one', async () => {
      const [{ id = 0 } = {}] = await listed('');
      const past = Math.floor(Date.now() / 1000) - 60;
      await root('PUT', '/api/channel/', { id, expired_time: past });
      const rested = await root<ChannelView>('GET', `/api/channel/${id}`);
      expect(rested).to.include({ status: 3, expired_time: past });
      expect(JSON.parse(rested.other_info)).to.deep.equal({ status_reason: 'The channel has expired', status_time: past });
      await root('PUT', '/api/channel/', { id, status: 2 });
      expect((await tollgate.root.send('PUT', '/api/channel/', { id, status: 1 })).code).to.equal('channel_needs_expiry');
      expect((await tollgate.root.send('PUT', '/api/channel/batch', { ids: [id], set: { status: 1 } })).code).to.equal(
        'channel_needs_expiry',
      );
      expect(await patch({ ids: [id], set: { status: 1, expired_time: -1 } })).to.deep.equal({ matched: 1, changed: 1 });
      expect(await root<ChannelView>('GET', `/api/channel/${id}`)).to.include({ status: 1, expired_time: -1, other_info: '' });
    });

    it('remember their last tests', async () => {
      const [{ id = 0 } = {}] = await listed('');
      await root('PUT', '/api/channel/', { id, base_url: 'http://127.0.0.1:9' });
      expect((await tollgate.root.send('GET', `/api/channel/test/${id}?model=gpt-4o`)).success).to.equal(false);
      const [test, ...others] = await root<ChannelTestView[]>('GET', `/api/channel/${id}/tests`);
      expect(others).to.deep.equal([]);
      expect(test).to.include({ model: 'gpt-4o' });
      expect(test?.error).not.to.equal('');
      const old = (index: number) => ({ channelId: id, at: new Date(Date.now() - 1000 * (index + 1)), model: `m${index}`, durationMs: 1 });
      await ChannelTest.insertMany(Array.from({ length: 60 }, (_, index) => old(index)));
      await tollgate.root.send('GET', `/api/channel/test/${id}`);
      expect(await root<ChannelTestView[]>('GET', `/api/channel/${id}/tests`)).to.have.length(50);
      expect(await ChannelTest.countDocuments({ channelId: id })).to.equal(50);
      await root('DELETE', `/api/channel/${id}`);
      expect(await ChannelTest.countDocuments({ channelId: id })).to.equal(0);
    });
  });

  describe('tokens', () => {
    const mine = async (query = '') => (await user.ok<Page<TokenView>>('GET', `/api/token/?page_size=100&${query}`)).items;

    beforeEach(() => user.ok('POST', '/api/token/batch', { filter: {} }));

    it('are made with one name and marks of their own, each with its own key', async () => {
      const made = await user
        .ok<TokenView[]>('POST', '/api/token/', { name: 'for the class of nineteen-seven', unlimited_quota: true, count: 3 })
        .catch(() => undefined);
      expect(made, 'a name that is too long').to.equal(undefined);
      const tokens = await user.ok<TokenView[]>('POST', '/api/token/', { name: 'for the class of nineteen', remain_quota: 5, count: 3 });
      const [first, ...others] = tokens.map(({ name }) => name);
      expect(first).to.equal('for the class of nineteen');
      for (const name of others) expect(name).to.match(/^for the class of ninete-[0-9a-zA-Z]{6}$/);
      const signs = await user.ok<TokenView[]>('POST', '/api/token/', { name: `${'x'.repeat(22)}😀`, remain_quota: 5, count: 2 });
      expect(signs[1]?.name, 'no half of a sign').to.match(/^x{22}-[0-9a-zA-Z]{6}$/);
      await user.ok('POST', '/api/token/batch', { ids: signs.map(({ id }) => id) });
      expect(new Set(tokens.map(({ key }) => key)).size).to.equal(3);
      expect((await mine()).map(({ remain_quota }) => remain_quota)).to.deep.equal([5, 5, 5]);
      for (const count of [0, 101, 1.5, '2'])
        expect((await user.send('POST', '/api/token/', { name: 'x', count })).success).to.equal(false);
    });

    it('are changed and deleted by ids or by a filter, with one notice, and only one’s own', async () => {
      const other = await tollgate.newUser();
      const foreign = await other.ok<TokenView>('POST', '/api/token/', { name: 'robot of another', unlimited_quota: true });
      await user.ok('POST', '/api/token/', { name: 'robot', unlimited_quota: true, count: 3 });
      await user.ok('POST', '/api/token/', { name: 'human', unlimited_quota: true });
      const ids = (await mine('keyword=robot')).map(({ id }) => id);
      const notices = await noticesOf(async () => {
        const set = { status: 2, deny_ips: '10.0.0.0/8' };
        expect(await user.ok('PUT', '/api/token/batch', { filter: { keyword: 'robot' }, set })).to.deep.equal({ matched: 3, changed: 3 });
      });
      expect(notices).to.have.length(1);
      expect((await mine('status=2')).map(({ id, deny_ips }) => [id, deny_ips])).to.deep.equal(ids.map((id) => [id, '10.0.0.0/8']));
      expect(await user.ok('PUT', '/api/token/batch', { ids: [...ids, foreign.id], set: { status: 1 } })).to.deep.equal({
        matched: 3,
        changed: 3,
      });
      for (const body of [
        { set: { status: 1 } },
        { filter: { name: 'robot' }, set: { status: 1 } },
        { ids, set: { deny_ips: 'nonsense' } },
        { ids, set: { group: 'nobody' } },
      ])
        expect((await user.send('PUT', '/api/token/batch', body)).success, JSON.stringify(body)).to.equal(false);
      expect((await user.send('POST', '/api/token/batch', {})).success).to.equal(false);
      expect(await user.ok('POST', '/api/token/batch', { ids: [...ids, foreign.id] })).to.equal(3);
      expect((await mine()).map(({ name }) => name)).to.deep.equal(['human']);
      expect(await other.ok<TokenView>('GET', `/api/token/${foreign.id}`)).to.include({ status: 1 });
    });
  });
});
