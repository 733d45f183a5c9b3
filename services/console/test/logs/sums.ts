import type { LogStat } from '@tollgate/contracts';
import { UsageByModel, UsageDearest, UsageHourly, UsageLog } from '@tollgate/db';
import { expect } from 'chai';
import { hour, type Logs, now } from './rows.ts';

/** What was spent in a span, from roll-ups and, where they do not reach, from rows. */
export function sums(logs: () => Logs): void {
  it('sum up whole hours from the roll-up and their ends from rows', async () => {
    const { user, other, admin, call, rollUp } = logs();
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
    const { admin, call, part } = logs();
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
    const { other, admin, call, rollUp, part } = logs();
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
    const { user, other, admin, call, rollUp, part } = logs();
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
    const { admin, rollUp, part } = logs();
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
    const { user, call } = logs();
    const justNow = Math.floor(Date.now() / 1000); // the suite may have been at work for longer than a minute
    await call({ at: justNow });
    await call({ at: justNow - 1 });
    await call({ at: justNow - 3600 });
    expect(await user.ok('GET', '/api/log/self/stat')).to.include({ rpm: 2, tpm: 250 });
  });
}
