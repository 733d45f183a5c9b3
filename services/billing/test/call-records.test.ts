import { type CallsRecorded, type ChannelMinute, callsRecordedVersion, type FailedCall } from '@tollgate/contracts';
import { rows } from '@tollgate/db';
import { freshId, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { recordCalls } from '../src/call-records/record-calls.ts';

const minute = Date.parse('2026-11-01T10:59:00Z');

describe('Records of calls', () => {
  withMoneyStores();

  const processOf = () => freshId().toString(16).padStart(16, '0').slice(-16);
  const eventOf = (process: string, sequence: number, fields: Partial<CallsRecorded>): CallsRecorded => ({
    version: callsRecordedVersion,
    process,
    sequence,
    failed: [],
    further: [],
    channels: [],
    ...fields,
  });
  const counts = (channelId: number, fields: Partial<ChannelMinute> = {}): ChannelMinute => ({
    minute,
    channelId,
    model: 'm.1',
    attempts: 3,
    failures: { server: 1 },
    failovers: 1,
    durations: { 40: 1, 41: 1 },
    firstTokens: { 30: 2 },
    outputTokens: 20,
    generationMs: 400,
    ...fields,
  });
  const cause = {
    userId: 7,
    username: 'u',
    tokenId: 9,
    tokenName: 't',
    status: 429,
    code: 'rate_limit_exceeded',
    channelId: 0,
    channelName: '',
  };
  const failedCall = (id: string): FailedCall => ({
    ...cause,
    id,
    at: minute,
    group: 'default',
    mode: 'chat',
    model: 'm',
    dialect: 'openai',
    client: 'curl',
    isStream: false,
    durationMs: 5,
    details: { name: 'requests' },
    attempts: [],
    passedOver: [],
  });

  it('count each event once, however often and in whatever pieces it is delivered', async () => {
    const channelId = freshId();
    const [one, other] = [processOf(), processOf()];
    const events = [
      eventOf(one, 1, { channels: [counts(channelId)] }),
      eventOf(one, 2, { channels: [counts(channelId, { minute: minute + 60_000, durations: { 40: 2 }, failures: {} })] }),
      eventOf(other, 1, { channels: [counts(channelId, { failures: { timeout: 2 } })] }),
    ];
    await recordCalls(events.slice(0, 2));
    await recordCalls(events);
    await recordCalls(events.slice(1));
    const stored = await rows.channelStats().find({ channelId }).toArray();
    const of = (period: string) =>
      stored
        .filter((row) => row.period === period)
        .map(({ at, attempts, failures, durations, failovers }) => ({ at: at.toISOString(), attempts, failures, durations, failovers }))
        .sort((a, b) => (a.at < b.at ? -1 : 1));
    const first = { attempts: 6, failures: { server: 1, timeout: 2 }, durations: { 40: 2, 41: 2 }, failovers: 2 };
    expect(of('minute')).to.deep.equal([
      { at: '2026-11-01T10:59:00.000Z', ...first },
      { at: '2026-11-01T11:00:00.000Z', attempts: 3, failures: undefined, durations: { 40: 2 }, failovers: 1 },
    ]);
    expect(of('hour').map(({ at, attempts }) => [at, attempts])).to.deep.equal([
      ['2026-11-01T10:00:00.000Z', 6],
      ['2026-11-01T11:00:00.000Z', 3],
    ]);
    expect(of('day')).to.deep.equal([
      { at: '2026-11-01T00:00:00.000Z', attempts: 9, failures: { server: 1, timeout: 2 }, durations: { 40: 4, 41: 2 }, failovers: 3 },
    ]);
  });

  it('store a failed call once and add up the further ones of all relays', async () => {
    const id = `failed-${freshId()}`;
    const userId = freshId();
    const further = { ...cause, userId, minute, count: 400, lastId: 'last' };
    const processes = [processOf(), processOf()];
    const events = processes.map((process) => eventOf(process, 1, { failed: [failedCall(id)], further: [further] }));
    await recordCalls(events);
    await recordCalls(events);
    expect(await rows.callFailures().countDocuments({ _id: id })).to.equal(1);
    const counted = await rows.callFailures().find({ userId }).toArray();
    expect(counted).to.have.length(1);
    expect(counted[0]).to.include({ count: 800, code: 'rate_limit_exceeded', lastId: 'last' });
  });
});
