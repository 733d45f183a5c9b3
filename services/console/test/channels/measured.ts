import type { CallStatsRow, ChannelHealth, ChannelStatsAnswer, ChannelView } from '@tollgate/contracts';
import { bucketOf } from '@tollgate/contracts';
import { ChannelStats, channelStatsId, type StatsPeriod, statsPeriods } from '@tollgate/db';
import { expect } from 'chai';
import { body, type Scene } from './scene.ts';

/** Error rates and latency of channels, added up from rows of any processes. */
export function measured(scene: () => Scene): void {
  const nowMs = Date.now();
  beforeEach(() => ChannelStats.deleteMany({}));

  async function stats(
    channelId: number,
    { at = nowMs, model = 'm1', ...counts }: Record<string, unknown> & { at?: number; model?: string },
  ) {
    for (const period of Object.keys(statsPeriods) as StatsPeriod[]) {
      const begin = at - (at % statsPeriods[period].ms);
      const row = { _id: channelStatsId(period, at, { channelId, model }), period, at: new Date(begin), channelId, model };
      await ChannelStats.create({ ...row, ...counts });
    }
  }

  async function channel(): Promise<number> {
    const [made] = await scene().admin.ok<ChannelView[]>('POST', '/api/channel/', body);
    return made?.id ?? 0;
  }

  it('show error rate, latency and the last day of a channel by the hour', async () => {
    const { admin } = scene();
    const id = await channel();
    const durations = { [bucketOf(100)]: 90, [bucketOf(3_000)]: 10 };
    await stats(id, {
      attempts: 104,
      failures: { server: 2, request: 1, client_gone: 1 },
      failovers: 2,
      durations,
      firstTokens: { [bucketOf(50)]: 5 },
    });
    await stats(id, {
      at: nowMs - 5 * 3_600_000,
      model: 'm2',
      attempts: 10,
      failures: { timeout: 8 },
      outputTokens: 500,
      generationMs: 10_000,
    });
    const [health] = await admin.ok<ChannelHealth[]>('GET', `/api/channel/health?ids=${id}`);
    expect(health).to.include({ channel: id, attempts: 114, errors: 10, failovers: 2, tokens_per_second: 50 });
    expect(health?.failures).to.deep.equal({ server: 2, request: 1, client_gone: 1, timeout: 8 });
    expect(health?.recent).to.deep.equal({ attempts: 104, errors: 2 });
    expect(health?.duration?.p50).to.be.within(95, 105);
    expect(health?.duration?.p95).to.be.within(2_800, 3_200);
    expect(health?.hours).to.have.length(24);
    expect([health?.hours[23], health?.hours[18]].map((hour) => [hour?.attempts, hour?.errors])).to.deep.equal([
      [104, 2],
      [10, 8],
    ]);
    const failing = await admin.ok<ChannelHealth[]>('GET', '/api/channel/health');
    expect(failing.map((each) => each.channel)).to.deep.equal([id]);
  });

  it('tell steps and models apart', async () => {
    const { admin } = scene();
    const [id, other] = [await channel(), await channel()];
    await stats(id, { attempts: 4, failures: { server: 1 }, durations: { [bucketOf(100)]: 3 } });
    await stats(id, { at: nowMs - 3_600_000, model: 'm2', attempts: 6 });
    await stats(other, { attempts: 5, durations: { [bucketOf(900)]: 5 } });
    const answer = await admin.ok<ChannelStatsAnswer>('GET', `/api/channel/${id}/stats?step=hour`);
    expect(answer.total.attempts).to.equal(10);
    expect(answer.steps.map(({ attempts }) => attempts)).to.deep.equal([6, 4]);
    expect(answer.models.map(({ model, attempts, errors }) => [model, attempts, errors])).to.deep.equal([
      ['m2', 6, 0],
      ['m1', 4, 1],
    ]);
    const calls = await admin.ok<CallStatsRow[]>('GET', '/api/data/calls?by=channel&step=hour');
    const totals = calls.filter(({ created_at }) => created_at === 0).map(({ key, attempts, errors }) => [key, attempts, errors]);
    expect(totals).to.deep.equal([
      ['', 15, 1],
      [String(id), 10, 1],
      [String(other), 5, 0],
    ]);
    const lastHour = calls.filter(({ key, created_at }) => key === '' && created_at > 0).at(-1);
    expect(lastHour?.duration?.p99).to.be.within(860, 945);
  });

  it('refuse spans that are too long for a step, and channels that do not exist', async () => {
    const { admin } = scene();
    const id = await channel();
    const start = Math.floor(nowMs / 1000) - 40 * 86_400;
    expect((await admin.send('GET', `/api/channel/${id}/stats?step=hour&start_timestamp=${start}`)).code).to.equal('invalid_parameter');
    expect((await admin.send('GET', `/api/channel/${id}/stats?step=day&start_timestamp=${start}`)).success).to.equal(true);
    expect((await admin.send('GET', '/api/channel/999999/stats')).code).to.equal('record_not_found');
  });
}
