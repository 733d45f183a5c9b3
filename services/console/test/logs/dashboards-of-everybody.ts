import type { TokenView, UsageDataRow } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageDearest, UsageHourly, usagePartId } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { dayLists, totalsOf } from '../../src/features/logs/day-lists.ts';
import { dearestOf } from '../../src/features/logs/dearest-of-lists.ts';
import { usedOn } from '../../src/features/logs/usage-dearest.ts';
import { openBoard } from '../../src/jobs/board.ts';
import { listDearest } from '../../src/jobs/list-dearest.ts';
import { hour, type Logs, now } from './rows.ts';

/** What a dashboard of everybody's usage is given: the dearest of each day, listed once and kept. */
export function dashboardsOfEverybody(logs: () => Logs): void {
  it("give the dashboard everybody's usage by user, token, channel and group, those that cost the most apart", async () => {
    const { user, other, admin, part } = logs();
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
      const { admin } = logs();
      const begin = 1_735_344_000; // 2024-12-28
      const field = `${by}Id` as const;
      const crowd = Array.from({ length: 510 }, (_, index) => index + 1000);
      const row = (at: number, key: number, quota: number) => ({
        _id:
          by === 'channel'
            ? usagePartId.channel(new Date(at * 1000), key)
            : usagePartId.token(new Date(at * 1000), by === 'user' ? key : 1, key),
        by: by === 'user' ? 'token' : by,
        at: new Date(at * 1000),
        [field]: key,
        requests: 1,
        promptTokens: 2,
        completionTokens: 3,
        quota,
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
      const last = { hour: new Date((begin + 25 * hour) * 1000), requests: 1, promptTokens: 2, completionTokens: 3, quota: 11 };
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
    const { tollgate, admin, rollUp, part } = logs();
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
    const { user, admin, rollUp } = logs();
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

  it("answer by user, token and channel in hours, and in days of the viewer's zone, where the rows are few", async () => {
    const { user, other, admin, rollUp, part } = logs();
    // Clocks in Auckland go forward on 2026-09-27 at 02:00: that day has 23 hours and begins at 12:00 UTC.
    const begin = Date.UTC(2026, 8, 26, 12) / 1000;
    for (const [hours, quota, userId] of [
      [-1, 1, user.id],
      [0, 2, user.id],
      [22, 4, other.id],
      [23, 8, other.id],
    ] as const) {
      await rollUp({ at: begin + hours * hour, quota, userId });
      await part({ at: begin + hours * hour, quota, userId });
    }
    const asked = async (more: string, from = begin - hour, to = begin + 24 * hour) => {
      const rows = await admin.ok<UsageDataRow[]>('GET', `/api/data?start_timestamp=${from}&end_timestamp=${to}&${more}`);
      return rows.map(({ step, zone, key, created_at, quota }) => `${step} ${zone} ${(created_at - begin) / hour} ${key} ${quota}`);
    };
    const [one, two] = [user.id, other.id];
    expect(await asked('by=user&default_time=hour')).to.deep.equal([
      `hour UTC -1 ${one} 1`,
      `hour UTC 0 ${one} 2`,
      `hour UTC 22 ${two} 4`,
      `hour UTC 23 ${two} 8`,
    ]);
    const days = (key: (userId: number) => string | number) => [
      `day Pacific/Auckland -24 ${key(one)} 1`,
      // Rows of one day come by their keys.
      ...[`day Pacific/Auckland 0 ${key(one)} 2`, ...(key(one) === key(two) ? [] : [`day Pacific/Auckland 0 ${key(two)} 4`])].sort(),
      `day Pacific/Auckland 23 ${key(two)} 8`,
    ];
    expect(await asked('by=user&default_time=day&zone=Pacific/Auckland')).to.deep.equal(days((id) => id));
    for (const [by, key] of [
      ['model', 'gpt-4o'],
      ['group', 'default'],
      ['channel', '7'],
    ] as const) {
      const merged = days(() => key).map((text) => text.replace(/ 0 (\S+) 2$/, ' 0 $1 6'));
      for (const look of ['first', 'second'])
        expect(
          await asked(`by=${by}&default_time=day&zone=Pacific/Auckland`, begin - 24 * hour, begin + 47 * hour - 1),
          `${by}, ${look} look`,
        ).to.deep.equal(merged);
    }
    expect(await asked('by=user&default_time=week&zone=Pacific/Auckland')).to.deep.equal([
      `week Pacific/Auckland ${-6 * 24} ${one} 3`,
      `week Pacific/Auckland ${-6 * 24} ${two} 4`,
      `week Pacific/Auckland 23 ${two} 8`,
    ]);
    expect((await admin.send('GET', '/api/data?zone=Middle/Earth')).success).to.equal(false);
  });

  it('tell of days that nobody has listed yet what those cost that the other days show', async () => {
    const { part } = logs();
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
    const { tollgate, admin, part } = logs();
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
}
