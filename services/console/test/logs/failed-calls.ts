import type { JobsView, LogDetails, LogView, Page } from '@tollgate/contracts';
import { AuditLog, CallFailure, rows as stored } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Visitor } from '../support/console.ts';
import { type Logs, now } from './rows.ts';

const idAt = (second: number, tail = 'a'): string =>
  `${new Date(second * 1000).toISOString().replace(/[-T:]/g, '').slice(0, 14)}${tail.repeat(20)}`;

/** Calls that failed, beside those that were charged. */
export function failedCalls(logs: () => Logs): void {
  let number = 0;
  beforeEach(() => CallFailure.deleteMany({}));

  async function failure(fields: Record<string, unknown> = {}) {
    const { user } = logs();
    number += 1;
    const id = idAt(now, 'b').slice(0, 28) + String(number).padStart(6, '0');
    const cause = { userId: user.id, username: user.username, tokenId: 5, tokenName: 'laptop', status: 502, code: 'upstream_server' };
    const call = { group: 'default', model: 'gpt-4o', mode: 'chat', channelId: 7, channelName: 'seven', durationMs: 1_234 };
    const attempts = [
      {
        channelId: 7,
        channelName: 'seven',
        status: 500,
        kind: 'server',
        message: 'Our fault at https://a.example',
        durationMs: 900,
        priority: 0,
        weight: 1,
      },
    ];
    const passedOver = [{ channelId: 9, channelName: 'nine', reason: 'failing' }];
    await CallFailure.create({
      _id: id,
      at: new Date(now * 1000),
      ...cause,
      ...call,
      message: 'Our fault',
      dialect: 'openai',
      client: 'curl',
      attempts,
      passedOver,
      ...fields,
    });
    return (fields._id as string) ?? id;
  }
  const list = (visitor: Visitor, path: string): Promise<Page<LogView>> => visitor.ok('GET', `/api/log/${path}`);
  const detailsOf = ({ other }: LogView): LogDetails => JSON.parse(other);

  it('are listed as type 5 with status, code and every attempt', async () => {
    const { admin, call } = logs();
    await call({ at: now - 1 });
    const id = await failure();
    const [row] = (await list(admin, '?type=5')).items;
    expect(row).to.include({
      id,
      request_id: id,
      type: 5,
      content: 'Our fault',
      model_name: 'gpt-4o',
      channel: 7,
      channel_name: 'seven',
      quota: 0,
    });
    expect(detailsOf(row as LogView)).to.deep.equal({
      status_code: 502,
      error_code: 'upstream_server',
      duration_ms: 1_234,
      dialect: 'openai',
      client: 'curl',
      admin_info: {
        use_channel: ['7'],
        attempts: [
          {
            channel: 7,
            channel_name: 'seven',
            status_code: 500,
            kind: 'server',
            message: 'Our fault at https://a.example',
            duration_ms: 900,
            priority: 0,
            weight: 1,
          },
        ],
        passed_over: [{ channel: 9, channel_name: 'nine', reason: 'failing' }],
      },
    });
    expect((await list(admin, '?type=2')).items.map(({ type }) => type)).to.deep.equal([2]);
  });

  it('are shown to their owner with what was sent, without channels or providers', async () => {
    const { user, other } = logs();
    const id = await failure();
    const page = await list(user, 'self?type=5');
    expect(page.items.map((row) => ({ id: row.id, channel: row.channel, name: row.channel_name }))).to.deep.equal([
      { id, channel: 0, name: '' },
    ]);
    const text = JSON.stringify(page);
    for (const secret of ['seven', 'nine', 'a.example', 'attempts']) expect(text).not.to.contain(secret);
    expect((await list(other, 'self?type=5')).items).to.deep.equal([]);
    await failure({ userId: 0, username: '', code: 'invalid_api_key', status: 401 });
    expect((await list(user, 'self?type=5')).total).to.equal(1);
  });

  it('stand among the others by their time, on every page, with a total of both', async () => {
    const { admin, call } = logs();
    for (let second = 0; second < 30; second += 1) {
      if (second % 3 === 0) await failure({ at: new Date((now - second) * 1000) });
      else await call({ at: now - second });
    }
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(admin, `?p=${page}&page_size=8`)));
    expect(pages.map(({ total }) => total)).to.deep.equal([30, 30, 30, 30]);
    const rows = pages.flatMap(({ items }) => items);
    expect(rows.map(({ created_at }) => now - created_at)).to.deep.equal(Array.from({ length: 30 }, (_, second) => second));
    expect(rows.filter(({ type }) => type === 5).length).to.equal(10);
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(30);
  });

  it('are found by their request id, in a flood by the count of its minute', async () => {
    const { admin, user } = logs();
    const id = await failure();
    expect((await list(admin, `?request_id=${id}`)).items.map((row) => row.id)).to.deep.equal([id]);
    expect((await list(user, `self/search?keyword=${id}`)).items.map((row) => row.id)).to.deep.equal([id]);
    expect((await list(admin, `?request_id=${id}&start_timestamp=${now + 60}`)).total, 'at any time').to.equal(1);
    const minute = Math.floor(now / 60) * 60 - 600;
    const cause = { userId: user.id, username: 'u', tokenId: 5, tokenName: 'laptop', status: 429, code: 'rate_limit_exceeded' };
    const counted = { count: 412, lastId: idAt(minute + 59), channelId: 0, channelName: '' };
    await stored.callFailures().insertOne({ _id: 'further|1', at: new Date((minute + 60) * 1000 - 1), ...cause, ...counted });
    const unkept = idAt(minute + 20, 'c');
    for (const path of [`?request_id=${unkept}`, `search?keyword=${unkept}`]) {
      const [row] = (await list(admin, path)).items;
      expect(row?.content, path).to.equal('412 more calls failed alike in this minute: rate_limit_exceeded');
      expect(detailsOf(row as LogView)).to.include({ further: 412, status_code: 429 });
    }
    expect((await list(admin, `?request_id=${idAt(minute + 61)}`)).items).to.deep.equal([]);
  });

  it('say in the language of the reader why they were refused', async () => {
    const { user } = logs();
    await failure({
      code: 'insufficient_user_quota',
      status: 403,
      message: undefined,
      details: { available: 0, needed: 5 },
      attempts: undefined,
    });
    const messageIn = async (language: string) =>
      (await user.send<Page<LogView>>('GET', '/api/log/self?type=5', undefined, { 'accept-language': language })).data.items[0]?.content;
    expect(await messageIn('en')).to.match(/^Insufficient user quota/);
    expect(await messageIn('zh')).to.match(/^用户额度不足/);
  });

  it('are filtered by user, model, channel, token and group, and exported with the others', async () => {
    const { admin, other, call } = logs();
    await call({ at: now - 5 });
    await failure();
    await failure({ userId: other.id, username: other.username, model: 'rare-1', channelId: 8, tokenName: 'phone', group: 'vip' });
    for (const filter of [`username=${other.username}`, 'model_name=rare-*', 'channel=8', 'token_name=phone', 'group=vip']) {
      expect(
        (await list(admin, `?type=5&${filter}`)).items.map((row) => row.model_name),
        filter,
      ).to.deep.equal(['rare-1']);
    }
    const headers = { cookie: admin.cookie ?? '', 'new-api-user': String(admin.id) };
    const file = await fetch(`${logs().tollgate.origin}/api/log/export?format=json`, { headers });
    expect(((await file.json()) as LogView[]).map(({ type }) => type)).to.deep.equal([5, 5, 2]);
  });

  it('keep failed calls for as many days as their own option says', async () => {
    const { tollgate } = logs();
    const day = 86_400;
    const today = Math.floor(now / day) * day;
    const old = await failure({ at: new Date((today - 3 * day - 1) * 1000) });
    const kept = await failure({ at: new Date((today - 3 * day) * 1000) });
    const setDays = (value: string) => tollgate.root.ok('PUT', '/api/option/', { key: 'ErrorLogRetentionDays', value });
    try {
      await setDays('0');
      await eventually(async () => {
        const { schedules } = await tollgate.root.ok<JobsView>('GET', '/api/job');
        expect(schedules.map(({ name }) => name)).not.to.include('clear-old-failures');
      });
      await setDays('3');
      await eventually(async () => expect(await CallFailure.exists({ _id: old })).to.equal(null), { timeoutMs: 10_000 });
      expect(await CallFailure.exists({ _id: kept })).not.to.equal(null);
      await eventually(async () => expect(await AuditLog.exists({ action: 'log.failures_retention' })).not.to.equal(null));
    } finally {
      await setDays('30');
    }
  });
}
