import { type Bus, type Consumption, openBus, topics } from '@tollgate/bus';
import type { CallsRecorded, ChannelMinute, FailedCall, FurtherFailures } from '@tollgate/contracts';
import { percentileOf } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Failures } from '../src/records/failures.ts';
import { askAt, errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Records of calls', () => {
  let gateway: Gateway;
  let bus: Bus;
  let reading: Consumption;
  let user: TestUser;
  let channelId: number;
  let models = 0;
  const events: CallsRecorded[] = [];

  before(async () => {
    gateway = await startGateway({ UPSTREAM_FIRST_BYTE_MS: '1500' });
    bus = await openBus(gateway.env.BUS_URL as string);
    reading = await bus.consume({
      topic: topics.callsRecorded,
      group: 'test',
      lingerMs: 10,
      handleBatch: async (batch) => void events.push(...batch.map(({ value }) => value)),
    });
    user = await gateway.user({ balance: 1e9 });
    channelId = await gateway.channel({ name: 'records' });
    await gateway.options({ RetryTimes: '2' });
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await reading?.stop();
    await bus?.close();
    await gateway?.stop();
  });
  beforeEach(() => gateway.provider.reset());

  const failed = (): FailedCall[] => events.flatMap((event) => event.failed);
  const further = (): FurtherFailures[] => events.flatMap((event) => event.further);
  const minutes = (model: string): ChannelMinute[] => events.flatMap(({ channels }) => channels).filter((each) => each.model === model);
  const sum = (all: ChannelMinute[], field: 'attempts' | 'failovers' | 'outputTokens') =>
    all.reduce((total, each) => total + each[field], 0);
  const recorded = (id: string): Promise<FailedCall> =>
    eventually(() => failed().find((call) => call.id === id) ?? expect.fail('not recorded yet'), { timeoutMs: 10_000 });
  const idOf = (answer: Response): string => answer.headers.get('x-request-id') as string;

  /** A model of its own, served by these channels. */
  async function served(...channels: Record<string, unknown>[]): Promise<{ model: string; ids: number[] }> {
    models += 1;
    const model = `recorded-${models}`;
    await gateway.options({ ModelRatio: JSON.stringify({ [model]: 1, 'test-model': 1 }) });
    const ids = await gateway.channels(channels.map((fields) => ({ models: [model], ...fields })));
    await untilServed(gateway, user.token, model);
    return { model, ids };
  }

  it('name each refusal with its caller, its cause and what was asked for', async () => {
    const poor = await gateway.user({ balance: 0 });
    const limited = await gateway.token(user, { modelLimits: ['other-model'], modelLimitsEnabled: true });
    const elsewhere = await gateway.token(user, { allowIps: ['203.0.113.7'] });
    const closed = await gateway.token(user, { status: 2 });
    const ask = (authorization: string, fields: Record<string, unknown> = {}) => askAt(gateway.url, authorization, fields);
    const table: [Response, Partial<FailedCall>][] = [
      [await ask(poor.token.authorization), { userId: poor.id, code: 'insufficient_user_quota', status: 403, model: 'test-model' }],
      [
        await ask(user.token.authorization, { model: 'no-such' }),
        { userId: user.id, code: 'model_not_found', status: 404, model: 'no-such' },
      ],
      [await ask(limited.authorization), { tokenId: limited.id, code: 'model_not_found', status: 404, model: 'test-model' }],
      [await ask(elsewhere.authorization), { tokenId: elsewhere.id, code: 'ip_not_allowed', status: 403, model: '' }],
      [await ask(closed.authorization), { tokenId: closed.id, code: 'token_disabled', status: 401 }],
      [await ask('Bearer sk-unknown'), { userId: 0, tokenId: 0, code: 'foreign_api_key', status: 401 }],
      [await ask(user.token.authorization, { messages: 7 }), { userId: user.id, code: 'invalid_request', status: 400 }],
    ];
    for (const [answer, expected] of table) {
      expect(answer.status, expected.code).to.equal(expected.status);
      const record = await recorded(idOf(answer));
      expect(record).to.include({ ...expected, dialect: 'openai', channelId: 0 });
      expect(record.username).to.equal(expected.userId === 0 ? '' : `user-${record.userId}`);
      expect(record.attempts).to.deep.equal([]);
    }
    expect((await recorded(idOf(table[0]?.[0] as Response))).details).to.deep.equal({ available: 0, needed: 25 });
  });

  it("hold each attempt with its status, its kind and the provider's message, and why others were passed over", async () => {
    const { model, ids } = await served({ priority: 10, key: 'sk-first-account-key' }, { priority: 5 }, { priority: 1, maxInputTokens: 1 });
    gateway.provider.answersNext(
      {
        status: 401,
        json: {
          error: { message: 'Incorrect API key provided: sk-first-account-key. See https://example.com/keys', code: 'invalid_api_key' },
        },
      },
      { status: 500, json: { error: { message: 'Our fault (request id req_0123456789abcdef0123456789abcdef)' } } },
    );
    const answer = await gateway.post('/v1/chat/completions', question({ model }), {
      authorization: user.token.authorization,
      'user-agent': 'OpenAI/Python 1.99.0',
    });
    expect(answer.status).to.equal(500);
    const record = await recorded(idOf(answer));
    expect(record).to.include({
      code: 'upstream_server',
      status: 500,
      model,
      mode: 'chat',
      client: 'OpenAI/Python',
      channelId: ids[1],
      group: 'default',
    });
    expect(record.message).to.equal('Our fault (request id req_0123456789abcdef0123456789abcdef)');
    expect(record.attempts.map(({ channelId: id, status, kind }) => [id, status, kind])).to.deep.equal([
      [ids[0], 401, 'credentials'],
      [ids[1], 500, 'server'],
    ]);
    expect(record.attempts[0]?.message).to.contain('Incorrect API key provided: [key]').and.to.contain('https://example.com/keys');
    expect(record.attempts[1]?.message).to.contain('req_0123456789abcdef0123456789abcdef');
    expect(record.passedOver).to.deep.equal([{ channelId: ids[2], channelName: `channel-${ids[2]}`, reason: 'too_long' }]);
    expect(record.durationMs).to.be.at.least(record.attempts.reduce((total, { durationMs }) => total + durationMs, 0) - 2);
  });

  it('note a caller who leaves before the answer', async () => {
    gateway.provider.answers({ refuseBy: 'hang' });
    const leaving = new AbortController();
    const asked = askWith(leaving.signal).catch(() => undefined);
    await eventually(() => expect(gateway.provider.calls).to.have.length(1));
    leaving.abort();
    await asked;
    const record = await eventually(() => failed().find(({ code }) => code === 'client_gone') ?? expect.fail('not yet'), {
      timeoutMs: 10_000,
    });
    expect(record).to.include({ status: 499, userId: user.id, model: 'test-model', channelId });
  });

  it('keep ten rows per cause and minute of a flood, and count the others exactly', async () => {
    const before = { rows: failed().length, further: further().length };
    const count = 60;
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => askAt(gateway.url, `Bearer sk-storm-${n}`)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401]));
    const rows = () =>
      failed()
        .slice(before.rows)
        .filter(({ code }) => code === 'invalid_api_key' || code === 'foreign_api_key');
    const counted = () =>
      further()
        .slice(before.further)
        .filter(({ userId }) => userId === 0);
    await eventually(() => expect(rows().length + counted().reduce((total, each) => total + each.count, 0)).to.equal(count), {
      timeoutMs: 10_000,
    });
    expect(rows().length, 'a minute may have turned').to.be.at.most(40);
  });

  it('count attempts, failures, fail-overs and times by channel and model', async () => {
    const { model, ids } = await served({ priority: 10 }, { priority: 5 });
    gateway.provider.answersNext({ status: 503, json: { error: { message: 'busy' } } }, { words: 8, paceMs: 10, delayMs: 120 });
    const answer = await askAt(gateway.url, user.token.authorization, { model, stream: true });
    await answer.text();
    await eventually(() => expect(sum(minutes(model), 'attempts')).to.equal(2), { timeoutMs: 15_000 });
    const [first, second] = ids.map((id) => minutes(model).filter((each) => each.channelId === id));
    expect(first?.map(({ attempts, failures, failovers, durations }) => ({ attempts, failures, failovers, durations }))).to.deep.equal([
      { attempts: 1, failures: { overloaded: 1 }, failovers: 1, durations: {} },
    ]);
    expect([sum(second ?? [], 'failovers'), sum(second ?? [], 'outputTokens')]).to.deep.equal([0, 8]);
    const [counted] = second ?? [];
    expect(percentileOf(counted?.firstTokens ?? {}, 0.5)).to.be.within(100, percentileOf(counted?.durations ?? {}, 0.5) ?? 0);
    expect(counted?.generationMs).to.be.greaterThan(30);
  });

  it('count a stream that its provider breaks off as a failure of the channel', async () => {
    const { model } = await served({});
    gateway.provider.answers({ words: 5, breakAfter: 3, breakBy: 'destroy' });
    await (await askAt(gateway.url, user.token.authorization, { model, stream: true })).text();
    await eventually(() => expect(minutes(model).map(({ failures }) => failures)).to.deep.equal([{ interrupted: 1 }]), {
      timeoutMs: 15_000,
    });
    expect(
      failed().filter((call) => call.model === model),
      'its log row says how it ended',
    ).to.deep.equal([]);
  });

  function askWith(signal: AbortSignal): Promise<Response> {
    return fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal,
      body: JSON.stringify(question()),
      headers: { 'content-type': 'application/json', authorization: user.token.authorization },
    });
  }

  it('name the request id that the caller reads in the error', async () => {
    const { message } = await errorOf(await askAt(gateway.url, user.token.authorization, { model: 'unknown-again' }));
    const id = /request id: (\w+)/.exec(message)?.[1] ?? '';
    expect((await recorded(id)).code).to.equal('model_not_found');
  });
});

describe('Failed calls that wait for the bus', () => {
  const cause = {
    userId: 1,
    username: 'u',
    tokenId: 1,
    tokenName: 't',
    status: 429,
    code: 'rate_limit_exceeded',
    channelId: 0,
    channelName: '',
  };
  const row = { ...cause, id: 'x', at: 0 } as unknown as FailedCall;

  it('stay bounded in memory, with exact counts', () => {
    const failures = new Failures();
    const minutes = 50;
    const perMinute = 1_000;
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let call = 0; call < perMinute; call += 1) {
        const userId = call % 700;
        failures.add(String(userId), {
          ...{ id: `${minute}-${call}`, minute: minute * 60_000 },
          causeOf: () => ({ ...cause, userId }),
          rowOf: () => row,
        });
      }
    }
    const { failed, further } = failures.take();
    expect(failed.length).to.equal(1_000);
    expect(further.length).to.be.at.most(2_001);
    expect(failed.length + further.reduce((sum, { count }) => sum + count, 0)).to.equal(minutes * perMinute);
    expect(failures.isEmpty).to.equal(true);
  });
});
