import type { LogStat, LogView, Page, UsageDataRow } from '@tollgate/contracts';
import { UsageLog } from '@tollgate/db';
import { expect } from 'chai';
import { hour, type Logs, now, price, usage } from './rows.ts';

/** What a log tells, to whom, and which logs somebody finds. */
export function shownAndFiltered(logs: () => Logs): void {
  it('show a call with all that its price rests on', async () => {
    const { user, admin, call } = logs();
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
    const { admin, call } = logs();
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
    const { user, other, call } = logs();
    await call({ userId: user.id });
    await call({ userId: other.id });
    const { items } = await user.ok<Page<LogView>>('GET', `/api/log/self/?username=${other.username}&channel=7&user_id=${other.id}`);
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ user_id: user.id, channel: 0, channel_name: '' });
    expect(JSON.parse(items[0]?.other ?? '')).not.to.have.property('admin_info');
    expect((await user.send('GET', '/api/log/')).code).to.equal('insufficient_role');
  });

  it('are filtered', async () => {
    const { user, other, admin, call } = logs();
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
    const { user, admin } = logs();
    const span = `start_timestamp=${now}&end_timestamp=${now - 100}`;
    expect(await admin.ok<Page<LogView>>('GET', `/api/log/?${span}`)).to.include({ total: 0 });
    expect(await admin.ok<LogStat>('GET', `/api/log/stat?${span}`)).to.include({ quota: 0 });
    expect(await admin.ok<UsageDataRow[]>('GET', `/api/data/?${span}`)).to.deep.equal([]);
    expect(await user.ok<UsageDataRow[]>('GET', `/api/data/self/?${span}`)).to.deep.equal([]);
  });

  it('and their sums and dashboards answer moments, numbers and names that nobody means, or say what is wrong with them', async () => {
    const { admin } = logs();
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
    const { user, admin, row, call } = logs();
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
    expect(await user.ok('GET', stat)).to.deep.equal({ quota: 15, uncollected: 0, given_back: 0, rpm: 0, tpm: 0 });
  });

  it('stay a users own when somebody else takes over a former name', async () => {
    const { user, other, admin, call } = logs();
    await call({ userId: other.id, username: user.username });
    expect((await admin.ok<Page<LogView>>('GET', `/api/log/?username=${user.username}`)).items).to.deep.equal([]);
    expect((await user.ok<LogStat>('GET', `/api/log/self/stat?username=${user.username}`)).quota).to.equal(0);
  });
}
