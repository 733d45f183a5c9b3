import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChannelTestsView, ChannelView, JobsView } from '@tollgate/contracts';
import { AuditLog, Channel } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole } from './support/console.ts';

interface Asked {
  path: string;
  body: Record<string, unknown>;
}

const refusal = { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' } };
const answer = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const streamsOnly = { message: 'This model only support stream mode, please enable the stream parameter', code: 'invalid_parameter_error' };
const piece = { id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] };
const streamed = `data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`;
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

describe('testing channels', () => {
  let tollgate: TestConsole;
  let upstream: Server;
  let url: string;
  let redis: Redis;
  let asked: Asked[] = [];
  /** While it is there, the upstream does not answer. */
  let held: Promise<void> | undefined;
  /** What it says of its money instead of an amount. */
  let billing: unknown;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    redis = new Redis(tollgate.redisUrl);
    upstream = createServer(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      asked.push({ path: request.url ?? '', body: bodyIn(text) });
      if (held) await held;
      const bad = request.headers.authorization === 'Bearer sk-bad';
      if (request.url?.includes('/speech')) return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound');
      const { model, stream } = asked.at(-1)?.body ?? {};
      if (model === 'streams-only' && stream !== true)
        return void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: streamsOnly }));
      if (stream === true) return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamed);
      response.writeHead(bad ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(replyTo(request.url ?? '', bad)));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  after(async () => {
    redis.disconnect();
    upstream.closeAllConnections();
    upstream.close();
    await tollgate.close();
  });
  beforeEach(async () => {
    asked = [];
    await Channel.deleteMany({});
    for (const key of ['AutomaticDisableChannelEnabled', 'AutomaticEnableChannelEnabled']) await option(key, 'false');
  });

  it('asks a small question, by the channels own mapping, and notes how long it took', async () => {
    const id = await channel({ models: 'a,b', test_model: 'b', model_mapping: '{"b":"upstream-b"}' });
    const reply = (await tollgate.root.send('GET', `/api/channel/test/${id}`)) as unknown as { success: boolean; time: number };
    expect(reply).to.include({ success: true, message: '' });
    expect(reply.time).to.be.within(0, 30);
    expect(asked).to.deep.equal([
      { path: '/v1/chat/completions', body: { model: 'upstream-b', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 } },
    ]);
    const view = await tollgate.root.ok<ChannelView>('GET', `/api/channel/${id}`);
    expect(view.test_time).to.be.closeTo(Date.now() / 1000, 30);
    expect(view.test_error).to.equal('');
  });

  it('asks embedding models and reasoning models their own way', async () => {
    const id = await channel({ models: 'o3-mini' });
    await tollgate.root.ok('GET', `/api/channel/test/${id}?model=text-embedding-3-small`);
    await tollgate.root.ok('GET', `/api/channel/test/${id}`);
    expect(asked.map(({ path, body }) => [path, body.input ?? body.max_completion_tokens])).to.deep.equal([
      ['/v1/embeddings', 'hi'],
      ['/v1/chat/completions', 10],
    ]);
  });

  it('asks every model what it is for: pictures, sound, judgements, rankings', async () => {
    const id = await channel({ models: 'gpt-4o' });
    for (const model of ['dall-e-3', 'tts-1', 'whisper-1', 'omni-moderation-latest', 'bge-reranker-v2']) {
      await tollgate.root.ok('GET', `/api/channel/test/${id}?model=${model}`);
    }
    expect(asked.map(({ path, body }) => [path, body.prompt ?? body.input ?? body.query ?? body.model])).to.deep.equal([
      ['/v1/images/generations', 'a dot'],
      ['/v1/audio/speech', 'hi'],
      ['/v1/audio/transcriptions', 'whisper-1'],
      ['/v1/moderations', 'hi'],
      ['/v1/rerank', 'hi'],
    ]);
    const jina = await channel({ type: 38, models: 'jina-reranker-v2' });
    await tollgate.root.ok('GET', `/api/channel/test/${jina}`);
    expect(asked.at(-1)?.path).to.equal('/v1/rerank');
  });

  it('asks each model at the endpoint that the catalog states for its upstream name', async () => {
    const mapping = { ranker: 'bge-reranker-v2-m3', vectors: 'text-embedding-3-small', thinker: 'o3-pro', painter: 'gpt-image-1' };
    const models = [...Object.keys(mapping), 'gpt-5-codex', 'gpt-5-pro', 'codex-mini-latest', 'gpt-3.5-turbo-instruct', 'gpt-5.1'];
    const id = await channel({ models: models.join(','), model_mapping: JSON.stringify(mapping) });
    for (const model of models) await tollgate.root.ok('GET', `/api/channel/test/${id}?model=${model}`);
    expect(asked.map(({ path, body }) => [path, body.model])).to.deep.equal([
      ['/v1/rerank', 'bge-reranker-v2-m3'],
      ['/v1/embeddings', 'text-embedding-3-small'],
      ['/v1/responses', 'o3-pro'],
      ['/v1/images/generations', 'gpt-image-1'],
      ['/v1/responses', 'gpt-5-codex'],
      ['/v1/responses', 'gpt-5-pro'],
      ['/v1/responses', 'codex-mini-latest'],
      ['/v1/completions', 'gpt-3.5-turbo-instruct'],
      ['/v1/chat/completions', 'gpt-5.1'],
    ]);
  });

  it('asks again by a stream where a model refuses other calls', async () => {
    const id = await channel({ models: 'streams-only' });
    await tollgate.root.ok('GET', `/api/channel/test/${id}`);
    expect(asked.map(({ body }) => body.stream ?? false)).to.deep.equal([false, true]);
  });

  it('says what a provider says, and which types it cannot test', async () => {
    const bad = await channel({ key: 'sk-bad' });
    expect(await tollgate.root.send('GET', `/api/channel/test/${bad}`)).to.include({
      success: false,
      message: 'Incorrect API key provided',
    });
    const gone = await channel({ base_url: 'http://127.0.0.1:9' });
    expect((await tollgate.root.send('GET', `/api/channel/test/${gone}`)).message).to.equal('it cannot be reached');
    const failed = await tollgate.root.ok<ChannelView>('GET', `/api/channel/${gone}`);
    expect(failed).to.include({ test_error: 'it cannot be reached' });
    const drawing = await channel({});
    await Channel.updateOne({ id: drawing }, { type: 2 });
    expect((await tollgate.root.send('GET', `/api/channel/test/${drawing}`)).message).to.equal('Channels of this type cannot be tested');
    expect((await tollgate.root.send('GET', '/api/channel/test/99999')).code).to.equal('record_not_found');
  });

  it('of all channels runs once at a time, and obeys the switches', async () => {
    const good = await channel({});
    const bad = await channel({ key: 'sk-bad' });
    const kept = await channel({ key: 'sk-bad', auto_ban: 0 });
    await option('AutomaticDisableChannelEnabled', 'true');
    const replies = await Promise.all([1, 2].map(() => tollgate.root.send('GET', '/api/channel/test')));
    expect(replies.filter(({ success }) => success)).to.have.length(1);
    expect(replies.find(({ success }) => !success)?.message).to.equal('Test is already running');
    await testOver();
    expect(await statuses()).to.deep.equal({ [good]: 1, [bad]: 3, [kept]: 1 });
    const view = await tollgate.root.ok<ChannelView>('GET', `/api/channel/${bad}`);
    expect(JSON.parse(view.other_info)).to.include({ status_reason: 'Incorrect API key provided' });
    expect((await AuditLog.find({ target: `channel:${bad}`, action: 'channel.status' }).lean())[0]).to.include({ actorName: 'system' });
    await tollgate.root.ok('PUT', '/api/channel/', { id: bad, key: 'sk-mended' });
    await option('AutomaticEnableChannelEnabled', 'true');
    await tollgate.root.ok('GET', '/api/channel/test');
    await testOver();
    expect(await statuses()).to.deep.equal({ [good]: 1, [bad]: 1, [kept]: 1 });
  });

  it('of all channels disables one that takes longer than the threshold, and says so', async () => {
    const slow = await channel({});
    await option('AutomaticDisableChannelEnabled', 'true');
    await option('ChannelDisableThreshold', '1');
    held = delay(1300);
    await tollgate.root.ok('GET', '/api/channel/test');
    await testOver();
    held = undefined;
    expect(await statuses()).to.deep.equal({ [slow]: 3 });
    const view = await tollgate.root.ok<ChannelView>('GET', `/api/channel/${slow}`);
    expect((JSON.parse(view.other_info) as { status_reason: string }).status_reason).to.match(
      /^Response time exceeds threshold: 1\d{3} ms$/,
    );
  });

  it('of all channels says how far it has come while it runs, and refuses another one', async () => {
    for (let i = 0; i < 2; i += 1) await channel({});
    await channel({ key: 'sk-bad' });
    let letGo: () => void = () => {};
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    await tollgate.root.ok('GET', '/api/channel/test');
    await eventually(() => expect(asked).to.have.length(1));
    const during = await tollgate.root.ok<ChannelTestsView>('GET', '/api/channel/test/progress');
    expect(during).to.include({ running: true, total: 3, tested: 0, failed: 0, ended_time: 0 });
    expect((await tollgate.root.send('GET', '/api/channel/test')).code).to.equal('channel_test_running');
    held = undefined;
    letGo();
    await testOver();
    const after = await tollgate.root.ok<ChannelTestsView>('GET', '/api/channel/test/progress');
    expect(after).to.include({ running: false, total: 3, tested: 3, failed: 1 });
    expect(after.ended_time).to.be.at.least(during.started_time).and.above(0);
  });

  it('changes no status while the switches are off', async () => {
    const bad = await channel({ key: 'sk-bad' });
    await tollgate.root.ok('GET', '/api/channel/test');
    await testOver();
    expect(await statuses()).to.deep.equal({ [bad]: 1 });
  });

  it('is not needed for what relays report: a channel that needs a person is taken out of service', async () => {
    await option('AutomaticDisableChannelEnabled', 'true');
    const [broken, busy, worded] = [await channel({}), await channel({}), await channel({})];
    const report = { status: 401, code: null, type: 'x', at: Date.now() };
    await redis.lpush(
      'channel:failures',
      JSON.stringify({ ...report, channelId: broken, kind: 'credentials', message: 'Key revoked' }),
      JSON.stringify({ ...report, channelId: busy, kind: 'rate_limit', message: 'Slow down' }),
      JSON.stringify({ ...report, channelId: worded, kind: 'server', message: 'YOUR CREDIT balance is too low, friend' }),
      JSON.stringify({ nonsense: true }),
    );
    await eventually(async () => expect(await statuses()).to.deep.equal({ [broken]: 3, [busy]: 1, [worded]: 3 }), { timeoutMs: 15_000 });
    expect(await redis.llen('channel:failures')).to.equal(0);
  });

  it('reads the balance of an account', async () => {
    const id = await channel({});
    const reply = (await tollgate.root.send('GET', `/api/channel/update_balance/${id}/`)) as unknown as {
      success: boolean;
      balance: number;
    };
    expect(reply).to.include({ success: true, balance: 17.5 });
    expect((await tollgate.root.ok<ChannelView>('GET', `/api/channel/${id}`)).balance).to.equal(17.5);
    const silent = await channel({ type: 14 });
    expect((await tollgate.root.send('GET', `/api/channel/update_balance/${silent}`)).code).to.equal('upstream_balance_unknown');
    expect(await tollgate.root.ok('GET', '/api/channel/update_balance')).to.equal(1);
    for (const nothing of [{ object: 'list' }, null]) {
      billing = nothing;
      const answered = await tollgate.root.send('GET', `/api/channel/update_balance/${id}`);
      expect(answered.code, JSON.stringify(nothing)).to.equal('upstream_balance_unknown');
    }
    billing = undefined;
    expect((await tollgate.root.ok<ChannelView>('GET', `/api/channel/${id}`)).balance, 'as it was').to.equal(17.5);
  });

  function replyTo(path: string, bad: boolean): unknown {
    if (bad) return refusal;
    if (path.includes('/billing/') && billing !== undefined) return billing;
    if (path.includes('/billing/subscription')) return { hard_limit_usd: 20, has_payment_method: true };
    if (path.includes('/billing/usage')) return { total_usage: 250 };
    if (path.includes('/responses')) return response;
    if (path.endsWith('/v1/completions'))
      return { ...answer, object: 'text_completion', choices: [{ index: 0, text: 'Hello', finish_reason: 'stop' }] };
    if (path.includes('/images')) return { created: 1, data: [{ url: 'https://files.example.com/1.png' }] };
    if (path.includes('/transcriptions')) return { text: 'hi' };
    if (path.includes('/moderations') || path.includes('/rerank')) return { results: [{ index: 0, relevance_score: 1 }] };
    if (path.includes('/embeddings'))
      return {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
        model: 'x',
        usage: { prompt_tokens: 1, total_tokens: 1 },
      };
    return answer;
  }

  async function channel(fields: Record<string, unknown>): Promise<number> {
    const body = { name: 'c', type: 1, key: 'sk-good', models: 'gpt-4o', base_url: url, ...fields };
    const [made] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', body);
    return made?.id ?? 0;
  }

  async function option(key: string, value: string): Promise<void> {
    await tollgate.root.ok('PUT', '/api/option/', { key, value });
  }

  async function statuses(): Promise<Record<number, number>> {
    return Object.fromEntries((await Channel.find().lean()).map(({ id, status }) => [id, status]));
  }

  async function testOver(): Promise<void> {
    await eventually(
      async () => {
        const { counts } = await tollgate.root.ok<JobsView>('GET', '/api/job');
        expect(counts).to.include({ running: 0, waiting: 0, delayed: 0 });
      },
      { timeoutMs: 20_000 },
    );
  }
});

/** A body of JSON, or the model of a form. */
function bodyIn(text: string): Asked['body'] {
  if (text === '' || text.startsWith('{')) return text === '' ? {} : (JSON.parse(text) as Asked['body']);
  return { model: /name="model"\r\n\r\n(.*)\r\n/.exec(text)?.[1] };
}
