import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AuditView, ChannelView, Page, TokenView } from '@tollgate/contracts';
import { AuditLog, Task, UsageLog } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('an export', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  let admin: Visitor & { username: string };
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    [user, admin] = await Promise.all([tollgate.newUser(), tollgate.newUser({ admin: true })]);
  });
  after(() => tollgate.close());

  /** The file as it came, without the mark that tells spreadsheets its encoding. */
  async function file(visitor: Visitor, path: string): Promise<{ type: string; name: string; text: string; lines: string[] }> {
    const { headers, body } = await fetched(visitor, path);
    const text = new TextDecoder().decode(await new Response(body).arrayBuffer());
    const name = /filename="?([^";]+)/.exec(headers.get('content-disposition') ?? '')?.[1] ?? '';
    return { type: headers.get('content-type') ?? '', name, text, lines: text.trimEnd().split('\r\n') };
  }

  function fetched({ id, cookie = '' }: Visitor, path: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${tollgate.origin}${path}`, { headers: { 'new-api-user': String(id), cookie }, ...(signal && { signal }) });
  }

  it('is the whole list as CSV, in which no text is a formula', async () => {
    for (const name of ['=1+1', '+1', '-1', '@sum', '"quoted", with a comma'])
      await user.ok('POST', '/api/token/', { name, remain_quota: 5 });
    const { type, name, lines } = await file(user, '/api/token/export');
    expect(type).to.equal('text/csv; charset=utf-8');
    expect(name).to.match(/^tokens-\d{4}-\d\d-\d\d\.csv$/);
    const column = lines[0]?.split(',').indexOf('Name') ?? -1;
    expect(lines).to.have.length(6);
    expect(lines[1]).to.contain('"""quoted"", with a comma"');
    expect(lines.slice(2).map((line) => line.split(',')[column])).to.deep.equal(["'@sum", "'-1", "'+1", "'=1+1"]);
    expect(lines[0]).to.contain('Remaining (USD),Remaining (raw quota),Unlimited quota');
    expect(lines[1]).to.contain(',0.00001,5,false');
  });

  it('of the log is a statement: whose and when in its name, headings in the language, times with a zone, dollars beside quota', async () => {
    const owner = await tollgate.newUser();
    await UsageLog.create({ ...logRow(900, owner.id), at: new Date('2026-07-01T12:00:00Z'), quota: 271, uncollected: 1 });
    const [from, to] = ['2026-07-01T00:00:00Z', '2026-07-31T00:00:00Z'].map((text) => Date.parse(text) / 1000);
    const path = `/api/log/self/export?start_timestamp=${from}&end_timestamp=${to}&zone=Pacific/Auckland`;
    const { name, lines } = await file(owner, path);
    expect(name).to.match(new RegExp(`^logs-${owner.username}-from-2026-07-01-to-2026-07-31-20\\d\\d-\\d\\d-\\d\\d\\.csv$`));
    const cellsOf = (line = '') => line.split(',');
    const [heads, cells] = [cellsOf(lines[0]?.replace('\ufeff', '')), cellsOf(lines[1])];
    const cell = (head: string): string | undefined => cells[heads.indexOf(head)];
    expect(['Time', 'Type', 'Quota (USD)', 'Quota (raw quota)', 'Not collected (USD)'].map(cell)).to.deep.equal([
      '2026-07-02T00:00:00+12:00',
      'Usage',
      '0.000542',
      '271',
      '0.000002',
    ]);
    expect(heads).not.to.include('other');
    const { id, cookie = '' } = owner;
    const chinese = await fetch(`${tollgate.origin}${path}`, { headers: { 'new-api-user': String(id), cookie, 'accept-language': 'zh' } });
    expect((await chinese.text()).split('\r\n')[0])
      .to.contain('时间,类型')
      .and.contain('额度（USD）,额度（原始额度）');
    const json = JSON.parse((await file(owner, `${path}&format=json`)).text) as { created_at: number; quota: number; other: string }[];
    expect(json[0])
      .to.include({ created_at: Date.parse('2026-07-01T12:00:00Z') / 1000, quota: 271 })
      .and.have.property('other');
  });

  it('is the whole list as JSON, under the same filters', async () => {
    const { type, text } = await file(user, '/api/token/export?format=json&keyword=sum');
    expect(type).to.contain('application/json');
    const rows = JSON.parse(text) as TokenView[];
    expect(rows.map(({ name, remain_quota }) => [name, remain_quota])).to.deep.equal([['@sum', 5]]);
    expect(JSON.parse((await file(user, '/api/token/export?format=json&keyword=nothing')).text)).to.deep.equal([]);
    expect((await user.send('GET', '/api/token/export?format=xml')).success).to.equal(false);
  });

  it('has no key in it, and no more than the list shows to whoever asks', async () => {
    const { key } = await user.ok<TokenView>('POST', '/api/token/', { name: 'secret', unlimited_quota: true });
    const channel = { name: 'upstream', type: 1, key: 'canary-channel-key', models: 'm', tag: '=cmd' };
    await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', channel);
    for (const format of ['csv', 'json']) {
      expect((await file(user, `/api/token/export?format=${format}`)).text)
        .to.contain('secret')
        .and.not.contain(key);
      const channels = await file(admin, `/api/channel/export?format=${format}`);
      expect(channels.text).to.contain('upstream').and.not.contain('canary');
    }
    expect((await file(admin, '/api/channel/export')).text).to.contain("'=cmd");
    const users = await file(admin, '/api/user/export');
    expect(users.text).to.contain(user.username).and.contain(admin.username).and.not.contain(',root,');
    expect((await file(tollgate.root, '/api/user/export')).text).to.contain(',root,');
    const [code = ''] = await admin.ok<string[]>('POST', '/api/redemption/', { name: 'spring', quota: 7, count: 1 });
    expect((await file(admin, '/api/redemption/export?keyword=spring')).text).to.contain(code);
    expect((await file(admin, '/api/order/export')).lines).to.have.length(1);
    expect((await file(user, '/api/order/self/export')).lines[0])
      .to.contain('Order number')
      .and.not.contain('callbacks');
    await UsageLog.create({ ...logRow(1, user.id), channelId: 7, channelName: 'upstream' });
    expect((await file(admin, '/api/log/export')).text).to.contain('upstream');
    expect((await file(user, '/api/log/self/export')).text)
      .to.contain('call-1')
      .and.not.contain('upstream');
    expect((await file(admin, '/api/log/self/export')).lines).to.have.length(1);
  });

  it('of drawings and of music is under the filters of their lists; where they were sent is for administrators', async () => {
    const task = { at: new Date(), updatedAt: new Date(), status: 'SUCCESS', username: user.username, userId: user.id, channelId: 77 };
    await Task.create({ ...task, _id: 'draw-1', id: 1, kind: 'drawing', action: 'IMAGINE', upstreamId: 'up-1', prompt: '=a house' });
    await Task.create({
      ...task,
      _id: 'draw-2',
      id: 2,
      kind: 'drawing',
      action: 'IMAGINE',
      upstreamId: 'up-2',
      userId: admin.id,
      status: 'FAILURE',
    });
    await Task.create({ ...task, _id: 'song-1', id: 3, kind: 'music', action: 'MUSIC', upstreamId: 'song', data: [{ title: 'A song' }] });
    const own = await file(user, '/api/mj/self/export');
    expect(own.name).to.match(/^drawings-/);
    expect(own.lines).to.have.length(2);
    expect(own.text).to.contain("'=a house").and.not.contain('Channel ID');
    const all = await file(admin, '/api/mj/export?format=json');
    expect(
      (JSON.parse(all.text) as { mj_id: string; channel_id: number }[]).map(({ mj_id, channel_id }) => [mj_id, channel_id]),
    ).to.have.deep.members([
      ['up-1', 77],
      ['up-2', 77],
    ]);
    expect((await file(admin, '/api/mj/export?status=FAILURE')).lines).to.have.length(2);
    expect((await file(user, '/api/task/self/export')).text)
      .to.contain('A song')
      .and.not.contain('Channel ID');
    expect((await file(admin, '/api/task/export?platform=suno')).lines).to.have.length(2);
    expect((await file(admin, '/api/task/export?platform=other')).lines).to.have.length(1);
    expect((await user.send('GET', '/api/mj/export')).success).to.equal(false);
  });

  describe('of many rows', () => {
    const many = 20_000;
    let owner: Visitor;
    before(async () => {
      owner = await tollgate.newUser();
      const rows = Array.from({ length: many }, (_, index) => logRow(1000 + index, owner.id));
      await UsageLog.collection.insertMany(rows as never[], { ordered: false });
    });

    it('ends when its caller leaves, and only some run at once, of one caller no more than two', async () => {
      const leaving = new AbortController();
      const waiting = await Promise.all([1, 2, 3].map(() => fetched(owner, '/api/log/self/export', leaving.signal)));
      expect(waiting.map(({ status }) => status).sort()).to.deep.equal([200, 200, 429]);
      for (const path of ['/api/log/export', '/api/log/export?type=2'])
        expect((await fetched(admin, path, leaving.signal)).status, 'there is room for others').to.equal(200);
      const refused = await fetched(tollgate.root, '/api/log/export');
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
      leaving.abort();
      await eventually(async () => {
        const { status, body } = await fetched(owner, '/api/log/self/export?token_name=nobody');
        await body?.cancel();
        expect(status).to.equal(200);
      });
    });

    it('has each of them once', async () => {
      const { lines } = await file(owner, '/api/log/self/export');
      expect(lines).to.have.length(1 + many);
      expect(new Set(lines).size).to.equal(1 + many);
    });

    it('holds little, however long it is and however slowly it is read', async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const held = (): number => {
        collect();
        const { heapUsed, external } = process.memoryUsage();
        return (heapUsed + external) / 2 ** 20;
      };
      await (await fetched(owner, '/api/log/self/export?token_name=nobody')).text();
      // What the tests before have left goes by and by.
      let rest = held();
      await eventually(() => {
        const before = rest;
        rest = held();
        expect(before - rest).to.be.lessThan(0.1);
      });
      const { body } = await fetched(owner, '/api/log/self/export');
      let [bytes, most, looks] = [0, 0, 0];
      for await (const piece of body as ReadableStream<Uint8Array>) {
        bytes += piece.length;
        if (bytes < looks << 20) continue;
        looks++;
        most = Math.max(most, held() - rest);
      }
      expect(bytes).to.be.greaterThan(3 << 20);
      expect(looks).to.be.greaterThan(2);
      expect(most, 'MB; 3.1 when this was written, and 15.6 with all rows in hand').to.be.lessThan(8);
    });
  });

  it('of the audit log, and its list, are for root, by who, what, which and when', async () => {
    await AuditLog.deleteMany({});
    await admin.ok('POST', '/api/redemption/', { name: '=audited', quota: 9, count: 2 });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'RetryTimes', value: '3' });
    const asked = async (query: string) =>
      (await tollgate.root.ok<Page<AuditView>>('GET', `/api/audit/?${query}`)).items.map(
        ({ action, actor_name }) => `${action} ${actor_name}`,
      );
    const [made, changed] = [`redemption.create ${admin.username}`, 'option.update root'];
    expect(await asked('')).to.deep.equal([changed, made]);
    expect(await asked('actor=root')).to.deep.equal([changed]);
    expect(await asked(`actor=${admin.id}`)).to.deep.equal([made]);
    expect(await asked('action=redemption.')).to.deep.equal([made]);
    expect(await asked('action=redemption')).to.deep.equal([]);
    expect(await asked('target=option:RetryTimes')).to.deep.equal([changed]);
    expect(await asked(`end_timestamp=${Math.floor(Date.now() / 1000) - 3600}`)).to.deep.equal([]);
    const [row] = (await tollgate.root.ok<Page<AuditView>>('GET', '/api/audit/?action=option.update')).items;
    expect([row?.before, row?.after].map((text) => JSON.parse(text ?? ''))).to.deep.equal(['0', '3']);
    const { lines, text } = await file(tollgate.root, '/api/audit/export?action=redemption.');
    expect(lines).to.have.length(2);
    expect(text).to.contain('""name"":""=audited""');
  });

  function logRow(number: number, userId: number) {
    return {
      _id: `call-${number}`,
      type: 2,
      at: new Date(Date.now() - number),
      userId,
      model: 'gpt-4o',
      quota: 5,
      promptTokens: 1,
      completionTokens: 1,
      content: 'x'.repeat(300),
    };
  }
});
