import { type CallLimits, limitNames, storedLimits } from '@tollgate/contracts';
import { metrics, playgroundPasses } from '@tollgate/runtime';
import { eventually, type FakeTaskProvider, startFakeProvider, startFakeTaskProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, modelRatios, startGateway, type TestUser } from './support/gateway.ts';

const words = { 'x-ratelimit-limit-requests': '2', 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '1m0s' };
/** Of each kind so much that two calls fit in it, and no third. A call here may use 14 or 15 prompt tokens, and 10 of an answer. */
const two: Record<(typeof limitNames)[number], number> = {
  requests_per_minute: 2,
  requests_per_day: 2,
  tokens_per_minute: 65,
  tokens_per_day: 65,
  concurrent: 2,
};

describe('Limits of calls', () => {
  let gateway: Gateway;
  let tasks: FakeTaskProvider;
  let passKey: Buffer;

  before(async () => {
    gateway = await startGateway();
    tasks = await startFakeTaskProvider();
    passKey = Buffer.from(gateway.env.MASTER_KEY ?? '', 'hex');
    const models = limitNames.flatMap((name) => [`model-${name}`, `channel-${name}`]);
    await gateway.options({
      RetryTimes: '2',
      ModelRatio: JSON.stringify({ ...modelRatios, ...Object.fromEntries([...models, 'spare', 'broken'].map((model) => [model, 1])) }),
      GroupLimits: JSON.stringify({
        probe: { requests_per_minute: 1_000_000 },
        ...Object.fromEntries(limitNames.map((name) => [`group-${name}`, { [name]: two[name] }])),
      }),
      ModelLimits: JSON.stringify(Object.fromEntries(limitNames.map((name) => [`model-${name}`, { [name]: two[name] }]))),
    });
    const groups = ['default', 'probe', ...limitNames.map((name) => `group-${name}`)];
    await gateway.channels([
      { models: [...Object.keys(modelRatios), ...limitNames.map((name) => `model-${name}`)], groups },
      ...limitNames.map((name) => ({ models: [`channel-${name}`], ...storedLimits({ [name]: two[name] }) })),
      { type: 5, baseUrl: tasks.url, models: ['mj_imagine'] },
      { type: 36, baseUrl: tasks.url, models: ['suno_music'] },
    ]);
    const probe = await gateway.user({ group: 'probe' });
    await eventually(async () => expect((await ask(probe)).headers.get('x-ratelimit-limit-requests')).to.equal('1000000'), {
      timeoutMs: 30_000,
    });
  });
  after(async () => {
    await gateway.stop();
    await tasks.close();
  });
  beforeEach(() => gateway.provider.reset());

  const post = (path: string, body: unknown, of: TestUser) => gateway.post(path, body, { authorization: of.token.authorization });
  const ask = (of: TestUser, fields: object = {}) => post('/v1/chat/completions', question({ max_tokens: 10, ...fields }), of);
  const limitedBy = (limits: Partial<CallLimits>) => gateway.user({ token: storedLimits(limits) });
  /** Waits until the relays know of options by what a caller sees of them. */
  const optionsNow = async (values: Parameters<Gateway['options']>[0], isSeen: () => Promise<boolean>) => {
    await gateway.options(values);
    await eventually(async () => expect(await isSeen()).to.equal(true), { timeoutMs: 20_000 });
  };
  const reached = async (labels: Record<string, string>): Promise<number> => {
    const found = (await metrics.getSingleMetric('relay_limits_reached_total')?.get())?.values ?? [];
    return found.find(({ labels: its }) => Object.entries(labels).every(([name, value]) => its[name as never] === value))?.value ?? 0;
  };

  /** Who calls for what, so that only one limit of one subject concerns him. */
  const subjects: Record<string, (name: (typeof limitNames)[number]) => Promise<[TestUser, object]>> = {
    token: async (name) => [await limitedBy({ [name]: two[name] }), {}],
    user: async () => [await gateway.user(), {}],
    group: async (name) => [await gateway.user({ group: `group-${name}` }), {}],
    model: async (name) => [await gateway.user(), { model: `model-${name}` }],
    channel: async (name) => [await gateway.user(), { model: `channel-${name}` }],
  };
  for (const [kind, callerOf] of Object.entries(subjects)) {
    it(`of each kind hold for a ${kind}: two calls pass, the third is told which limit, what is used and when to come back`, async () => {
      for (const [i, name] of limitNames.entries()) {
        if (kind === 'user') {
          // Another limit, which nobody reaches, tells that these are the ones that hold.
          const [other, header] = name.startsWith('requests') ? ['tokens_per_day', 'tokens'] : ['requests_per_day', 'requests'];
          const [asked, mark] = [await gateway.user(), 1_000_000 + i];
          await optionsNow(
            { UserLimits: JSON.stringify({ [name]: two[name], [other]: mark }) },
            async () => (await ask(asked)).headers.get(`x-ratelimit-limit-${header}`) === String(mark),
          );
        }
        const [caller, fields] = await callerOf(name);
        const isAtOnce = name === 'concurrent';
        const leaving = new AbortController();
        gateway.provider.reset();
        if (isAtOnce) {
          gateway.provider.answers({ refuseBy: 'hang' });
          for (let open = 1; open <= 2; open += 1) {
            const headers = { 'content-type': 'application/json', authorization: caller.token.authorization };
            const call = { method: 'POST', headers, body: JSON.stringify(question({ max_tokens: 10, ...fields })), signal: leaving.signal };
            fetch(`${gateway.url}/v1/chat/completions`, call).catch(() => undefined); // it hangs until we leave
            await eventually(() => expect(gateway.provider.calls).to.have.length(open));
          }
        } else {
          for (let passed = 1; passed <= 2; passed += 1) expect((await ask(caller, fields)).status, `${name} of a ${kind}`).to.equal(200);
        }
        const refused = await eventually(async () => {
          const answer = await ask(caller, fields);
          expect(answer.status, `${name} of a ${kind}`).to.equal(429);
          return answer;
        });
        const day = name.endsWith('day') ? 86_400 : 60;
        expect(Number(refused.headers.get('retry-after'))).to.be.within(1, isAtOnce ? 1 : day);
        const { code, type, message } = await errorOf(refused);
        if (kind === 'channel') {
          expect([code, type]).to.deep.equal(['upstream_saturated', 'upstream_error']);
          expect(message).to.match(/^Current group upstream load is saturated/);
        } else {
          expect([code, type]).to.deep.equal(['rate_limit_exceeded', 'rate_limit_error']);
          expect(message).to.match(new RegExp(`${name} of the ${kind}( \\S+)? is ${two[name]}, \\d+ used; try again in \\d+ s`));
        }
        leaving.abort();
        gateway.provider.reset();
        if (isAtOnce) await eventually(async () => expect((await ask(caller, fields)).status).to.equal(200));
      }
      if (kind === 'user')
        await optionsNow({ UserLimits: '{}' }, async () => !(await ask(await gateway.user())).headers.has('x-ratelimit-limit-requests'));
    });
  }

  it('are told in each dialect, in headers as OpenAI’s and in the words of its errors', async () => {
    const messages = [{ role: 'user', content: 'Hello there' }];
    const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
    const within = (seconds: unknown) => expect(Number(seconds)).to.be.within(1, 60);
    const dialects: [path: string, body: object, check: (error: Record<string, unknown>) => void][] = [
      ['/v1/chat/completions', { model: 'test-model', messages }, ({ error }) => expect(error).to.include({ code: 'rate_limit_exceeded' })],
      [
        '/v1/responses',
        { model: 'test-model', input: 'Hello there' },
        ({ error }) => expect(error).to.include({ code: 'rate_limit_exceeded' }),
      ],
      [
        '/v1/messages',
        { model: 'test-model', max_tokens: 10, messages },
        ({ type, error }) => {
          expect(type).to.equal('error');
          expect(error).to.include({ type: 'rate_limit_error' });
        },
      ],
      [
        '/v1beta/models/test-model:generateContent',
        { contents },
        ({ error }) => {
          expect(error).to.include({ code: 429, status: 'RESOURCE_EXHAUSTED' });
          const [info] = (error as { details: Record<string, string>[] }).details;
          expect(info?.['@type']).to.equal('type.googleapis.com/google.rpc.RetryInfo');
          within(info?.retryDelay?.replace(/s$/, ''));
        },
      ],
      ['/mj/submit/imagine', { prompt: 'a tiny house' }, (told) => expect(told).to.include({ code: 23 })],
      ['/suno/submit/music', { prompt: 'rain' }, (told) => expect(told).to.include({ code: 'rate_limit_exceeded', data: null })],
    ];
    for (const [path, body, check] of dialects) {
      const caller = await limitedBy({ requests_per_minute: 2 });
      const first = await post(path, body, caller);
      expect(first.status, `${path}: ${await first.clone().text()}`).to.equal(200);
      for (const [name, value] of Object.entries(words)) expect(first.headers.get(name), `${path} ${name}`).to.equal(value);
      expect(first.headers.get('access-control-expose-headers')).to.contain('X-RateLimit-Remaining-Requests');
      expect((await post(path, body, caller)).headers.get('x-ratelimit-remaining-requests')).to.equal('0');
      const refused = await post(path, body, caller);
      expect(refused.status, path).to.equal(429);
      within(refused.headers.get('retry-after'));
      expect(refused.headers.get('x-ratelimit-remaining-requests')).to.equal('0');
      const told = (await refused.json()) as Record<string, unknown>;
      expect(JSON.stringify(told)).to.contain('requests_per_minute of the token is 2, 2 used');
      check(told);
    }
  });

  it('of tokens count what was estimated until it is known what was used', async () => {
    const caller = await limitedBy({ tokens_per_minute: 200 });
    const remaining = async (fields: object) => Number((await ask(caller, fields)).headers.get('x-ratelimit-remaining-tokens'));
    const first = await remaining({ max_tokens: 100 });
    expect(first, 'as asked for').to.be.within(80, 90);
    // 15 tokens were used; the report travels before the answer's last byte.
    await eventually(async () => expect(await remaining({ max_tokens: 10 })).to.be.within(200 - 15 * 8 - 30, 200 - 15 - 24));
    const tooLong = await ask(caller, { max_tokens: 500 });
    expect(tooLong.status).to.equal(429);
    const { code, message } = await errorOf(tooLong);
    expect(code).to.equal('call_beyond_limit');
    expect(message).to.match(/may use 5\d\d tokens, and tokens_per_minute of the token is 200/);
    expect(tooLong.headers.get('retry-after')).to.equal(null);
  });

  it('count calls that fail, that their callers leave, of the playground and of count_tokens; what these did not use is given back', async () => {
    const limits = { requests_per_minute: 5, tokens_per_minute: 1_000, concurrent: 1 };
    await optionsNow(
      { UserLimits: JSON.stringify(limits) },
      async () => (await ask(await gateway.user())).headers.get('x-ratelimit-limit-tokens') === '1000',
    );
    gateway.provider.reset();
    const caller = await gateway.user();
    const remaining = async (of: Response | Promise<Response>) => Number((await of).headers.get('x-ratelimit-remaining-requests'));
    gateway.provider.answers({ status: 400 });
    expect(await remaining(ask(caller, { max_tokens: 900 }))).to.equal(4);
    gateway.provider.answers({ refuseBy: 'hang' });
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json', authorization: caller.token.authorization };
    const call = { method: 'POST', headers, body: JSON.stringify(question({ max_tokens: 900 })), signal: leaving.signal };
    const left = fetch(`${gateway.url}/v1/chat/completions`, call).catch(() => undefined);
    await eventually(() => expect(gateway.provider.calls).to.have.length(2));
    leaving.abort();
    await left;
    await eventually(async () => expect(await gateway.openHolds(caller)).to.equal(0));
    gateway.provider.reset();
    const pass = playgroundPasses(passKey).sign(caller.id, Date.now());
    const answered = await gateway.post('/pg/chat/completions', question({ max_tokens: 900 }), { 'x-tollgate-user': pass });
    expect([answered.status, await remaining(answered)]).to.deep.equal([200, 2]);
    const counted = await post(
      '/v1/messages/count_tokens',
      { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] },
      caller,
    );
    expect([counted.status, await remaining(counted)]).to.deep.equal([200, 1]);
    await eventually(async () => expect(await gateway.openHolds(caller), 'the count holds nothing on').to.equal(0));
    expect((await ask(caller)).status).to.equal(200);
    expect((await ask(caller)).status).to.equal(429);
    await optionsNow({ UserLimits: '{}' }, async () => !(await ask(await gateway.user())).headers.has('x-ratelimit-limit-tokens'));
  });

  it('of a channel send its calls to the next one, without blame; what fails over was never asked of it', async () => {
    const second = await startFakeProvider();
    try {
      const caller = await gateway.user();
      await gateway.channels([
        { models: ['spare', 'broken'], priority: 10, ...storedLimits({ requests_per_minute: 1 }) },
        { models: ['spare', 'broken'], baseUrl: second.url },
      ]);
      const seen = () => [gateway.provider.calls.length, second.calls.length];
      gateway.provider.answers({ status: 500 });
      await eventually(async () => expect((await ask(caller, { model: 'broken' })).status).to.equal(200));
      expect(seen()).to.deep.equal([1, 1]);
      expect((await ask(caller, { model: 'broken' })).status, 'asked again: it had not counted').to.equal(200);
      expect(seen()).to.deep.equal([2, 2]);
      gateway.provider.answers({});
      const passedOver = await reached({ subject: 'channel', outcome: 'passed_over' });
      for (let call = 0; call < 4; call += 1) expect((await ask(caller, { model: 'spare' })).status).to.equal(200);
      expect(seen()).to.deep.equal([3, 5]);
      expect(await reached({ subject: 'channel', outcome: 'passed_over', limit: 'requests_per_minute' })).to.equal(passedOver + 3);
    } finally {
      await second.close();
    }
  });

  it('that are only watched refuse nothing, and the metric tells what they would refuse', async () => {
    const before = await reached({ subject: 'token', limit: 'requests_per_minute', outcome: 'watched' });
    const probe = await limitedBy({ requests_per_minute: 1 });
    await ask(probe);
    await optionsNow({ LimitShadowEnabled: 'true' }, async () => (await ask(probe)).status === 200);
    const caller = await limitedBy({ requests_per_minute: 1 });
    const since = await reached({ subject: 'token', limit: 'requests_per_minute', outcome: 'watched' });
    expect(since).to.be.above(before);
    for (let call = 0; call < 3; call += 1) expect((await ask(caller)).status).to.equal(200);
    expect(await reached({ subject: 'token', limit: 'requests_per_minute', outcome: 'watched' })).to.equal(since + 2);
    for (let call = 0; call < 3; call += 1) expect((await ask(caller, { model: 'channel-requests_per_day' })).status).to.equal(200);
    await optionsNow({ LimitShadowEnabled: 'false' }, async () => (await ask(caller)).status === 429);
  });
});
