import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const messages = [{ role: 'user', content: 'Hello there' }];
const message = (more: Json = {}, uses: Json = { web_search_requests: 2 }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text: 'ok', citations: [citation] }],
  usage: { input_tokens: 10, output_tokens: 10, server_tool_use: uses },
  ...more,
});
const citation = { type: 'web_search_result_location', url: 'https://example.com/a', title: 'A', cited_text: 'a', encrypted_index: 'x' };
const grounded = (queries: string[]) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'ok' }] },
      finishReason: 'STOP',
      index: 0,
      groundingMetadata: { webSearchQueries: queries, groundingChunks: [{ web: { uri: 'https://example.com/g', title: 'G' } }] },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
});
const searched = (count: number) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  error: null,
  output: [
    ...Array.from({ length: count }, (_, at) => ({
      id: `ws_${at}`,
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search' },
    })),
    { id: 'ws_x', type: 'web_search_call', status: 'completed', action: { type: 'open_page' } },
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'ok',
          annotations: [{ type: 'url_citation', url: 'https://example.com/o', title: 'O', start_index: 0, end_index: 2 }],
        },
      ],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
});

/** Quota of 10 tokens in and 10 out at these US dollars a million, and of searches at this price. */
const quotaOf = (input: number, output: number, uses: number, dollars: number) =>
  Math.ceil((10 * input + 10 * output) / 2 + uses * dollars * 500_000 - 1e-6);

describe('Tools that run at the provider', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 10_000_000 });
    await gateway.channels([
      { type: 14, models: ['claude-sonnet-4-6', 'my-alias'] },
      { type: 24, models: ['gemini-2.5-flash', 'gemini-3-flash-preview'] },
      { models: ['gpt-5.4', 'gpt-5-search-api'], setting: '{"responses":true}' },
      { type: 43, models: ['deepseek-v4-pro'] },
      { type: 48, models: ['grok-4.6'], setting: '{"responses":true}' },
      { type: 17, models: ['qwen3-max'] },
    ]);
    await gateway.options({ ModelRatio: '{"my-alias":1}' });
    for (const model of ['claude-sonnet-4-6', 'gemini-2.5-flash', 'gpt-5.4', 'deepseek-v4-pro'])
      await untilServed(gateway, user.token, model);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user({ balance: 10_000_000 });
  });

  const post = async (path: string, body: Json) => {
    const answer = await gateway.post(path, body, { authorization: user.token.authorization });
    const text = await answer.text();
    return { status: answer.status, changed: answer.headers.get('x-tollgate-changed'), text, body: JSON.parse(text) as Json };
  };
  const ask = (model: string, tools: Json[], more: Json = {}) => post('/v1/messages', { model, max_tokens: 100, messages, tools, ...more });
  const sent = () => JSON.parse(gateway.provider.lastCall().body) as Json;
  const search = { type: 'web_search_20250305', name: 'web_search' };

  for (const type of ['web_search_20250305', 'web_search_20260209', 'web_search_20990101']) {
    it(`${type} costs 10 US dollars for 1 000 searches on a fresh installation`, async () => {
      gateway.provider.answers({ json: message() });
      const { status, text, changed } = await ask('claude-sonnet-4-6', [{ type, name: 'web_search', max_uses: 8 }]);
      expect(status, text).to.equal(200);
      expect(changed).to.equal(null);
      expect(await gateway.bill(user)).to.include({ quota: quotaOf(3, 15, 2, 0.01) });
    });
  }

  it('a search without max_uses gets a limit, which is listed, and no more searches are charged', async () => {
    gateway.provider.answers({ json: message({}, { web_search_requests: 4_000 }) });
    const { changed } = await ask('claude-sonnet-4-6', [search]);
    expect(changed).to.equal('tools[0].max_uses: set to 10');
    expect(sent().tools).to.deep.equal([{ ...search, max_uses: 10 }]);
    expect(await gateway.bill(user)).to.include({ quota: quotaOf(3, 15, 10, 0.01) });
  });

  it('searches are held for: a balance that cannot pay them is refused', async () => {
    const poor = await gateway.user({ balance: 20_000 });
    const body = { model: 'claude-sonnet-4-6', max_tokens: 100, messages, tools: [{ ...search, max_uses: 100 }] };
    const answer = await gateway.post('/v1/messages', body, { authorization: poor.token.authorization });
    expect(answer.status, await answer.text()).to.equal(403);
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('code is charged by five minutes a use, and is free beside a newer web search', async () => {
    const code = { type: 'code_execution_20250825', name: 'code_execution' };
    gateway.provider.answers({ json: message({}, { code_execution_requests: 2 }) });
    expect((await ask('claude-sonnet-4-6', [code])).status).to.equal(200);
    expect(await gateway.bill(user)).to.include({ quota: quotaOf(3, 15, 2, 0.05 / 12) });
    user = await gateway.user({ balance: 10_000_000 });
    const fetch = { type: 'web_fetch_20260209', name: 'web_fetch' };
    expect((await ask('claude-sonnet-4-6', [code, fetch])).status).to.equal(200);
    expect(await gateway.bill(user)).to.include({ quota: quotaOf(3, 15, 0, 0) });
  });

  it('a search that a stream has shown is charged though its caller leaves before the bill', async () => {
    const run = { index: 0, content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } };
    const say = (type: string, more: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}`;
    const { content: _content, ...start } = message({ usage: { input_tokens: 10, output_tokens: 1 } });
    const frames = [
      say('message_start', { message: { ...start, content: [] } }),
      say('content_block_start', run),
      say('content_block_stop', { index: 0 }),
      say('content_block_start', { index: 1, content_block: { type: 'text', text: 'ok' } }),
    ];
    gateway.provider.answers({ frames });
    await gateway
      .post(
        '/v1/messages',
        { model: 'claude-sonnet-4-6', max_tokens: 100, messages, tools: [search], stream: true },
        { authorization: user.token.authorization },
      )
      .then((answer) => answer.text());
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 1, price: 0.01 });
  });

  it('Gemini is asked to search for a caller of Messages, who gets the pages as citations', async () => {
    gateway.provider.answers({ json: grounded(['a', 'b']) });
    const { status, body, text } = await ask('gemini-2.5-flash', [{ ...search, max_uses: 8 }], {
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    expect(status, text).to.equal(200);
    expect(sent().tools).to.deep.equal([{ googleSearch: {} }]);
    expect(body.content).to.deep.include({
      type: 'text',
      text: 'ok',
      citations: [{ type: 'web_search_result_location', url: 'https://example.com/g', title: 'G', cited_text: '', encrypted_index: '' }],
    });
    expect(body.usage).to.deep.include({ server_tool_use: { web_search_requests: 1 } });
    expect(await gateway.bill(user), 'one prompt').to.include({ quota: quotaOf(0.3, 2.5, 1, 0.035) });
  });

  it('Gemini 3 is charged by its queries, for its own callers too', async () => {
    gateway.provider.answers({ json: grounded(['a', 'b']) });
    const path = '/v1beta/models/gemini-3-flash-preview:generateContent';
    const { status, text } = await post(path, { contents: [{ parts: [{ text: 'hi' }] }], tools: [{ google_search: {} }] });
    expect(status, text).to.equal(200);
    expect(sent().tools).to.deep.equal([{ google_search: {} }]);
    expect(await gateway.bill(user)).to.include({ quota: quotaOf(0.5, 3, 2, 0.014) });
  });

  it('OpenAI is asked by Responses, whichever dialect the caller has', async () => {
    gateway.provider.answers({ json: searched(3) });
    const { body, text, status } = await ask('gpt-5.4', [{ ...search, allowed_domains: ['example.com'], max_uses: 5 }]);
    expect(status, text).to.equal(200);
    expect(gateway.provider.lastCall().path).to.equal('/v1/responses');
    expect(sent()).to.deep.include({
      tools: [{ type: 'web_search', filters: { allowed_domains: ['example.com'] } }],
      max_tool_calls: 5,
    });
    expect(JSON.stringify(body.content)).to.contain('https://example.com/o');
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 3, price: 0.01 });
    user = await gateway.user({ balance: 10_000_000 });
    expect((await post('/v1/chat/completions', { model: 'gpt-5.4', messages, web_search_options: {} })).status).to.equal(200);
    expect(sent().tools).to.deep.equal([{ type: 'web_search' }]);
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 3, price: 0.01 });
    user = await gateway.user({ balance: 10_000_000 });
    const own = await post('/v1/responses', { model: 'gpt-5.4', input: 'hi', tools: [{ type: 'web_search' }] });
    expect(own.changed).to.equal('max_tool_calls: set to 10');
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 3, price: 0.01 });
  });

  it('Claude searches for callers of chat completions, Responses and Gemini', async () => {
    gateway.provider.answers({ json: message() });
    const asked: [path: string, body: Json][] = [
      [
        '/v1/chat/completions',
        { model: 'claude-sonnet-4-6', messages, web_search_options: { user_location: { approximate: { city: 'Paris' } } } },
      ],
      [
        '/v1/responses',
        { model: 'claude-sonnet-4-6', input: 'hi', tools: [{ type: 'web_search', user_location: { type: 'approximate', city: 'Paris' } }] },
      ],
      ['/v1beta/models/claude-sonnet-4-6:generateContent', { contents: [{ parts: [{ text: 'hi' }] }], tools: [{ googleSearch: {} }] }],
    ];
    for (const [path, body] of asked) {
      user = await gateway.user({ balance: 10_000_000 });
      const { status, text } = await post(path, body);
      expect(status, text).to.equal(200);
      const where = path.includes('v1beta') ? {} : { user_location: { type: 'approximate', city: 'Paris' } };
      expect(sent().tools).to.deep.equal([{ ...search, max_uses: 10, ...where }]);
      expect(text).to.contain('https://example.com/a');
      expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 2, price: 0.01 });
    }
  });

  it('a model that always searches costs one search a call', async () => {
    gateway.provider.answers({ words: 10, promptTokens: 10 });
    const { status, text } = await post('/v1/chat/completions', { model: 'gpt-5-search-api', messages, web_search_options: {} });
    expect(status, text).to.equal(200);
    expect(sent().web_search_options).to.deep.equal({});
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 1, price: 0.01 });
  });

  it('Qwen is asked by its own field, and charged by the searches that it states', async () => {
    gateway.provider.answers({ usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20, plugins: { search: { count: 2 } } } });
    const { status, text } = await ask('qwen3-max', [search]);
    expect(status, text).to.equal(200);
    expect(sent()).to.include({ enable_search: true }).and.not.to.have.property('tools');
    expect((await gateway.bill(user)).items).to.deep.include({ kind: 'searches', amount: 2, price: 0.01 });
  });

  it('Grok is asked by Responses, whichever dialect the caller has, and charged by its searches', async () => {
    const asked: [path: string, body: Json][] = [
      [
        '/v1/messages',
        { model: 'grok-4.6', max_tokens: 100, messages, tools: [{ ...search, allowed_domains: ['example.com'], max_uses: 3 }] },
      ],
      ['/v1/chat/completions', { model: 'grok-4.6', messages, web_search_options: {} }],
      ['/v1/responses', { model: 'grok-4.6', input: 'hi', tools: [{ type: 'web_search', filters: { allowed_domains: ['example.com'] } }] }],
      ['/v1beta/models/grok-4.6:generateContent', { contents: [{ parts: [{ text: 'hi' }] }], tools: [{ googleSearch: {} }] }],
    ];
    gateway.provider.answers({ json: searched(2) });
    for (const [path, body] of asked) {
      user = await gateway.user({ balance: 10_000_000 });
      const { status, text } = await post(path, body);
      expect(status, `${path}: ${text}`).to.equal(200);
      expect(gateway.provider.lastCall().path, path).to.equal('/v1/responses');
      const filters = JSON.stringify(body).includes('allowed_domains') ? { filters: { allowed_domains: ['example.com'] } } : {};
      expect(sent().tools, path).to.deep.equal([{ type: 'web_search', ...filters }]);
      expect(text, path).to.contain('https://example.com/o');
      expect((await gateway.bill(user)).items, path).to.deep.include({ kind: 'searches', amount: 2, price: 0.005 });
    }
  });

  it('a search of what is cached alone is never made live by another provider', async () => {
    const cached = { type: 'web_search', external_web_access: false };
    const run = { type: 'function', name: 'run', parameters: { type: 'object', properties: {} }, strict: false };
    gateway.provider.answers({ json: searched(1) });
    expect((await post('/v1/responses', { model: 'gpt-5.4', input: 'hi', tools: [cached, run] })).status).to.equal(200);
    expect(sent().tools, 'OpenAI gets it as it came').to.deep.equal([cached, run]);
    gateway.provider.answers({ json: message() });
    const beside = await post('/v1/responses', { model: 'claude-sonnet-4-6', input: 'hi', tools: [cached, run] });
    expect(beside.status, beside.text).to.equal(200);
    expect(JSON.stringify(sent().tools)).not.to.contain('web_search');
    expect(beside.changed).to.contain('web_search');
    const alone = await post('/v1/responses', { model: 'claude-sonnet-4-6', input: 'hi', tools: [cached] });
    expect(alone.status, alone.text).to.equal(400);
  });

  it('a search without a price, or that no channel can make, is refused', async () => {
    const alias = await ask('my-alias', [search]);
    expect(alias.status).to.equal(400);
    expect(alias.text).to.contain('tools=web_search_20250305').and.to.contain('PiecePrice');
    const deepseek = await ask('deepseek-v4-pro', [search]);
    expect(deepseek.status).to.equal(400);
    expect(deepseek.text).to.contain('tools[0]');
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('a search that an answer states and no request asked for costs nothing', async () => {
    gateway.provider.answers({ json: message() });
    await post('/v1/messages', { model: 'claude-sonnet-4-6', max_tokens: 100, messages });
    expect(await gateway.bill(user)).to.include({ quota: quotaOf(3, 15, 0, 0) });
  });
});
