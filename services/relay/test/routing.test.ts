import { eventually, type FakeProvider, startFakeProvider } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Channels', () => {
  let gateway: Gateway;
  let user: TestUser;
  let second: FakeProvider;
  let models = 0;

  before(async () => {
    gateway = await startGateway({ UPSTREAM_FIRST_BYTE_MS: '1500', UPSTREAM_CONNECT_MS: '1000' });
    second = await startFakeProvider();
    user = await gateway.user({ balance: 1e9 });
  });
  after(async () => {
    await second.close();
    await gateway.stop();
  });
  beforeEach(async () => {
    gateway.provider.reset();
    second.reset();
    await gateway.options({ RetryTimes: '3' });
  });

  const ask = (model: string, fields: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', question({ model, ...fields }), { authorization: user.token.authorization });

  /** Channels of a model of their own, and the model's name. */
  async function channels(...all: Record<string, unknown>[]): Promise<{ model: string; ids: number[] }> {
    models += 1;
    const model = `routed-${models}`;
    await gateway.options({ ModelRatio: JSON.stringify({ [model]: 1, 'test-model': 1 }) });
    const ids = await gateway.channels(all.map((fields) => ({ models: [model], ...fields })));
    await untilServed(gateway, user.token, model);
    return { model, ids };
  }

  it('prefers the higher priority, and shares a tier by weight', async () => {
    const { model } = await channels({ baseUrl: second.url, priority: -5, weight: 100 }, { weight: 30 }, { key: 'heavy-key', weight: 90 });
    for (let call = 0; call < 140; call += 1) expect((await ask(model)).status).to.equal(200);
    expect(second.calls).to.have.length(0);
    const heavy = gateway.provider.calls.filter(({ headers }) => headers.authorization === 'Bearer heavy-key').length;
    expect(heavy, '100 of 140').to.be.within(75, 125);
  });

  it('tries the next channel of the tier, then the next tier, and none twice', async () => {
    gateway.provider.answers({ status: 500 });
    const { model, ids } = await channels({ priority: 10 }, { priority: 10 }, { priority: 0, baseUrl: second.url });
    const answer = await ask(model);
    expect(answer.status).to.equal(200);
    expect(gateway.provider.calls).to.have.length(2);
    expect(second.calls).to.have.length(1);
    const event = (await gateway.events(user)).find((candidate) => candidate.model === model) as {
      triedChannels: number[];
      channelId: number;
    };
    expect([...event.triedChannels].sort()).to.deep.equal([...ids].sort());
    expect(event.channelId).to.equal(ids[2]);
  });

  it('gives a request that is too long for a channel to the next one, and says so where all are too short', async () => {
    const { model, ids } = await channels({ priority: 10, maxInputTokens: 50 }, { baseUrl: second.url, maxInputTokens: 500 });
    expect((await ask(model)).status).to.equal(200);
    expect([gateway.provider.calls.length, second.calls.length]).to.deep.equal([1, 0]);
    const long = (words: number) => ({ messages: [{ role: 'user', content: 'word '.repeat(words) }] });
    expect((await ask(model, long(200))).status).to.equal(200);
    expect([gateway.provider.calls.length, second.calls.length]).to.deep.equal([1, 1]);
    const held = await gateway.held(user);
    const refused = await ask(model, long(2000));
    expect(refused.status).to.equal(400);
    const { code, message } = await errorOf(refused);
    expect(code).to.equal('request_too_long');
    expect(message).to.contain('at most 500');
    expect(gateway.provider.calls.length + second.calls.length).to.equal(2);
    await eventually(async () => expect(await gateway.held(user), 'nothing more').to.equal(held));
    await gateway.changeChannel(ids[1] as number, { maxInputTokens: 0 });
    await eventually(async () => expect((await ask(model, long(2000))).status).to.equal(200));
  });

  it('leaves a channel alone whose time is over, from that moment on', async () => {
    const { model, ids } = await channels({ priority: 10 }, { baseUrl: second.url, expiresAt: new Date(Date.now() - 1000) });
    await gateway.changeChannel(ids[0] as number, { expiresAt: new Date(Date.now() + 1500) });
    expect((await ask(model)).status).to.equal(200);
    await eventually(async () => {
      const answer = await ask(model);
      expect(answer.status).to.equal(503);
      expect((await errorOf(answer)).code).to.equal('no_available_channel');
    });
    expect(second.calls).to.deep.equal([]);
    await gateway.changeChannel(ids[1] as number, { expiresAt: null });
    await eventually(async () => expect((await ask(model)).status).to.equal(200));
    expect(second.calls).not.to.deep.equal([]);
  });

  it('answers 503 in the dialect of the caller while every channel of a model is disabled', async () => {
    const { model, ids } = await channels({});
    const { authorization } = user.token;
    const hello = [{ role: 'user', content: 'hello' }];
    const asks: [string, unknown, (body: unknown) => unknown][] = [
      ['/v1/chat/completions', { model, messages: hello }, (body) => (body as { error: { message: string } }).error.message],
      ['/v1/messages', { model, max_tokens: 9, messages: hello }, (body) => (body as { error: { message: string } }).error.message],
      ['/v1/responses', { model, input: 'hello' }, (body) => (body as { error: { message: string } }).error.message],
      [
        `/v1beta/models/${model}:generateContent`,
        { contents: [{ parts: [{ text: 'hello' }] }] },
        (body) => {
          const { error } = body as { error: { message: string; status: string } };
          expect(error.status).to.equal('UNAVAILABLE');
          return error.message;
        },
      ],
    ];
    for (const [status, retryAfter] of [
      [2, null],
      [3, '30'],
    ] as const) {
      await gateway.changeChannel(ids[0] as number, { status });
      await eventually(async () => expect((await ask(model)).headers.get('retry-after')).to.equal(retryAfter));
      for (const [path, body, messageIn] of asks) {
        const answer = await gateway.post(path, body, { authorization });
        expect([answer.status, messageIn(await answer.json())], path).to.satisfy(
          ([code, message]: [number, string]) => code === 503 && message.startsWith('No available channels'),
        );
      }
    }
    await gateway.changeChannel(ids[0] as number, { status: 1 });
    await eventually(async () => expect((await ask(model)).status).to.equal(200));
    const { status } = await ask('never-served');
    expect(status).to.equal(404);
  });

  it('stops after as many retries as the option says', async () => {
    await gateway.options({ RetryTimes: '1' });
    gateway.provider.answers({ status: 503 });
    const { model } = await channels({}, {}, {});
    await eventually(async () => {
      gateway.provider.reset();
      gateway.provider.answers({ status: 503 });
      expect((await ask(model)).status).to.equal(503);
      expect(gateway.provider.calls).to.have.length(2);
    });
  });

  it('goes on with the next channel also in a stream that has shown nothing yet', async () => {
    for (const script of [
      { status: 500 },
      { refuseBy: 'destroy' as const },
      { words: 5, breakAfter: 0, breakBy: 'error' as const },
      { words: 5, breakAfter: 0, breakBy: 'destroy' as const },
    ]) {
      gateway.provider.answers(script);
      const { model } = await channels({ priority: 10 }, { baseUrl: second.url });
      const answer = await ask(model, { stream: true });
      expect(answer.status, JSON.stringify(script)).to.equal(200);
      const text = await answer.text();
      expect(text).to.contain('w4').and.not.contain('error');
      expect(text.endsWith('data: [DONE]\n\n')).to.equal(true);
    }
  });

  it('tells the caller of errors of his request in the provider’s own words, and asks no one else', async () => {
    const { model } = await channels({}, {});
    for (const [name, status] of [
      ['openai/error-429-rate', 429],
      ['azure/error-400-content-filter', 400],
    ] as const) {
      gateway.provider.reset();
      gateway.provider.answers({ case: name });
      const answer = await ask(model);
      expect(answer.status).to.equal(status);
      const error = await errorOf(answer);
      expect(error.message)
        .to.match(/request id: \w+\)$/)
        .and.not.contain('cannot be read');
      if (status === 400) expect(gateway.provider.calls).to.have.length(1);
    }
  });

  it('keeps its own troubles with a provider from the caller: a refused key is no 401, and no key is shown', async () => {
    const { model } = await channels({ key: 'sk-very-secret-upstream-key' });
    for (const name of ['openai/error-401', 'openai/error-429-quota']) {
      gateway.provider.answers({ case: name });
      const answer = await ask(model);
      expect(answer.status).to.equal(502);
      expect(JSON.stringify(await answer.json())).not.to.match(/secret|sk-|incorrect|billing|quota/i);
    }
    const [reported] = await gateway.redis.lrange('channel:failures', 0, 0);
    expect(JSON.parse(reported ?? '{}')).to.include({ kind: 'credentials' });
  });

  it('answers HTML, half a JSON and silence as errors of the provider', async () => {
    await gateway.options({ RetryTimes: '0' });
    const { model } = await channels({});
    for (const [script, status] of [
      [{ text: '<html>bad gateway</html>', status: 502 }, 502],
      [{ text: '<html>fine</html>' }, 502],
      [{ text: '{"choices":[{"mess', contentType: 'application/json' }, 502],
      [{ json: { error: { message: 'overloaded', type: 'server_error' } } }, 500],
      [{ refuseBy: 'hang' as const }, 504],
      [{ refuseBy: 'destroy' as const }, 502],
    ] as const) {
      gateway.provider.answers(script);
      const answer = await ask(model);
      expect(answer.status, JSON.stringify(script)).to.equal(status);
      expect(JSON.stringify(await answer.json())).not.to.contain('html');
    }
  });

  it('answers 503 when a channel exists and none answers, and names no address', async () => {
    const { model, ids } = await channels({ baseUrl: 'http://127.0.0.1:9' });
    const answer = await ask(model);
    expect(answer.status).to.equal(502);
    expect(JSON.stringify(await answer.json())).not.to.contain('127.0.0.1');
    await gateway.changeChannel(ids[0] as number, { status: 3 });
    await eventually(async () => expect((await ask(model)).status).to.equal(503));
    await gateway.changeChannel(ids[0] as number, { groups: ['elsewhere'] });
    await eventually(async () => expect((await ask(model)).status).to.equal(404));
  });

  it('leaves a provider alone as long as it asks for it, unless there is nobody else', async () => {
    const slowDown = {
      status: 429,
      headers: { 'retry-after': '30' },
      json: { error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' } },
    };
    gateway.provider.answers(slowDown);
    const { model, ids } = await channels({ priority: 10 }, { baseUrl: second.url });
    for (let call = 0; call < 5; call += 1) expect((await ask(model)).status).to.equal(200);
    expect(gateway.provider.calls, 'asked once, then left alone').to.have.length(1);
    await gateway.changeChannel(ids[1] as number, { status: 2 });
    await eventually(async () => {
      const answer = await ask(model);
      expect(answer.status).to.equal(429);
      expect((await errorOf(answer)).message).to.contain('slow down');
      expect(answer.headers.get('retry-after')).to.equal('30');
    });
  });

  it('shuts a failing channel off, tries it again after a while, and takes it back', async () => {
    await gateway.options({ RetryTimes: '0' });
    gateway.provider.answers({ status: 500 });
    const { model } = await channels({});
    for (let call = 0; call < 10; call += 1) await (await ask(model)).text();
    const asked = gateway.provider.calls.length;
    const refused = await ask(model);
    expect(refused.status).to.equal(503);
    expect((await errorOf(refused)).code).to.equal('no_available_channel');
    expect(refused.headers.get('retry-after')).not.to.equal(null);
    expect(gateway.provider.calls).to.have.length(asked);
    gateway.provider.answers({});
    await eventually(async () => expect((await ask(model)).status).to.equal(200), { timeoutMs: 10_000 });
    for (let call = 0; call < 5; call += 1) expect((await ask(model)).status).to.equal(200);
  });

  it('never shuts a channel off for what callers did wrong', async () => {
    gateway.provider.answers({ status: 400, json: { error: { message: 'bad request', type: 'invalid_request_error' } } });
    const { model } = await channels({});
    for (let call = 0; call < 30; call += 1) expect((await ask(model)).status).to.equal(400);
  });

  it('maps model names, in chains and without going in circles, and bills the name that was asked for', async () => {
    const { model } = await channels({ modelMapping: JSON.stringify({ 'routed-0': 'x' }) });
    await gateway.channel({ models: [`${model}-a`], modelMapping: JSON.stringify({ [`${model}-a`]: 'b', b: 'c', c: 'b' }) });
    await gateway.options({ ModelRatio: JSON.stringify({ [`${model}-a`]: 1 }) });
    await eventually(async () => expect((await ask(`${model}-a`)).status).to.equal(200));
    expect(gateway.provider.lastCall().model).to.equal('c');
    const event = (await gateway.events(user)).find((candidate) => candidate.model === `${model}-a`);
    expect(event).to.include({ upstreamModel: 'c' });
  });

  it('maps statuses for the caller', async () => {
    gateway.provider.answers({ status: 400, json: { error: { message: 'too long', type: 'invalid_request_error' } } });
    const { model } = await channels({ statusCodeMapping: '{"400":"413"}' });
    const answer = await ask(model);
    expect(answer.status).to.equal(413);
    expect((await errorOf(answer)).message).to.contain('too long');
  });

  it('names EGRESS_ALLOW, not the address, when a channel leads inside', async () => {
    const { model } = await channels({ baseUrl: 'http://10.1.2.3:8080' });
    const answer = await ask(model);
    expect(answer.status).to.equal(403);
    const { message } = await errorOf(answer);
    expect(message).to.contain('EGRESS_ALLOW').and.not.contain('10.1.2.3');
  });

  it('passes nothing of the provider’s headers on, and nothing of the caller’s', async () => {
    gateway.provider.answers({
      headers: { 'set-cookie': 'a=b', server: 'secret', 'openai-organization': 'org-1', 'x-request-id': 'theirs' },
    });
    const { model } = await channels({});
    const answer = await gateway.post('/v1/chat/completions', question({ model }), {
      authorization: user.token.authorization,
      cookie: 'session=1',
      'x-forwarded-for': '1.2.3.4',
      'x-custom': 'y',
    });
    for (const name of ['set-cookie', 'server', 'openai-organization']) expect(answer.headers.get(name)).to.equal(null);
    expect(answer.headers.get('x-request-id')).not.to.equal('theirs');
    const sent = gateway.provider.lastCall().headers;
    for (const name of ['cookie', 'x-forwarded-for', 'x-custom']) expect(sent[name]).to.equal(undefined);
    expect(sent['accept-encoding']).to.equal('identity');
  });
});
