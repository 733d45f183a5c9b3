import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Token } from '@tollgate/db';
import { playgroundPasses } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import OpenAI from 'openai';
import { WebSocket } from 'ws';
import { errorOf, framesOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('The other doors', () => {
  let gateway: Gateway;
  let user: TestUser;
  const authorized = () => ({ authorization: user.token.authorization });
  const get = (path: string, headers: Record<string, string> = authorized()) => fetch(gateway.url + path, { headers });

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channel();
    await gateway.channel({
      models: ['renamed', 'vendor/with-slash', 'no-price'],
      modelMapping: '{"renamed":"test-model"}',
      groups: ['default', 'vip'],
    });
    await gateway.options({
      ModelRatio: JSON.stringify({ 'test-model': 1, renamed: 1, 'embedding-model': 1 }),
      ModelPrice: JSON.stringify({ 'vendor/with-slash': 0.1 }),
    });
    await untilServed(gateway, user.token, 'vendor/with-slash');
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  it('lists the models that a token may call, in OpenAI’s shape, however they are priced or named', async () => {
    const list = (await (await get('/v1/models')).json()) as { object: string; data: { id: string; object: string }[] };
    expect(list.object).to.equal('list');
    expect(list.data.map(({ id }) => id)).to.deep.equal(['embedding-model', 'renamed', 'test-model', 'vendor/with-slash']);
    expect(list.data[0]).to.have.all.keys('id', 'object', 'created', 'owned_by');
    const limited = await gateway.token(user, { modelLimitsEnabled: true, modelLimits: ['renamed', 'nowhere'] });
    const own = await gateway.client(limited).models.list();
    expect(own.data.map(({ id }) => id)).to.deep.equal(['renamed']);
  });

  it('shows one model, slashes and all, and 404 for one that cannot be called', async () => {
    expect(await gateway.client(user.token).models.retrieve('vendor/with-slash')).to.include({ id: 'vendor/with-slash', object: 'model' });
    const failure = await gateway
      .client(user.token)
      .models.retrieve('no-price')
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(OpenAI.NotFoundError).and.to.include({ code: 'model_not_found' });
    expect((await get('/v1/models', {})).status).to.equal(401);
  });

  it('refuses an address that cannot be decoded as the caller’s fault, in his dialect', async () => {
    for (const path of ['/v1/models/%ff%fe', '/v1/models/half%', '/v1beta/models/%ff']) {
      const answer = await get(path);
      expect(answer.status, path).to.equal(400);
      expect((await errorOf(answer)).message).to.contain('% sign');
    }
  });

  it('shows what a token has and has used, in all four places', async () => {
    const token = await gateway.token(user, { remain: 250_000 });
    const headers = { authorization: token.authorization };
    for (const prefix of ['', '/v1']) {
      const subscription = (await (await get(`${prefix}/dashboard/billing/subscription`, headers)).json()) as Record<string, unknown>;
      expect(subscription).to.include({ object: 'billing_subscription', hard_limit_usd: 0.5, access_until: 0 });
      const usage = (await (await get(`${prefix}/dashboard/billing/usage?start_date=2026-01-01`, headers)).json()) as Record<
        string,
        unknown
      >;
      expect(usage).to.deep.equal({ object: 'list', total_usage: 0 });
    }
  });

  it('answers keys of LiteLLM by their hashes, in its header, at its paths', async () => {
    const before = await gateway.token(user, { remain: 250_000 });
    const key = 'sk-abc_DEF-12-gh_34';
    await Token.updateOne({ id: before.id }, { $set: { keyHash: createHash('sha256').update(key).digest('hex') } });
    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-litellm-api-key': `Bearer ${key}`, authorization: 'Bearer other' }]) {
      for (const path of ['/chat/completions', '/v1/chat/completions', '/openai/deployments/test-model/chat/completions']) {
        const answer = await gateway.post(path, question(), headers as Record<string, string>);
        expect(answer.status, `${path} ${await answer.text()}`).to.equal(200);
      }
      const shown = (await (await get('/key/info', headers as Record<string, string>)).json()) as { info: object };
      expect(shown.info).to.include({ user_id: String(user.id), expires: null });
    }
    const almost = await gateway.post('/v1/chat/completions', question(), { authorization: `Bearer ${key}x` });
    expect(almost.status).to.equal(401);
  });

  it('shows what its owner has where the option says so', async () => {
    const token = await gateway.token(user, { remain: 250_000 });
    const limit = async () => {
      const answer = await get('/dashboard/billing/subscription', { authorization: token.authorization });
      return ((await answer.json()) as { hard_limit_usd: number }).hard_limit_usd;
    };
    expect(await limit()).to.equal(0.5);
    await gateway.options({ DisplayTokenStatEnabled: 'false' });
    await eventually(async () => expect(await limit()).to.be.above(0.5), { timeoutMs: 20_000 });
    await gateway.options({ DisplayTokenStatEnabled: 'true' });
    await eventually(async () => expect(await limit()).to.equal(0.5), { timeoutMs: 20_000 });
  });

  it('answers what OpenAI offers and we do not with 501, anything else with 404, wrong methods with 405', async () => {
    for (const path of [
      '/v1/files',
      '/v1/files/x/content',
      '/v1/fine_tuning/jobs',
      '/v1/images/other',
      '/v1/edits',
      '/v1/chat/completions/x',
      '/v1/vector_stores/x/search',
    ]) {
      const answer = await gateway.post(path, {}, authorized());
      expect(answer.status, path).to.equal(501);
      const { code, message } = await errorOf(answer);
      expect(code).to.equal('not_implemented');
      expect(message).to.contain(`not available here (POST ${path})`);
    }
    for (const path of ['/v1/nonsense', '/v1/filesx', '/v1/models/x:nonsense']) {
      const unknown = await gateway.post(path, {}, authorized());
      expect(unknown.status, path).to.equal(404);
      expect(await unknown.text()).to.contain(`Invalid URL (POST ${path})`);
    }
    expect((await get('/v1/chat/completions')).status).to.equal(405);
  });

  it('serves calls whose base URL has doubled slashes, the version twice or not at all, or a prefix of another provider', async () => {
    const chat = [
      '//v1/chat/completions',
      '/v1/v1/chat/completions',
      '/chat/completions',
      '//chat/completions',
      '/openai/v1/chat/completions',
    ];
    const more = [
      '/v1beta/openai/chat/completions',
      '/openai/chat/completions',
      '/v1/chat/completions/chat/completions',
      '/v1//chat/completions/',
    ];
    const messages = [
      '/messages',
      '/v1/messages/v1/messages',
      '/v1/v1/messages',
      '/anthropic/v1/messages?beta=true',
      '/v1/messages/messages',
      '/v1/chat/completions/messages',
      '/v1/anthropic/messages',
    ];
    const prefixed = ['/v1/openai/chat/completions', '/v1/v1beta/openai/chat/completions', '/v1/messages/chat/completions'];
    const whole = { ...question(), max_tokens: 5 };
    for (const path of [...chat, ...more, ...prefixed, ...messages])
      expect((await gateway.post(path, whole, authorized())).status, path).to.equal(200);
    const contents = { contents: [{ parts: [{ text: 'x' }] }] };
    for (const path of [
      '/v1/v1beta/models/test-model:generateContent',
      '/models/test-model:generateContent',
      '//v1beta/models/test-model:generateContent',
      '/v1alpha/models/test-model:generateContent',
      '/v1beta/models/models/test-model:generateContent',
      '/v1beta/models/test-model%3AgenerateContent',
    ])
      expect((await gateway.post(path, contents, authorized())).status, path).to.equal(200);
    for (const path of ['/models', '//v1/models', '/v1/v1/models', '/v1beta/openai/models', '/openai/v1/models/test-model'])
      expect((await get(path)).status, path).to.equal(200);
    for (const path of ['/v1/responses/responses', '/v1/chat/completions/responses', '/openai/v1/responses'])
      expect((await gateway.post(path, { model: 'test-model', input: 'x' }, authorized())).status, path).to.equal(200);
    const counted = await gateway.post('/v1/messages/v1/messages/count_tokens', whole, authorized());
    expect(await counted.json()).to.have.property('input_tokens');
  });

  it('serves Azure’s paths, where the deployment is the model, with the key in api-key', async () => {
    const { token } = await gateway.user();
    const { model: _model, ...unnamed } = question();
    for (const base of ['', '/v1', '/openai', '/openai/v1']) {
      const path = `${base}/openai/deployments/renamed/chat/completions?api-version=2024-10-21`;
      const body = base === '' ? unnamed : { ...unnamed, model: 'another' };
      expect((await gateway.post(path, body, { 'api-key': token.key })).status).to.equal(200);
      expect(gateway.provider.lastCall().model).to.equal('test-model');
    }
    const embedded = await gateway.post('/openai/deployments/embedding-model/embeddings', { input: 'x' }, { 'api-key': `sk-${token.key}` });
    expect(embedded.status).to.equal(200);
    const wrong = await gateway.post('/openai/deployments/nowhere/chat/completions', unnamed, { 'api-key': token.key });
    expect((await errorOf(wrong)).code).to.equal('model_not_found');
  });

  it('names the right URL to a caller of a wrong path, in the caller’s dialect', async () => {
    const { host } = new URL(gateway.url);
    const openai = await gateway.post('/v1/nonsense', {}, authorized());
    expect((await errorOf(openai)).message).to.contain(`${host}/v1/chat/completions`);
    const anthropic = await gateway.post('/v1/messages/nonsense', {}, authorized());
    expect(anthropic.status).to.equal(404);
    expect(await anthropic.json()).to.have.property('type', 'error');
    const gemini = await gateway.post('/v1beta/nonsense', {}, authorized());
    expect(await gemini.text()).to.contain(`${host}/v1beta/models/{model}:generateContent`);
  });

  it('tells the official clients in their own words what is not offered, and that asking again is no use', async () => {
    const asked: string[] = [];
    const counting = (...[url, init]: Parameters<typeof fetch>) => {
      const target = String(url instanceof Request ? url.url : url);
      if (target.startsWith(gateway.url)) asked.push(target); // they also ask `data:` what forms can be sent
      return fetch(url, init);
    };
    const apiKey = `sk-${user.token.key}`;
    const openai = new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, fetch: counting });
    const anthropic = new Anthropic({ apiKey, baseURL: gateway.url, fetch: counting });
    const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
    const failure = async (work: Promise<unknown>) => {
      asked.length = 0;
      return work.then(
        () => expect.fail('nothing was refused'),
        (error: unknown) => error as { status: number; error?: unknown; message: string },
      );
    };
    const file = new File(['{}'], 'a.jsonl');
    for (const work of [
      () => openai.files.create({ file, purpose: 'batch' }),
      () => openai.batches.list(),
      () => openai.videos.list(),
      () => openai.chat.completions.retrieve('chatcmpl-1'),
    ]) {
      const refused = await failure(work());
      expect(refused.status, refused.message).to.equal(501);
      expect(refused.error).to.include({ code: 'not_implemented' });
      expect(asked).to.have.length(1);
    }
    for (const work of [() => anthropic.messages.batches.list(), () => anthropic.beta.files.list(), () => anthropic.beta.skills.list()]) {
      const refused = await failure(work());
      expect(refused.status, refused.message).to.equal(501);
      expect(refused.error).to.include({ type: 'error' }).and.to.have.nested.property('error.type', 'api_error');
      expect(asked).to.have.length(1);
    }
    for (const work of [
      () => google.files.list(),
      () => google.files.upload({ file: new Blob(['x']), config: { mimeType: 'text/plain' } }),
      () => google.caches.list(),
      () => google.batches.create({ model: 'test-model', src: [{ contents: [{ parts: [{ text: 'x' }] }] }] }),
    ]) {
      const refused = await failure(work());
      expect(refused.status, refused.message).to.equal(501);
      expect(JSON.parse(refused.message)).to.have.nested.property('error.status', 'UNIMPLEMENTED');
    }
  });

  it('tells who would speak with Gemini by WebSocket in its words that this is not offered', async () => {
    const apiKey = `sk-${user.token.key}`;
    const failed = Promise.withResolvers<string>();
    const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
    const callbacks = { onmessage: () => undefined, onerror: ({ message }: { message: string }) => failed.resolve(message) };
    void google.live.connect({ model: 'test-model', callbacks }); // is never settled when the line is refused
    expect(await failed.promise).to.contain('501');
    for (const method of ['BidiGenerateContent', 'BidiGenerateContentConstrained', 'BidiGenerateMusic']) {
      const path = `/ws/google.ai.generativelanguage.v1beta.GenerativeService.${method}`;
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}?key=${apiKey}`);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        socket.once('unexpected-response', (_request, refusal) => resolve(refusal)).once('open', () => reject(new Error('it opened')));
      });
      expect(answer.statusCode).to.equal(501);
      expect(answer.headers).to.include({ 'x-should-retry': 'false' });
      const { error } = (await json(answer)) as { error: { status: string; message: string } };
      expect(error.status).to.equal('UNIMPLEMENTED');
      expect(error.message).to.contain(`not available here (GET ${path})`).and.not.contain(user.token.key);
    }
    const other = await get('/ws/other');
    expect([other.status, (await other.json()) as object]).to.have.nested.property('1.error.status', 'NOT_FOUND');
  });

  it('lets pages of other sites call', async () => {
    const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('*');
    expect(preflight.headers.get('access-control-allow-headers')).to.match(/authorization/i);
    expect((await get('/v1/models')).headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('is alive and ready', async () => {
    expect((await get('/livez', {})).status).to.equal(200);
    expect((await get('/readyz', {})).status).to.equal(200);
  });

  it('completes and embeds', async () => {
    gateway.provider.answers({ words: 4, promptTokens: 6 });
    const completion = await gateway.client(user.token).completions.create({ model: 'test-model', prompt: 'Once' });
    expect(completion.choices[0]?.text).to.be.a('string').and.not.empty;
    const stream = await gateway
      .client(user.token)
      .completions.create({ model: 'test-model', prompt: ['Once', 'Twice'], n: 2, stream: true });
    let text = '';
    for await (const piece of stream) text += piece.choices[0]?.text ?? '';
    expect(text).to.contain('w3');
    const embedding = await gateway
      .client(user.token)
      .embeddings.create({ model: 'embedding-model', input: ['a', 'b'], encoding_format: 'float' });
    expect(embedding.data).to.have.length(2);
    expect(embedding.usage.prompt_tokens).to.equal(6);
    const inPath = await gateway.post('/v1/engines/embedding-model/embeddings', { input: 'a' }, authorized());
    expect(inPath.status).to.equal(200);
    const events = await gateway.events(user);
    expect(events.filter(({ mode }) => mode === 'embeddings')).to.have.length(2);
    expect(events.filter(({ mode }) => mode === 'completions')).to.have.length(2);
  });

  it('serves tools to the official client', async () => {
    gateway.provider.answers({ case: 'openai/tool-call' });
    const answer = await gateway.client(user.token).chat.completions.create({
      model: 'test-model',
      messages: [{ role: 'user', content: 'weather?' }],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }],
    });
    expect(answer.choices[0]?.finish_reason).to.equal('tool_calls');
    expect(answer.choices[0]?.message.tool_calls?.[0]).to.have.property('function');
  });

  it('raises the official client’s own classes of errors', async () => {
    const raised = (script: Record<string, unknown>) => {
      gateway.provider.answers(script);
      return gateway
        .client(user.token)
        .chat.completions.create(question())
        .catch((error: unknown) => error);
    };
    expect(await raised({ case: 'openai/error-429-rate' })).to.be.instanceOf(OpenAI.RateLimitError);
    expect(await raised({ status: 400, json: { error: { message: 'no', type: 'invalid_request_error' } } })).to.be.instanceOf(
      OpenAI.BadRequestError,
    );
    expect(await raised({ status: 500 })).to.be.instanceOf(OpenAI.InternalServerError);
    const poor = await gateway.user({ balance: 0 });
    const refused = await gateway
      .client(poor.token)
      .chat.completions.create(question())
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(OpenAI.PermissionDeniedError).and.to.include({ code: 'insufficient_user_quota' });
  });

  it('limits requests per user as the options say, from the moment they are set', async () => {
    const limited = await gateway.user();
    const ask = () => gateway.post('/v1/chat/completions', question(), { authorization: limited.token.authorization });
    await gateway.options({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitCount: '3',
      ModelRequestRateLimitSuccessCount: '2',
    });
    await eventually(async () => {
      const answer = await ask();
      expect(answer.status).to.equal(429);
      expect((await errorOf(answer)).code).to.equal('rate_limit_exceeded');
      expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 60);
    });
    const other = await gateway.user();
    gateway.provider.answers({ status: 400 });
    const askOther = () => gateway.post('/v1/chat/completions', question(), { authorization: other.token.authorization });
    expect([(await askOther()).status, (await askOther()).status]).to.deep.equal([400, 400]);
    gateway.provider.answers({});
    expect((await askOther()).status, 'failures are no successes').to.equal(200);
    expect((await askOther()).status, 'but they are requests').to.equal(429);
    const pass = playgroundPasses(Buffer.from(gateway.env.MASTER_KEY ?? '', 'hex')).sign(other.id, Date.now());
    const played = await gateway.post('/pg/chat/completions', question(), { 'x-tollgate-user': pass });
    expect(played.status, 'the playground is no way around').to.equal(429);
    await gateway.options({ ModelRequestRateLimitEnabled: 'false' });
    await eventually(async () => expect((await ask()).status).to.equal(200));
  });

  it('lets the console’s playground in by its pass alone, and charges the user', async () => {
    const passes = playgroundPasses(Buffer.from(gateway.env.MASTER_KEY ?? '', 'hex'));
    const ask = (pass: string, fields = {}) => gateway.post('/pg/chat/completions', question(fields), { 'x-tollgate-user': pass });
    const answer = await ask(passes.sign(user.id, Date.now()), { group: 'vip', model: 'renamed', stream: true });
    expect(answer.status).to.equal(200);
    expect((await framesOf(answer)).at(-1)).to.equal('data: [DONE]');
    expect(gateway.provider.lastCall().json).not.to.have.property('group');
    await eventually(async () =>
      expect((await gateway.events(user)).find(({ tokenName }) => tokenName === 'playground-vip')).to.include({
        tokenId: 0,
        userId: user.id,
      }),
    );
    expect((await ask(passes.sign(user.id, Date.now()), { group: 'secret' })).status).to.equal(403);
    expect((await ask(passes.sign(user.id, Date.now() - 60_000))).status).to.equal(401);
    expect((await ask(`${user.id}:9999999999999:forged`)).status).to.equal(401);
    expect((await gateway.post('/pg/chat/completions', question(), authorized())).status).to.equal(401);
  });
});
