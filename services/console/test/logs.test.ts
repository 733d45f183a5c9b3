import { type LogStat, type LogView, type Page, type TokenView, totalCap, type UsageDataRow } from '@tollgate/contracts';
import { AuditLog, UsageByModel, UsageByPart, UsageDearest, UsageHourly, UsageLog, usagePartId } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Caller } from '../src/auth/caller.ts';
import { dayLists, totalsOf } from '../src/features/logs/day-lists.ts';
import { dearestOf } from '../src/features/logs/dearest-of-lists.ts';
import { deleteLogsBefore } from '../src/features/logs/delete.ts';
import { split } from '../src/features/logs/stat.ts';
import { usedOn } from '../src/features/logs/usage-of-days.ts';
import { openBoard } from '../src/jobs/board.ts';
import { listDearest } from '../src/jobs/list-dearest.ts';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

const hour = 3600;
const price = {
  kind: 'ratio',
  modelRatio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  cacheWrite5mRatio: 1,
  cacheWrite1hRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 2,
  modelPrice: 0,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};
const usage = {
  textInput: 90,
  cachedInput: 10,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  textOutput: 20,
  reasoningOutput: 5,
  audioOutput: 0,
};

describe('logs', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  let other: Visitor & { username: string };
  let admin: Visitor;
  const now = Math.floor(Date.now() / 1000);
  let number = 0;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    [user, other, admin] = await Promise.all([tollgate.newUser(), tollgate.newUser(), tollgate.newUser({ admin: true })]);
  });
  after(() => tollgate.close());
  beforeEach(async () => {
    await Promise.all([UsageLog.deleteMany({}), UsageHourly.deleteMany({}), UsageByModel.deleteMany({}), UsageByPart.deleteMany({})]);
    await UsageDearest.deleteMany({});
  });

  it('show a call with all that its price rests on', async () => {
    await call({ at: now - 5, upstreamModel: 'gpt-4o-2024' });
    const page = await admin.ok<Page<LogView>>('GET', '/api/log/');
    const [row] = page.items;
    expect(page).to.include({ page: 1, page_size: 10, total: 1 });
    expect(row).to.include({
      user_id: user.id,
      username: user.username,
      type: 2,
      model_name: 'gpt-4o',
      quota: 100,
      prompt_tokens: 100,
      completion_tokens: 25,
      channel: 7,
      channel_name: 'seven',
      use_time: 2,
      is_stream: true,
      created_at: now - 5,
    });
    expect(row?.request_id).to.equal(row?.id);
    expect(JSON.parse(row?.other ?? '')).to.deep.include({
      frt: 300,
      model_ratio: 1.25,
      completion_ratio: 4,
      group_ratio: 1,
      model_price: -1,
      cache_tokens: 10,
      cache_ratio: 0.5,
      reasoning_tokens: 5,
      end_reason: 'complete',
      usage_source: 'upstream',
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024',
      admin_info: { use_channel: ['3', '7'] },
    });
  });

  it('let a bill be worked out again: cache writes for an hour, and quota of the dollar as it was then', async () => {
    const hourly = { ...usage, cacheWrite5m: 30, cacheWrite1h: 10 };
    await call({ usage: hourly, price: { ...price, cacheWrite5mRatio: 1.25, cacheWrite1hRatio: 2, quotaPerUnit: 250_000 } } as never);
    const [row] = (await admin.ok<Page<LogView>>('GET', '/api/log/')).items;
    const details = JSON.parse(row?.other ?? '{}') as Record<string, number>;
    expect(details).to.include({
      cache_creation_tokens: 40,
      cache_creation_tokens_1h: 10,
      cache_creation_ratio_1h: 2,
      quota_per_unit: 250_000,
    });
    expect((details.cache_creation_tokens ?? 0) * (details.cache_creation_ratio ?? 0)).to.equal(30 * 1.25 + 10 * 2);
  });

  it('show users their own rows only, and not where a call was sent', async () => {
    await call({ userId: user.id });
    await call({ userId: other.id });
    const { items } = await user.ok<Page<LogView>>('GET', `/api/log/self/?username=${other.username}&channel=7&user_id=${other.id}`);
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ user_id: user.id, channel: 0, channel_name: '' });
    expect(JSON.parse(items[0]?.other ?? '')).not.to.have.property('admin_info');
    expect((await user.send('GET', '/api/log/')).code).to.equal('insufficient_role');
  });

  it('are filtered', async () => {
    await call({ model: 'gpt-4o', tokenName: 'work', group: 'vip', at: now - 100 });
    await call({ model: 'gpt-4o-mini', tokenName: 'home', at: now - 50, channelId: 8 });
    await call({ model: 'claude', userId: other.id, username: other.username, at: now });
    await UsageLog.create({ _id: 'top-up', type: 1, at: new Date(now * 1000), userId: user.id, content: 'Redeemed' });
    const models = async (query: string) => (await admin.ok<Page<LogView>>('GET', `/api/log/?${query}`)).items.map((row) => row.model_name);
    expect(await models('type=1')).to.deep.equal(['']);
    expect(await models('type=2')).to.deep.equal(['claude', 'gpt-4o-mini', 'gpt-4o']);
    expect(await models('model_name=gpt-4o')).to.deep.equal(['gpt-4o']);
    expect(await models(`model_name=${encodeURIComponent('gpt%')}`)).to.deep.equal(['gpt-4o-mini', 'gpt-4o']);
    expect(await models(`model_name=${encodeURIComponent('.*%')}`)).to.deep.equal([]);
    expect(await models(`model_name=${encodeURIComponent('%mini')}`)).to.deep.equal(['gpt-4o-mini']);
    expect(await models(`model_name=${encodeURIComponent('%4o%')}`)).to.deep.equal(['gpt-4o-mini', 'gpt-4o']);
    expect(await models(`model_name=${encodeURIComponent('g%t%mini')}`)).to.deep.equal(['gpt-4o-mini']);
    expect(await models('token_name=work')).to.deep.equal(['gpt-4o']);
    expect(await models('group=vip')).to.deep.equal(['gpt-4o']);
    expect(await models('channel=8')).to.deep.equal(['gpt-4o-mini']);
    expect(await models(`username=${other.username}`)).to.deep.equal(['claude']);
    expect(await models('username=nobody')).to.deep.equal([]);
    expect(await models(`username=${user.username}&channel=8`)).to.deep.equal(['gpt-4o-mini']);
    expect(
      (await admin.ok<LogStat>('GET', `/api/log/stat?username=${other.username}&channel=8&start_timestamp=${now - 1}`)).quota,
    ).to.equal(0);
    expect(await models(`start_timestamp=${now - 50}&end_timestamp=${now - 50}`)).to.deep.equal(['gpt-4o-mini']);
    expect(await models('start_timestamp=&end_timestamp=abc&channel=x&type=')).to.have.length(4);
    for (const beyond of [`start_timestamp=${now * 1000}`, 'start_timestamp=1e300', 'channel=9007199254740993', 'type=1e12'])
      expect(await models(beyond), beyond).to.deep.equal([]);
    expect(await models(`end_timestamp=${now * 1000}`)).to.have.length(4);
    expect((await admin.send('GET', '/api/log/?username[$ne]=x')).success).to.equal(true);
  });

  it('of a span that ends before it begins are none', async () => {
    const span = `start_timestamp=${now}&end_timestamp=${now - 100}`;
    expect(await admin.ok<Page<LogView>>('GET', `/api/log/?${span}`)).to.include({ total: 0 });
    expect(await admin.ok<LogStat>('GET', `/api/log/stat?${span}`)).to.include({ quota: 0 });
    expect(await admin.ok<UsageDataRow[]>('GET', `/api/data/?${span}`)).to.deep.equal([]);
    expect(await user.ok<UsageDataRow[]>('GET', `/api/data/self/?${span}`)).to.deep.equal([]);
  });

  it('and their sums and dashboards answer moments, numbers and names that nobody means, or say what is wrong with them', async () => {
    const huge = ['-1', '9e15', '1e308', 'NaN', '0x10'];
    const spans = huge.flatMap((one) => [`start_timestamp=${one}`, `end_timestamp=${one}`, `start_timestamp=${one}&end_timestamp=${one}`]);
    const all = (fields: string[], one: string): string => fields.map((name) => `${name}=${one}`).join('&');
    const numbers = huge.map((one) => all(['p', 'page_size', 'channel', 'type', 'top'], one));
    const names = ['%00', '%25', '.*', '%24where', '%0A', 'x'.repeat(900)].map((one) =>
      all(['model_name', 'token_name', 'group', 'username', 'request_id', 'keyword', 'default_time'], one),
    );
    const reversed = `start_timestamp=${now}&end_timestamp=${now - 86_400}`;
    const strange = [...spans, ...numbers, ...names, reversed, 'by=colour', 'channel[$gt]=0', 'model_name[$ne]=x', 'p=1&p=2'];
    const wrong: string[] = [];
    for (const path of ['log/', 'log/stat', 'log/search', 'log/self', 'log/self/stat', 'data', 'data?by=channel', 'data/self']) {
      const asked = await Promise.all(
        strange.map(async (query) => ({ query, reply: await admin.send('GET', `/api/${path}${path.includes('?') ? '&' : '?'}${query}`) })),
      );
      for (const { query, reply } of asked)
        if (reply.status >= 500 || (!reply.success && !reply.message)) wrong.push(`${path} ${query}: ${reply.status} ${reply.message}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('leave out what was kept only to be charged once, and count it as spent', async () => {
    const begin = Math.floor(now / hour) * hour - 2 * hour;
    await call({ at: begin + 1, quota: 10 });
    await UsageLog.create({ ...row({ at: begin + 2, quota: 5 }), hidden: true });
    await UsageLog.create({ ...row({ at: now, quota: 5 }), hidden: true });
    for (const span of ['', `start_timestamp=${begin}`, `end_timestamp=${now}`]) {
      const page = await admin.ok<Page<LogView>>('GET', `/api/log/?${span}`);
      expect(page.total).to.equal(1);
      expect(page.items.map(({ quota }) => quota)).to.deep.equal([10]);
    }
    expect(await user.ok('GET', '/api/log/self/')).to.include({ total: 1 });
    const stat = `/api/log/self/stat?start_timestamp=${begin + 1}&end_timestamp=${begin + 60}`;
    expect(await user.ok('GET', stat)).to.deep.equal({ quota: 15, rpm: 0, tpm: 0 });
  });

  it('stay a users own when somebody else takes over a former name', async () => {
    await call({ userId: other.id, username: user.username });
    expect((await admin.ok<Page<LogView>>('GET', `/api/log/?username=${user.username}`)).items).to.deep.equal([]);
    expect((await user.ok<LogStat>('GET', `/api/log/self/stat?username=${user.username}`)).quota).to.equal(0);
  });

  it('are counted no further than anyone would page', async () => {
    await UsageLog.insertMany(Array.from({ length: 250 }, () => row({ at: now - 10 })));
    const page = await admin.ok<Page<LogView>>('GET', '/api/log/?p=3&page_size=1000');
    expect(page).to.include({ page: 3, page_size: 100, total: 250 });
    expect(page.items).to.have.length(50);
    expect(await admin.ok('GET', '/api/log/?p=1&page_size=100')).to.include({ total: 250 });
    expect(await admin.ok('GET', '/api/log/?p=4&page_size=100')).to.deep.include({ total: 250, items: [] });
    expect(await admin.ok('GET', '/api/log/?p=25&page_size=10')).to.include({ total: 250 });
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/?p=99999999')).items).to.deep.equal([]);
  });

  it('come to an end for whoever asks page after page, however many there are', async () => {
    const { at, ...one } = (await UsageLog.create(row({ at: now - 10 }))).toObject();
    const many = Array.from({ length: totalCap + 20 }, (_, index) => ({ ...one, _id: `many-${index}`, at: new Date(+at - index) }));
    await UsageLog.collection.insertMany(many as never[]);
    const page = (p: number) => admin.ok<Page<LogView>>('GET', `/api/log/?p=${p}&page_size=100`);
    const last = await page(totalCap / 100);
    expect([last.items.length, last.total]).to.deep.equal([100, totalCap]);
    for (const beyond of [101, 102, 4000]) expect(await page(beyond)).to.deep.include({ items: [], total: totalCap });
  });

  it('of one moment are on one page each, in an order that does not depend on where a page begins or on the filter', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `moment-${String((i * 7) % 40).padStart(2, '0')}`);
    const moments = [now - 1, now - 2, now - 3].map((at) => new Date(at * 1000));
    await UsageLog.insertMany(
      ids.map((_id, i) => ({ ...row({}), _id, at: moments[Math.floor(i / 14)], model: `m${i % 3}`, channelId: (i % 2) + 1 })),
    );
    const stored = await UsageLog.find().lean();
    const shownAs = stored.sort((a, b) => b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1));
    const walk = async (path: string, size: number) => {
      const seen: string[] = [];
      for (let page = 1; ; page++) {
        const { items } = await admin.ok<Page<LogView>>('GET', `${path}&p=${page}&page_size=${size}`);
        if (items.length === 0) return seen;
        seen.push(...items.map(({ id }) => id));
      }
    };
    const idsOf = (rows: typeof stored) => rows.map(({ _id }) => _id);
    for (const size of [3, 13, 14]) expect(await walk('/api/log/?', size), `${size} a page`).to.deep.equal(idsOf(shownAs));
    const some = shownAs.filter((each) => each.model === 'm1' && each.channelId === 2);
    const span = `start_timestamp=${now - 3}&end_timestamp=${now - 1}`;
    expect(await walk(`/api/log/?model_name=m1&channel=2&${span}`, 3)).to.deep.equal(idsOf(some));
    expect(await walk(`/api/log/?model_name=${encodeURIComponent('m%')}&end_timestamp=${now - 2}`, 5)).to.deep.equal(
      idsOf(shownAs.filter(({ at }) => at.getTime() <= (now - 2) * 1000)),
    );
  });

  it('are paged by an index, also where a page begins and ends within one moment', async () => {
    await UsageLog.init();
    await UsageLog.insertMany(Array.from({ length: 60 }, (_, i) => row({ at: now - Math.floor(i / 20), model: `m${i % 3}` })));
    const finds: { filter: object; sort?: object }[] = [];
    UsageLog.base.set('debug', (collection: string, method: string, filter: object, options: { sort?: object }) => {
      if (collection === 'usage_logs' && method === 'find') finds.push({ filter, sort: options.sort });
    });
    try {
      for (const query of ['', 'model_name=m1', `username=${user.username}`, 'channel=7', 'group=default'])
        await admin.ok('GET', `/api/log/?${query}&p=2&page_size=7`);
    } finally {
      UsageLog.base.set('debug', false);
    }
    expect(finds).to.have.length(10);
    for (const { filter, sort } of finds) {
      const { queryPlanner } = (await UsageLog.collection.find(filter, { sort } as object).explain('queryPlanner')) as {
        queryPlanner: { winningPlan: object };
      };
      const plan = JSON.stringify(queryPlanner.winningPlan);
      expect(plan, JSON.stringify(filter))
        .to.match(/"IXSCAN".*"at":-1/)
        .and.not.contain('COLLSCAN');
      expect(plan.includes('"SORT"'), 'sorts no more than the moments of a page').to.equal('at' in filter);
    }
  });

  it('sum up whole hours from the roll-up and their ends from rows', async () => {
    const noon = Math.floor(now / hour) * hour - 24 * hour;
    for (const [at, quota] of [
      [noon - 1, 1],
      [noon, 10],
      [noon + 1, 100],
      [noon + 2 * hour, 1000],
      [noon + 2 * hour + 30, 10_000],
    ] as const) {
      await call({ at, quota });
      await rollUp({ at, quota });
    }
    await rollUp({ at: noon, quota: 1_000_000, userId: other.id });
    await UsageLog.deleteMany({ at: new Date(noon * 1000) }); // hours are read from the roll-up: their rows may be long gone
    const quota = async (start: number, end: number) =>
      (await user.ok<LogStat>('GET', `/api/log/self/stat?start_timestamp=${start}&end_timestamp=${end}`)).quota;
    expect(await quota(0, 0)).to.equal(11_111);
    expect(await quota(noon, 0)).to.equal(11_110);
    expect(await quota(noon, noon + 2 * hour)).to.equal(1110);
    expect(await quota(noon - 1, noon + 2 * hour + 29)).to.equal(1111);
    expect(await quota(noon + 1, noon + 30)).to.equal(100);
    expect((await admin.ok<LogStat>('GET', `/api/log/stat?start_timestamp=${noon}&model_name=gpt*&channel=7`)).quota).to.equal(1_011_110);
    expect((await admin.ok<LogStat>('GET', `/api/log/stat?username=${other.username}`)).quota).to.equal(1_000_000);
  });

  it('sum up groups and channels of everybody from their roll-ups, and what is left of days from rows', async () => {
    const day = 24 * hour;
    const begin = 1_737_331_200; // 2025-01-20
    await part({ at: begin, quota: 5, channelId: 31, group: 'summed' });
    await part({ at: begin + day, quota: 6, channelId: 31, group: 'summed' });
    await part({ at: begin + day, quota: 7, channelId: 32, group: 'other' });
    await call({ at: begin + 2 * day + 60, quota: 100, channelId: 31, group: 'summed' });
    const quota = async (query: string, end: number) =>
      (await admin.ok<LogStat>('GET', `/api/log/stat?start_timestamp=${begin}&end_timestamp=${end}&${query}`)).quota;
    expect(await quota('channel=31', begin + 2 * day - 1)).to.equal(11);
    expect(await quota('channel=31', begin + 2 * day + hour)).to.equal(111);
    expect(await quota('group=summed', begin + 2 * day - 1)).to.equal(11);
    expect(await quota('channel=32', begin + 2 * day - 1)).to.equal(7);
    expect(await quota('channel=33', begin + 2 * day - 1)).to.equal(0);
    expect(await quota('', begin + 2 * day - 1)).to.equal(18);
    expect(await quota('', begin + 2 * day + hour - 1)).to.equal(18); // whole hours do not look at rows
  });

  it("sum up names of everybody's tokens from their days, and from the users' own hours where those are older", async () => {
    const day = 24 * hour;
    const begin = 1_737_331_200; // 2025-01-20
    const quota = async (end: number, start = begin) =>
      (await admin.ok<LogStat>('GET', `/api/log/stat?start_timestamp=${start}&end_timestamp=${end}&token_name=shared`)).quota;
    await part({ at: begin + day, quota: 2, tokenName: 'shared' });
    await part({ at: begin + day + hour, quota: 3, tokenName: 'shared', tokenId: 2, userId: other.id });
    await part({ at: begin + 2 * day, quota: 30, tokenName: 'shared' });
    await part({ at: begin + 2 * day, quota: 7, tokenName: 'another' });
    await call({ at: begin + 3 * day + 60, quota: 100, tokenName: 'shared' });
    expect(await quota(begin + 3 * day - 1)).to.equal(35);
    expect(await quota(begin + 3 * day + hour)).to.equal(135);
    expect(await quota(begin + 3 * day - 1, begin + 2 * day)).to.equal(30);

    // A version that did not count names wrote the day before, and the begin of their first.
    await rollUp({ at: begin, quota: 1000, tokenName: 'shared' });
    await rollUp({ at: begin + day, quota: 5000, tokenName: 'shared' });
    await rollUp({ at: begin + 2 * day, quota: 30, tokenName: 'shared' });
    expect(await quota(begin + 3 * day - 1)).to.equal(6030);
    expect(await quota(begin + 3 * day - 1, begin + 2 * day)).to.equal(30);
  });

  it('sum up a user from the days of his tokens, a model from lists of days, and what days leave from hours and rows', async () => {
    const day = 24 * hour;
    const begin = 1_737_331_200; // 2025-01-20
    const used = async (fields: Parameters<typeof part>[0] & { model?: string }) => {
      await rollUp(fields);
      await part(fields);
    };
    await used({ at: begin + 3 * hour, quota: 1 });
    await used({ at: begin + 20 * hour, quota: 2, tokenId: 0 });
    await used({ at: begin + day, quota: 10, tokenId: 12 });
    await used({ at: begin + day + hour, quota: 20, model: 'claude' });
    await used({ at: begin + day, quota: 40, userId: other.id });
    await used({ at: begin + 2 * day + hour, quota: 100 });
    await call({ at: begin + 2 * day + 2 * hour + 5, quota: 1000 });
    const span = (from: number, to: number): string => `start_timestamp=${from}&end_timestamp=${to}`;
    const own = async (from: number, to: number) => (await user.ok<LogStat>('GET', `/api/log/self/stat?${span(from, to)}`)).quota;
    const model = async (name: string, from: number, to: number) =>
      (await admin.ok<LogStat>('GET', `/api/log/stat?model_name=${name}&${span(from, to)}`)).quota;
    expect(await own(begin, begin + 2 * day - 1)).to.equal(33);
    expect(await own(begin + 4 * hour, begin + 2 * day - 1)).to.equal(32);
    expect(await own(begin + 4 * hour, begin + 2 * day + 2 * hour + 10)).to.equal(1132);
    expect(await own(begin + day, begin + day + hour - 1)).to.equal(10);
    expect(await model('gpt-4o', begin, begin + 2 * day - 1)).to.equal(53);
    expect(await model('gpt*', begin + 4 * hour, begin + 2 * day + 2 * hour + 10)).to.equal(1152);
    expect(await model('claude', begin, begin + 3 * day - 1)).to.equal(20);
    expect(await UsageDearest.countDocuments({ _id: /^model\|/ })).to.be.above(1);

    // Days are what counts, whatever became of the hours they are made of.
    await Promise.all([UsageHourly.deleteMany({}), UsageByModel.deleteMany({})]);
    expect(await own(begin, begin + 2 * day - 1)).to.equal(33);
    expect(await model('gpt-4o', begin, begin + 2 * day - 1)).to.equal(53);
  });

  it('say since when they count, where what was before is too much to look through', async () => {
    const day = 24 * hour;
    const begin = 1_737_331_200; // 2025-01-20
    await rollUp({ at: begin, quota: 1000, tokenName: 'shared' });
    await part({ at: begin + 2 * day, quota: 30, tokenName: 'shared' });
    const aggregate = UsageHourly.aggregate;
    UsageHourly.aggregate = (() => ({ option: () => Promise.reject(Object.assign(new Error('took too long'), { code: 50 })) })) as never;
    try {
      const sum = await admin.ok<LogStat>(
        'GET',
        `/api/log/stat?start_timestamp=${begin}&end_timestamp=${begin + 4 * day - 1}&token_name=shared`,
      );
      expect(sum).to.include({ since: begin + 3 * day, quota: 0 });
    } finally {
      UsageHourly.aggregate = aggregate;
    }
  });

  it('say how busy the last minute was', async () => {
    const justNow = Math.floor(Date.now() / 1000); // the suite may have been at work for longer than a minute
    await call({ at: justNow });
    await call({ at: justNow - 1 });
    await call({ at: justNow - 3600 });
    expect(await user.ok('GET', '/api/log/self/stat')).to.include({ rpm: 2, tpm: 250 });
  });

  it('are deleted before a moment by root alone, and that leaves a trail', async () => {
    await UsageLog.insertMany(Array.from({ length: 2100 }, () => row({ at: now - 1000 })));
    await call({ at: now });
    expect((await admin.send('DELETE', `/api/log/?target_timestamp=${now}`)).code).to.equal('insufficient_role');
    for (const none of ['', '?target_timestamp=soon', `?target_timestamp=${now * 1000}`])
      expect((await tollgate.root.send('DELETE', `/api/log/${none}`)).code, none).to.equal('invalid_parameter');
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(2100);
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(0);
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/')).total).to.equal(1);
    const trail = await AuditLog.find({ action: 'log.delete' }).lean();
    expect(trail.map(({ after }) => (after as { deleted: number }).deleted)).to.include.members([2100, 0]);
  });

  it('that are deleted leave what keeps their calls from being charged again, until nothing can bring them any more', async () => {
    const young = { ...row({ at: now - 1000 }), epoch: 'e', partition: 1, offset: '7' };
    await UsageLog.insertMany([young, row({ at: now - 9 * 86_400 }), { ...row({ at: now - 1000 }), type: 1 }]);
    expect(await tollgate.root.ok('DELETE', `/api/log/?target_timestamp=${now}`)).to.equal(3);
    expect((await admin.ok<Page<LogView>>('GET', '/api/log/')).total).to.equal(0);
    const [guard, ...others] = await UsageLog.find().lean();
    expect(others).to.deep.equal([]);
    expect(guard).to.include({ _id: young._id, hidden: true, quota: 100, epoch: 'e', partition: 1, offset: '7' });
    expect(guard).not.to.have.any.keys('usage', 'price', 'content');
    const root = { id: 1, username: 'root' } as Caller;
    expect(await deleteLogsBefore(now, root, (now + 7 * 86_400) * 1000)).to.equal(0);
    expect(await deleteLogsBefore(now, root, (now + 8 * 86_400) * 1000)).to.equal(1);
    expect(await UsageLog.countDocuments()).to.equal(0);
  });

  it('are kept for as many days as the option says, today not counted, by a job that leaves a trail', async () => {
    const day = 86_400;
    const today = now - (now % day);
    const row = { userId: user.id, username: user.username, type: 4, content: 'kept' };
    const [old, kept] = ['old', 'kept'].map((name) => `retention-${name}`);
    await UsageLog.create({ ...row, _id: old, at: new Date((today - 3 * day - 1) * 1000) });
    await UsageLog.create({ ...row, _id: kept, at: new Date((today - 3 * day) * 1000) });
    try {
      await tollgate.root.ok('PUT', '/api/option/', { key: 'LogRetentionDays', value: '3' });
      await eventually(async () => expect(await UsageLog.exists({ _id: old })).to.equal(null));
      expect(await UsageLog.exists({ _id: kept })).not.to.equal(null);
      await eventually(async () => expect(await AuditLog.exists({ action: 'log.retention', actorName: 'system' })).not.to.equal(null));
    } finally {
      await tollgate.root.ok('PUT', '/api/option/', { key: 'LogRetentionDays', value: '0' });
      await UsageLog.deleteOne({ _id: kept });
    }
  });

  it('are searched by type, request, model, token and user, the newest first', async () => {
    await call({ at: now - 3, model: 'rare', tokenName: 'laptop' });
    await call({ at: now - 2, model: 'other', userId: other.id, username: other.username, tokenName: 'laptop' });
    await UsageLog.create({ ...row({ at: now - 1 }), type: 1 });
    const found = async (visitor: Visitor, path: string, keyword: string) =>
      (await visitor.ok<Page<LogView>>('GET', `/api/log/${path}?keyword=${encodeURIComponent(keyword)}`)).items;
    const models = async (keyword: string) => (await found(admin, 'search', keyword)).map((item) => item.model_name);
    expect(await models('laptop')).to.deep.equal(['other', 'rare']);
    expect(await models('rare')).to.deep.equal(['rare']);
    expect(await models('1')).to.deep.equal(['gpt-4o']);
    expect(await models(other.username)).to.deep.equal(['other']);
    expect(await models('rar')).to.deep.equal([]);
    const [first] = await found(user, 'self/search', 'laptop');
    expect(first).to.include({ model_name: 'rare', user_id: user.id, channel: 0 });
    expect(await found(user, 'self/search', 'laptop')).to.have.length(1);
    expect(await found(user, 'self/search', first?.id ?? '')).to.have.length(1);
    expect(await found(user, 'self/search', other.username)).to.deep.equal([]);
  });

  it('of one token are read with its key alone, from pages of other sites, too', async () => {
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    await call({ at: now, tokenId: token.id, tokenName: 'mine' });
    await call({ at: now, tokenId: token.id + 1 });
    const ask = async (query: string, headers = {}) => {
      const reply = await tollgate.anonymous.send<Page<LogView>>('GET', `/api/log/token${query}`, undefined, headers);
      expect(reply.headers.get('access-control-allow-origin')).to.equal('*');
      return reply.data.items.map((item) => `${item.token_name} ${item.channel}`);
    };
    expect(await ask(`?key=sk-${token.key}`)).to.deep.equal(['mine 0']);
    expect(await ask(`?key=${token.key}`)).to.deep.equal(['mine 0']);
    expect(await ask('', { authorization: `Bearer sk-${token.key}`, origin: 'https://elsewhere.example' })).to.deep.equal(['mine 0']);
    const beforehand = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    for (const [path, origin, headers] of [
      ['/api/log/token', '*', '*, Authorization'],
      ['/api/log/self', null, null],
    ] as const) {
      const allowed = (await fetch(tollgate.origin + path, { method: 'OPTIONS', headers: beforehand })).headers;
      expect([allowed.get('access-control-allow-origin'), allowed.get('access-control-allow-headers')], path).to.deep.equal([
        origin,
        headers,
      ]);
    }
    for (const query of ['', '?key=', '?key=sk-nothing', `?key=${token.key.slice(1)}`]) expect(await ask(query), query).to.deep.equal([]);
    for (const [lists, seen] of [
      [{ allow_ips: '10.0.0.0/8' }, []],
      [{ allow_ips: '127.0.0.0/8' }, ['mine 0']],
      [{ deny_ips: '127.0.0.1' }, []],
      [{ allow_ips: '', deny_ips: '' }, ['mine 0']],
    ] as const) {
      await user.ok('PUT', '/api/token/', { id: token.id, ...lists });
      expect(await ask(`?key=${token.key}`), JSON.stringify(lists)).to.deep.equal(seen);
    }
    await user.ok('PUT', '/api/token/?status_only=true', { id: token.id, status: 2 });
    expect(await ask(`?key=${token.key}`)).to.deep.equal([]);
  });

  it('give the dashboard usage by model and hour', async () => {
    const begin = Math.floor(now / hour) * hour;
    await rollUp({ at: begin, quota: 5, tokenId: 1 });
    await rollUp({ at: begin, quota: 6, tokenId: 2 });
    await rollUp({ at: begin, quota: 7, model: 'claude', userId: other.id });
    const all = await admin.ok<UsageDataRow[]>('GET', `/api/data/?start_timestamp=${begin + 10}&end_timestamp=${now}&default_time=hour`);
    const tokens = { prompt_tokens: 100, completion_tokens: 25, token_used: 125 };
    const everybody = { user_id: 0, username: '', created_at: begin };
    expect(all).to.deep.equal([
      { ...everybody, model_name: 'claude', key: 'claude', label: 'claude', ...tokens, count: 1, quota: 7 },
      {
        ...everybody,
        model_name: 'gpt-4o',
        key: 'gpt-4o',
        label: 'gpt-4o',
        prompt_tokens: 200,
        completion_tokens: 50,
        token_used: 250,
        count: 2,
        quota: 11,
      },
    ]);
    const own = await user.ok<UsageDataRow[]>('GET', `/api/data/self/?start_timestamp=${begin}&end_timestamp=${now}`);
    expect(own.map(({ user_id, quota }) => [user_id, quota])).to.deep.equal([[user.id, 11]]);
    expect((await admin.ok<UsageDataRow[]>('GET', `/api/data/?username=${other.username}`)).map(({ quota }) => quota)).to.deep.equal([7]);
    expect((await user.send('GET', `/api/data/self?start_timestamp=${now - 40 * 86_400}&end_timestamp=${now}`)).message).to.contain(
      '31 days',
    );
  });

  it("give the dashboard everybody's usage by model in days and weeks that the span cuts", async () => {
    const monday = 1_735_516_800; // 2024-12-30
    for (const [hours, quota] of [
      [-2, 1],
      [-1, 2],
      [0, 3],
      [23, 4],
      [24, 5],
      [7 * 24 - 1, 6],
      [7 * 24, 7],
      [7 * 24 + 1, 8],
    ] as const)
      await rollUp({ at: monday + hours * hour, quota });
    await rollUp({ at: monday + 23 * hour, quota: 40, model: 'claude' });
    const asked = async (step: string, more = '') => {
      const span = `start_timestamp=${monday - hour + 10}&end_timestamp=${monday + 7 * 24 * hour}`;
      const rows = await admin.ok<UsageDataRow[]>('GET', `/api/data?${span}&default_time=${step}${more}`);
      return rows.map(({ key, created_at, count, quota }) => `${(created_at - monday) / (24 * hour)} ${key} ${count} ${quota}`);
    };
    expect(await asked('day')).to.deep.equal([
      '-1 gpt-4o 1 2',
      '0 claude 1 40',
      '0 gpt-4o 2 7',
      '1 gpt-4o 1 5',
      '6 gpt-4o 1 6',
      '7 gpt-4o 1 7',
    ]);
    expect(await asked('week')).to.deep.equal(['-7 gpt-4o 1 2', '0 claude 1 40', '0 gpt-4o 4 18', '7 gpt-4o 1 7']);
    expect(await asked('day', '&top=1')).to.deep.equal(['-1  1 2', '0  2 7', '0 claude 1 40', '1  1 5', '6  1 6', '7  1 7']);
  });

  it("give the dashboard one's usage by token, group, channel and user, in steps of an hour, a day, a week or all at once", async () => {
    const monday = 1_735_516_800; // 2024-12-30
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'laptop', unlimited_quota: true });
    await rollUp({ at: monday, quota: 5, tokenId: token.id });
    await rollUp({ at: monday + hour, quota: 6, tokenId: 0, group: 'vip' });
    await rollUp({ at: monday + 6 * 24 * hour, quota: 7, tokenId: token.id, channelId: 8 });
    const asked = (visitor: Visitor, path: string) =>
      visitor.ok<UsageDataRow[]>('GET', `/api/data${path}&start_timestamp=${monday}&end_timestamp=${monday + 7 * 24 * hour - 1}`);
    const shown = async (...of: Parameters<typeof asked>) =>
      (await asked(...of)).map(({ key, label, created_at, quota, user_id }) => {
        expect(user_id).to.equal(user.id);
        return `${(created_at - monday) / hour} ${key} ${label} ${quota}`;
      });
    const id = token.id;
    expect(await shown(user, '/self?by=token')).to.deep.equal([`0 ${id} laptop 5`, '1 0  6', `144 ${id} laptop 7`]);
    expect(await shown(user, '/self?by=token&default_time=day')).to.deep.equal(['0 0  6', `0 ${id} laptop 5`, `144 ${id} laptop 7`]);
    expect(await shown(user, '/self?by=token&default_time=week')).to.deep.equal(['0 0  6', `0 ${id} laptop 12`]);
    expect(await shown(user, '/self?by=group&default_time=total')).to.deep.equal(['0 default default 12', '0 vip vip 6']);
    expect(await shown(user, '/self?by=model&default_time=total')).to.deep.equal(['0 gpt-4o gpt-4o 18']);
    expect(await shown(user, '/self?by=user&default_time=total')).to.deep.equal([`0 ${user.id} ${user.username} 18`]);
    expect(await shown(admin, `?username=${user.username}&by=channel&default_time=total`)).to.deep.equal(['0 7  11', '0 8  7']);
    expect(await shown(user, '/self?by=token&default_time=total&top=1')).to.deep.equal(['0   6', `0 ${id} laptop 12`]);
    const refused = await user.send('GET', '/api/data/self?by=channel');
    expect([refused.success, refused.code]).to.deep.equal([false, 'insufficient_role']);
    expect((await admin.send('GET', '/api/data/self?by=channel')).success).to.equal(true);
    expect((await user.send('GET', '/api/data/self?by=colour')).success).to.equal(false);
  });

  it("give the dashboard everybody's usage by user, token, channel and group, those that cost the most apart", async () => {
    const begin = 1_736_121_600; // 2025-01-06
    const token = await other.ok<TokenView>('POST', '/api/token/', { name: 'robot', unlimited_quota: true });
    await part({ at: begin, quota: 5, tokenId: 901 });
    await part({ at: begin, quota: 6, tokenId: 902 });
    await part({ at: begin + 24 * hour, quota: 30, tokenId: token.id, userId: other.id, channelId: 9, group: 'vip' });
    const span = `start_timestamp=${begin}&end_timestamp=${begin + 48 * hour - 1}`;
    const asked = async (by: string, more = '') =>
      (await admin.ok<UsageDataRow[]>('GET', `/api/data?by=${by}&${span}${more}`)).map(
        ({ key, label, username, created_at, count, quota }) =>
          `${(created_at - begin) / hour} ${[key, label, username].join('/')} ${count} ${quota}`,
      );
    expect(await asked('user')).to.deep.equal([
      `0 ${user.id}/${user.username}/${user.username} 2 11`,
      `24 ${other.id}/${other.username}/${other.username} 1 30`,
    ]);
    expect(await asked('token')).to.deep.equal(['0 901// 1 5', '0 902// 1 6', `24 ${token.id}/robot/${other.username} 1 30`]);
    expect(await asked('token', '&top=1')).to.deep.equal(['0 // 2 11', `24 ${token.id}/robot/${other.username} 1 30`]);
    expect(await asked('channel')).to.deep.equal(['0 7// 2 11', '24 9// 1 30']);
    expect(await asked('group', '&default_time=total')).to.deep.equal(['0 default/default/ 2 11', '0 vip/vip/ 1 30']);

    await UsageByModel.create({ _id: 'earlier', hour: new Date((begin - 48 * hour) * 1000), model: 'gpt-4o' });
    const early = await admin.send('GET', `/api/data?by=group&start_timestamp=${begin - 48 * hour}&end_timestamp=${begin}`);
    expect(early.message).to.equal('Counted by group since 2025-01-06 00:00 (UTC)');
    expect((await admin.send('GET', `/api/data?by=group&${span}`)).message).to.equal('');
  });

  for (const by of ['channel', 'token', 'user'] as const)
    it(`tell exactly what the dearest ${by} cost, also on days on which hundreds cost more, and count a day again that is charged late`, async () => {
      const begin = 1_735_344_000; // 2024-12-28
      const field = `${by}Id` as const;
      const crowd = Array.from({ length: 510 }, (_, index) => index + 1000);
      const row = (at: number, key: number, quota: number) => ({
        _id:
          by === 'channel'
            ? usagePartId.channel(new Date(at * 1000), key)
            : usagePartId.token(new Date(at * 1000), by === 'user' ? key : 1, key),
        ...{ by: by === 'user' ? 'token' : by, at: new Date(at * 1000), [field]: key },
        ...{ requests: 1, promptTokens: 2, completionTokens: 3, quota },
      });
      const days = [
        { at: begin, quotas: new Map([...crowd.map((key): [number, number] => [key, 1000]), [7, 300_000]]) },
        { at: begin + 24 * hour, quotas: new Map([...crowd.map((key): [number, number] => [key, 1000]), [7, 11]]) },
      ];
      for (const { at, quotas } of days) {
        await UsageByPart.insertMany([...quotas].map(([key, quota]) => row(at, key, quota)));
        const quota = [...quotas.values()].reduce((sum, one) => sum + one);
        const together = { requests: quotas.size, promptTokens: 2 * quotas.size, completionTokens: 3 * quotas.size, quota };
        await UsageByPart.create({
          _id: usagePartId.group(new Date(at * 1000), 'x'),
          by: 'group',
          at: new Date(at * 1000),
          group: 'x',
          ...together,
        });
      }
      const last = { hour: new Date((begin + 25 * hour) * 1000), ...{ requests: 1, promptTokens: 2, completionTokens: 3, quota: 11 } };
      await UsageHourly.create({ _id: 'last', userId: 7, username: '', model: 'm', channelId: 7, tokenId: 7, group: 'x', ...last });
      const asked = async (top: number) => {
        const path = `/api/data?by=${by}&default_time=total&top=${top}&start_timestamp=${begin}&end_timestamp=${begin + 48 * hour - 1}`;
        return (await admin.ok<UsageDataRow[]>('GET', path)).map(({ key, count, token_used, quota }) => [key, count, token_used, quota]);
      };
      expect(await asked(1)).to.deep.equal([
        ['', 1020, 5100, 1_020_000],
        ['7', 2, 10, 300_011],
      ]);
      expect(await UsageDearest.countDocuments({ _id: { $regex: `^${by}\\|` } })).to.equal(2);

      const late = { $inc: { requests: 1, quota: 500_000 } };
      const moment = new Date(begin * 1000);
      await UsageByPart.updateMany({ at: moment, $or: [{ by: 'group' }, { [field]: 1001 }] }, late);
      expect(await asked(2)).to.deep.equal([
        ['', 1018, 5090, 1_018_000],
        ['1001', 3, 10, 502_000],
        ['7', 2, 10, 300_011],
      ]);
    });

  it('have the dearest of the days that are over written down by a job, those of models, too, and written again when a day is charged late', async () => {
    const day = 24 * hour;
    const yesterday = Math.floor(now / day) * day - 2 * day;
    for (const [at, quota] of [
      [yesterday + hour, 5],
      [yesterday - day, 6],
      [Math.floor(now / day) * day, 7],
    ] as const) {
      await rollUp({ at, quota });
      await part({ at, quota });
    }
    const redis = new Redis(tollgate.redisUrl);
    const board = openBoard(redis);
    const listed = async (): Promise<string[]> =>
      (await UsageDearest.find().sort({ _id: 1 }).lean()).map(({ _id, quota }) => `${_id} ${quota}`);
    const lists = (quotas: number[]) =>
      ['channel', 'model', 'token', 'user'].flatMap((by) => quotas.map((quota, place) => `${by}|${yesterday / day - 1 + place} ${quota}`));
    try {
      await eventually(async () => expect(await board.start(listDearest, {})).to.equal(true));
      await eventually(async () => expect(await listed()).to.deep.equal(lists([6, 5])));
      await rollUp({ at: yesterday, quota: 100 });
      await part({ at: yesterday, quota: 100 });
      await eventually(async () => expect(await board.start(listDearest, {})).to.equal(true));
      await eventually(async () => expect(await listed()).to.deep.equal(lists([6, 105])));
    } finally {
      await board.close();
      redis.disconnect();
    }
    const models = await admin.ok<UsageDataRow[]>(
      'GET',
      `/api/data?by=model&default_time=day&start_timestamp=${yesterday - day}&end_timestamp=${now}`,
    );
    expect(models.map(({ key, created_at, quota }) => `${key} ${(created_at - yesterday) / day} ${quota}`)).to.deep.equal([
      'gpt-4o -1 6',
      'gpt-4o 0 105',
      'gpt-4o 2 7',
    ]);
  });

  it("answer everybody's usage by hour for eight days, and by day beyond, one's own where hours are not asked for; of many steps with as many rows as somebody can look at", async () => {
    const begin = 1_736_121_600; // 2025-01-06
    const day = 24 * hour;
    for (const at of [begin + hour, begin + 2 * hour])
      for (let model = 0; model < 30; model++) await rollUp({ at, quota: model + 1, model: `m${model}` });
    const asked = (days: number, more = '') =>
      admin.ok<UsageDataRow[]>('GET', `/api/data?start_timestamp=${begin}&end_timestamp=${begin + days * day}${more}`);
    const [hours, days] = [await asked(8), await asked(9)];
    expect([...new Set(hours.map(({ created_at }) => (created_at - begin) / hour))]).to.deep.equal([1, 2]);
    expect([...new Set(days.map(({ created_at }) => (created_at - begin) / hour))]).to.deep.equal([0]);
    expect(days.length).to.equal(30);
    // 5 000 rows are 25 models and the rest over 193 hours.
    expect(hours.length).to.equal(2 * 26);
    expect(hours.filter(({ key }) => key === '').map(({ count, quota }) => [count, quota])).to.deep.equal([
      [5, 15],
      [5, 15],
    ]);
    const own = (more: string) =>
      user.ok<UsageDataRow[]>('GET', `/api/data/self?start_timestamp=${begin}&end_timestamp=${begin + 9 * day}${more}`);
    const [ownDays, ownHours] = [await own(''), await own('&default_time=hour')];
    expect([...new Set(ownDays.map(({ created_at }) => (created_at - begin) / hour))]).to.deep.equal([0]);
    expect([...new Set(ownHours.map(({ created_at }) => (created_at - begin) / hour))]).to.deep.equal([1, 2]);
    for (const rows of [hours, days, ownDays, ownHours]) expect(rows.reduce((sum, { quota }) => sum + quota, 0)).to.equal(2 * 465);
  });

  it('tell of days that nobody has listed yet what those cost that the other days show', async () => {
    const begin = 1_736_121_600;
    const day = 24 * hour;
    for (const [place, quotas] of [
      [10, 20, 30],
      [500, 1, 2],
      [7, 7, 7],
    ].entries())
      for (const [index, quota] of quotas.entries()) await part({ at: begin + place * day, quota, channelId: index + 1 });
    await UsageByPart.updateOne({ by: 'group', at: new Date((begin + day) * 1000) }, { $inc: { requests: 1 } }); // the fullest is listed first
    const totals = await totalsOf({ start: begin, end: begin + 3 * day - 1 });
    const found = await dayLists('channel', totals, { now, spareMs: -1 });
    expect([found.lists.map(({ at }) => at), found.unlisted]).to.deep.equal([[begin + day], [begin, begin + 2 * day]]);
    const { used, isExact } = await dearestOf(found, 2, (at, keys) => usedOn('channel', at, keys as number[]));
    expect(isExact).to.equal(false);
    expect([...used].map(([key, days]) => [key, [...days.values()].reduce((sum, { quota }) => sum + quota, 0)])).to.deep.equal([
      [1, 517],
      [3, 39],
    ]);
    const next = await dayLists('channel', totals, { now, spareMs: 60_000 });
    expect([next.lists.length, next.unlisted]).to.deep.equal([3, []]);
  });

  it("add everybody's usage up again when the interval is over, and none while the dashboard is off", async () => {
    const begin = 1_736_726_400; // 2025-01-13
    const used = async () => {
      const rows = await admin.ok<UsageDataRow[]>('GET', `/api/data?by=channel&start_timestamp=${begin}&end_timestamp=${begin + hour}`);
      return rows.map(({ quota }) => quota);
    };
    await part({ at: begin, quota: 5 });
    expect(await used()).to.deep.equal([5]);
    await part({ at: begin, quota: 6 });
    expect(await used()).to.deep.equal([5]);
    const real = Date.now;
    Date.now = () => real() + 6 * 60_000;
    try {
      expect(await used()).to.deep.equal([11]);
    } finally {
      Date.now = real;
    }
    await tollgate.root.ok('PUT', '/api/option/', { key: 'DataExportEnabled', value: 'false' });
    for (const path of ['/api/data', '/api/data/self'])
      expect(await admin.send('GET', path)).to.include({ success: false, code: 'data_export_off' });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'DataExportEnabled', value: 'true' });
    expect((await admin.send('GET', '/api/data')).success).to.equal(true);
  });

  interface Call {
    at?: number;
    quota?: number;
    userId?: number;
    username?: string;
    model?: string;
    upstreamModel?: string;
    tokenName?: string;
    tokenId?: number;
    group?: string;
    channelId?: number;
  }

  function row({ at = now, userId = user.id, username = user.username, model = 'gpt-4o', ...rest }: Call) {
    number += 1;
    const tokens = { promptTokens: 100, completionTokens: 25, usage, usageSource: 'upstream', endReason: 'complete', price };
    const call = {
      isStream: true,
      durationMs: 1900,
      firstTokenMs: 300,
      channelId: 7,
      channelName: 'seven',
      triedChannels: [3, 7],
      group: 'default',
      quota: 100,
    };
    return {
      _id: `request-${number}`,
      type: 2,
      at: new Date(at * 1000),
      userId,
      username,
      model,
      upstreamModel: model,
      ...tokens,
      ...call,
      ...rest,
    };
  }

  async function call(fields: Call): Promise<void> {
    await UsageLog.create(row(fields));
  }

  async function rollUp({
    at = now,
    quota = 100,
    userId = user.id,
    model = 'gpt-4o',
    tokenId = 1,
    tokenName = '',
    channelId = 7,
    group = 'default',
  }: Call): Promise<void> {
    const begin = new Date(Math.floor(at / hour) * hour * 1000);
    const $inc = { quota, requests: 1, promptTokens: 100, completionTokens: 25 };
    await UsageByModel.updateOne({ _id: `${begin.getTime()}|${model}` }, { $inc, $setOnInsert: { hour: begin, model } }, { upsert: true });
    await UsageHourly.updateOne(
      { _id: `${begin.getTime()}:${userId}:${model}:${channelId}:${tokenId}:${group}` },
      {
        $inc,
        $setOnInsert: { hour: begin, userId, username: 'x', model, channelId, tokenId, tokenName, group },
      },
      { upsert: true },
    );
  }

  async function part({
    at = now,
    quota = 100,
    userId = user.id,
    tokenId = 1,
    tokenName = '',
    channelId = 7,
    group = 'default',
  }: Call): Promise<void> {
    const $inc = { quota, requests: 1, promptTokens: 100, completionTokens: 25 };
    const moment = new Date(at * 1000);
    const dayAt = Math.floor(at / (24 * hour)) * 24 * hour;
    const parts = [
      { _id: usagePartId.group(moment, group), by: 'group', at: Math.floor(at / hour) * hour, group },
      { _id: usagePartId.channel(moment, channelId), by: 'channel', at: dayAt, channelId },
      { _id: usagePartId.token(moment, userId, tokenId), by: 'token', at: dayAt, userId, tokenId },
      { _id: usagePartId.tokenName(moment, tokenName), by: 'tokenName', at: dayAt, tokenName },
    ];
    for (const { _id, at: begin, ...who } of parts) {
      const $setOnInsert = { ...who, at: new Date(begin * 1000) };
      await UsageByPart.updateOne({ _id }, { $inc, $setOnInsert }, { upsert: true });
    }
  }
});

describe('a span of time, cut into hours or days', () => {
  const now = 100 * 3_600_000 + 1234;
  const h = (hours: number, ms = 0) => hours * 3_600_000 + ms;

  it('is whole hours only when it is open', () => {
    expect(split(0, 0, { now })).to.deep.equal({ whole: [0, h(101)], ends: [] });
    expect(split(h(7), 0, { now })).to.deep.equal({ whole: [h(7), h(101)], ends: [] });
    expect(split(h(7), h(200), { now })).to.deep.equal({ whole: [h(7), h(101)], ends: [] });
  });

  it('leaves the parts of hours at its ends', () => {
    expect(split(h(7, 1000), h(9, 5000), { now })).to.deep.equal({
      whole: [h(8), h(9)],
      ends: [
        [h(7, 1000), h(8) - 1],
        [h(9), h(9, 5999)],
      ],
    });
    expect(split(h(7), h(9, 3_599_000), { now })).to.deep.equal({ whole: [h(7), h(10)], ends: [] });
    expect(split(h(7), h(7, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7), h(7, 5999)]] });
    expect(split(h(7, 1000), h(7, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7, 1000), h(7, 5999)]] });
    expect(split(h(7, 1000), h(8, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7, 1000), h(8, 5999)]] });
  });

  it('may be cut into days', () => {
    expect(split(h(7), h(75), { now, periodMs: h(24) })).to.deep.equal({
      whole: [h(24), h(72)],
      ends: [
        [h(7), h(24) - 1],
        [h(72), h(75, 999)],
      ],
    });
  });

  it('may be empty', () => {
    expect(split(h(9), h(8), { now })).to.deep.equal({ whole: undefined, ends: [] });
  });
});
