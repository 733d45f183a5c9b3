import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { wireBytes } from '@tollgate/testing';
import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { citedAnswers } from './support/cited-answers.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** One channel of each kind: OpenAI's dialect, Anthropic's own, and one that is translated twice. */
const models = ['test-model', 'claude-x', 'gemini-x'] as const;
const tool = {
  name: 'weather',
  description: 'Tells the weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('Callers who speak Anthropic’s dialect', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 14, models: ['claude-x'], setting: '{"account_resources":true}' },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify({ 'test-model': 1, 'claude-x': 1, 'gemini-x': 1 }) });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const client = () => new Anthropic({ apiKey: `sk-${user.token.key}`, baseURL: gateway.url, maxRetries: 0 });
  const ask = (model: string, fields: Record<string, unknown> = {}) =>
    client().messages.create({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello there' }], stream: false, ...fields });
  const sent = () => gateway.provider.lastCall().json as Record<string, unknown>;
  const bill = () => gateway.bill(user);
  const refusal = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      if (error instanceof Anthropic.APIError) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  for (const model of models) {
    it(`get a whole answer of ${model}, and its bill`, async () => {
      gateway.provider.answers({ words: 6, promptTokens: 12 });
      const message = await ask(model, { system: 'Be brief', stop_sequences: ['END'], temperature: 0.5 });
      expect(message).to.include({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
      expect(message.content.map((block) => (block.type === 'text' ? block.text.trim() : block.type))).to.deep.equal(['w0 w1 w2 w3 w4 w5']);
      expect(message.usage).to.include({ input_tokens: 12, output_tokens: 6 });
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', mode: 'chat', model });
    });

    it(`get a stream of ${model} that their client puts together, and its bill`, async () => {
      gateway.provider.answers({ words: 6, promptTokens: 12, chunkBytes: 60 });
      const stream = client().messages.stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello there' }] });
      const message = await stream.finalMessage();
      expect((await stream.finalText()).trim()).to.equal('w0 w1 w2 w3 w4 w5');
      expect(message).to.include({ stop_reason: 'end_turn' });
      expect(message.id).to.match(/^msg_/);
      expect(message.usage).to.include({ input_tokens: 12, output_tokens: 6 });
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', isStream: true });
    });

    it(`are told in the stream that ${model} has died, and pay what was delivered`, async () => {
      gateway.provider.answers({ words: 30, promptTokens: 12, breakAfter: 15, breakBy: 'destroy' });
      const answer = await gateway.post(
        '/v1/messages',
        { model, max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'Hi' }] },
        { 'x-api-key': user.token.key },
      );
      const last = (await framesOf(answer)).at(-1) ?? '';
      expect(last).to.match(/^event: error\n/);
      expect(JSON.parse(last.slice(last.indexOf('data: ') + 6))).to.have.nested.property('error.type', 'api_error');
      expect(await bill()).to.include({ usageSource: 'estimated', endReason: 'upstream_died' });
    });
  }

  it('are passed on byte for byte to a channel that speaks as they do, and get its bytes back', async () => {
    const stream = wireBytes('anthropic/thinking-stream.response.sse').toString();
    gateway.provider.answers({ case: 'anthropic/thinking-stream' });
    const body = `{ "model":"claude-x","max_tokens": 4000, "thinking":{"type":"enabled","budget_tokens":2000},"unheard_of": [1.0, {"a":"\\u0041"}],
      "stream":true, "messages":[{"role":"user","content":[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}]}]}] }`;
    const headers = { 'x-api-key': user.token.key, 'anthropic-version': '2023-06-01', 'anthropic-beta': 'interleaved-thinking-2025-05-14' };
    const answer = await gateway.post('/v1/messages', body, { ...headers, cookie: 'a=b' });
    expect(await answer.text()).to.equal(stream);
    const call = gateway.provider.lastCall();
    expect(call.body).to.equal(body);
    expect(call.headers).to.include({ 'x-api-key': 'upstream-key-1', 'anthropic-beta': 'interleaved-thinking-2025-05-14' });
    expect(call.headers).not.to.have.any.keys('cookie', 'authorization');
    expect(await bill()).to.include({ usageSource: 'upstream' });
  });

  it('send large pictures and texts to channels of any dialect, as they came to one of their own', async () => {
    const data = 'QUJD'.repeat(200_000);
    const text = 'some "words" and \u00fcmlauts \n'.repeat(20_000);
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'text', text },
    ];
    const body = (model: string) => JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content }] });
    expect((await gateway.post('/v1/messages', body('claude-x'), { 'x-api-key': user.token.key })).status).to.equal(200);
    expect(gateway.provider.lastCall().body === body('claude-x')).to.equal(true);
    expect((await gateway.post('/v1/messages', body('test-model'), { 'x-api-key': user.token.key })).status).to.equal(200);
    const said = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
      { type: 'text', text },
    ];
    const [message] = sent().messages as { content: unknown }[];
    expect(JSON.stringify(message?.content) === JSON.stringify(said)).to.equal(true);
  });

  it('see what they are charged where a channel of their dialect says something else, streamed and whole', async () => {
    gateway.provider.answers({ words: 200, usage: { input_tokens: 5, output_tokens: 1 } });
    const whole = await ask('claude-x', { max_tokens: 1000 });
    expect(whole.usage.output_tokens).to.be.greaterThan(100);
    const streamed = await client()
      .messages.stream({ model: 'claude-x', max_tokens: 1000, messages: [{ role: 'user', content: 'Hi' }] })
      .finalMessage();
    expect(streamed.usage.output_tokens).to.be.greaterThan(100);
    expect(streamed.usage.input_tokens).to.equal(5);
    for (const event of await gateway.events(user)) expect(event).to.include({ usageSource: 'estimated' });
  });

  it('use tools of a model that speaks otherwise: asked for, called in a stream, answered', async () => {
    gateway.provider.answers({ case: 'dashscope/tool-call-stream' });
    const history: MessageParam[] = [
      { role: 'user', content: 'Weather in Paris and Rome?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Two cities', signature: 'sig' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Rome' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain', is_error: true },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: 'sun' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
            ],
          },
          { type: 'text', text: 'And?' },
        ],
      },
    ];
    const stream = client().messages.stream({
      model: 'test-model',
      max_tokens: 100,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      tools: [tool],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: history,
    });
    const message = await stream.finalMessage();
    const calls = message.content.filter((block) => block.type === 'tool_use');
    expect(calls.length).to.be.greaterThan(0);
    for (const call of calls) expect(call.id).to.be.a('string').that.is.not.empty;
    expect(calls[0]?.input).to.be.an('object').that.is.not.empty;
    expect(message.stop_reason).to.equal('tool_use');

    expect(sent()).to.include({ max_tokens: 100, tool_choice: 'required', parallel_tool_calls: false });
    expect(sent().tools).to.deep.equal([
      { type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.input_schema } },
    ]);
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } };
    expect(sent().messages).to.deep.equal([
      { role: 'system', content: [{ type: 'text', text: 'S' }] },
      { role: 'user', content: 'Weather in Paris and Rome?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: rain' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'sun' },
      { role: 'user', content: [{ type: 'text', text: 'Shown by the tool call toolu_2:' }, image, { type: 'text', text: 'And?' }] },
    ]);
  });

  it('hear what an answer rests on, and a channel that speaks as they do is not told of it again', async () => {
    const messages: MessageParam[] = [{ role: 'user', content: 'Hi' }];
    for (const { whole, streamed } of Object.values(citedAnswers)) {
      gateway.provider.answersNext(whole, streamed);
      const source = { type: 'web_search_result_location', url: 'https://a.example.com/', title: 'A', cited_text: '', encrypted_index: '' };
      const told = [{ type: 'text', text: 'Hi [1].', citations: [source] }];
      const { content } = await ask('test-model');
      expect(content).to.deep.equal(told);
      const stream = client().messages.stream({ model: 'test-model', max_tokens: 100, messages });
      expect((await stream.finalMessage()).content).to.deep.equal(told);
      await ask('claude-x', { messages: [...messages, { role: 'assistant', content }, ...messages] });
      expect((sent().messages as unknown[])[1]).to.deep.equal({ role: 'assistant', content: [{ type: 'text', text: 'Hi [1].' }] });
    }
  });

  it('have the blocks of their instructions told apart where they are one text', async () => {
    const system = ['You are Claude Code.', 'Be brief.'].map((text) => ({ type: 'text', text }));
    await ask('gemini-x', { system });
    expect(sent().systemInstruction).to.deep.equal({ parts: [{ text: 'You are Claude Code.\nBe brief.' }] });
  });

  it('go on at a channel of their dialect with calls that another provider has named as he likes', async () => {
    const named = (id: string): MessageParam[] => [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'weather', input: { city: 'Paris' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'rain' }] },
    ];
    const chat = [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'functions.f:0', content: 'rain' },
    ];
    const idsSent = () => {
      const [, calling, answering] = sent().messages as { content: { id?: string; tool_use_id?: string }[] }[];
      return [calling?.content[0]?.id, answering?.content[0]?.tool_use_id];
    };
    await ask('claude-x', { messages: named('toolu_01-A') });
    expect(idsSent()).to.deep.equal(['toolu_01-A', 'toolu_01-A']);
    await ask('claude-x', { messages: named('functions.f:0') });
    const [id] = idsSent();
    expect(id).to.match(/^[a-zA-Z0-9_-]+$/);
    expect(idsSent()).to.deep.equal([id, id]);
    await gateway.post('/v1/chat/completions', { model: 'claude-x', messages: chat }, { authorization: user.token.authorization });
    expect(idsSent(), 'for callers of OpenAI, too').to.deep.equal([id, id]);
  });

  it('get the thinking of a model that tells it otherwise as a block of its own, before what it says', async () => {
    gateway.provider.answers({ case: 'deepseek/reasoner-stream' });
    const message = await client()
      .messages.stream({ model: 'test-model', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] })
      .finalMessage();
    expect(message.content.map(({ type }) => type)).to.deep.equal(['thinking', 'text']);
    expect(message.content[0]).to.have.property('thinking').that.is.not.empty;
  });

  it('send pictures, documents, thinking and schemas to those who speak otherwise', async () => {
    await ask('test-model', {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      metadata: { user_id: 'u1' },
      service_tier: 'auto',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' } },
            { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'plain words' } },
          ],
        },
      ],
    });
    expect(sent())
      .to.include({ reasoning_effort: 'low', user: 'u1' })
      .and.not.have.any.keys('thinking', 'service_tier', 'metadata', 'output_config');
    expect(sent()).to.have.nested.property('response_format.json_schema.schema.type', 'object');
    expect(sent().messages).to.deep.equal([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' } },
          { type: 'text', text: 'Notes' },
          { type: 'text', text: 'plain words' },
        ],
      },
    ]);
  });

  it('are refused by name what only a channel of their dialect could be told', async () => {
    const said: [fields: Record<string, unknown>, named: RegExp][] = [
      [{ mcp_servers: [] }, /mcp_servers/],
      [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, /tools\[0\].*bash_20250124/],
      [{ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] }, /content\[0\].*file/],
      [{ messages: [{ role: 'user', content: [{ type: 'search_result', source: 's', title: 't', content: [] }] }] }, /search_result/],
    ];
    for (const [fields, named] of said) {
      const error = await refusal(ask('test-model', fields));
      expect(error.status).to.equal(400);
      expect(error.message).to.match(named);
      await ask('claude-x', fields);
    }
    expect((await refusal(ask('claude-x', { tools: [{ type: 'browser_toolset_20260801', name: 'browser' }] }))).message).to.match(
      /browser_toolset_20260801/,
    );
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('are told what is wrong in their own words, with the call’s id', async () => {
    const wrong: Record<string, unknown>[] = [
      { max_tokens: undefined },
      { max_tokens: 0 },
      { max_tokens: 1.5 },
      { messages: [] },
      { messages: 'Hi' },
      { messages: [{ role: 'tool', content: 'x' }] },
      { messages: [{ role: 'user', content: [{ text: 'no type' }] }] },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] },
      { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 5 }] }] },
      { tools: [{ name: 'x' }] },
      { tool_choice: { type: 'some' } },
      { stop_sequences: 'x' },
      { thinking: { type: 'enabled' } },
      { Model: 'claude-x' },
      { stream: 'yes' },
    ];
    for (const fields of wrong) {
      const error = await refusal(ask('claude-x', fields));
      expect(error.status, JSON.stringify(fields)).to.equal(400);
      expect(error.error).to.have.nested.property('error.type', 'invalid_request_error');
      expect(error.requestID).to.be.a('string').that.is.not.empty;
    }
    expect(gateway.provider.calls).to.have.length(0);
    expect(
      (
        await refusal(
          new Anthropic({ apiKey: 'sk-unknown', baseURL: gateway.url, maxRetries: 0 }).messages.create({
            model: 'm',
            max_tokens: 1,
            messages: [],
          }),
        )
      ).error,
    ).to.have.nested.property('error.type', 'authentication_error');
    expect((await refusal(ask('nobody-serves-it'))).error).to.have.nested.property('error.type', 'not_found_error');
    gateway.provider.answers({ status: 429, json: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } } });
    expect((await refusal(ask('claude-x'))).error).to.have.nested.property('error.type', 'rate_limit_error');
  });

  it('come in with a bearer token, too', async () => {
    const byToken = new Anthropic({ authToken: `sk-${user.token.key}`, apiKey: null, baseURL: gateway.url, maxRetries: 0 });
    expect(
      (await byToken.messages.create({ model: 'claude-x', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] })).type,
    ).to.equal('message');
  });

  it('hear of a prompt that is too long in the words by which their client shortens it', async () => {
    const said: [model: string, message: string, told: RegExp][] = [
      [
        'test-model',
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 300000 tokens.",
        /300000 tokens > 128000 maximum/,
      ],
      [
        'gemini-x',
        'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
        /1100000 tokens > 1048576 maximum/,
      ],
    ];
    for (const [model, message, told] of said) {
      gateway.provider.answersNext({
        status: 400,
        json: { error: { message, code: model === 'gemini-x' ? 400 : 'context_length_exceeded' } },
      });
      const error = await refusal(ask(model));
      expect(error).to.include({ status: 400 });
      expect(error.message)
        .to.match(/prompt is too long: /)
        .and.match(told);
    }
  });

  it('get tools back by their own names, whole and streamed, where a provider takes shorter ones', async () => {
    const name = `mcp__${'server_'.repeat(12)}__tool`;
    const tools = [{ name, input_schema: { type: 'object' as const } }];
    const shortName = () => (sent().tools as { function: { name: string } }[])[0]?.function.name ?? '';
    await ask('test-model', { tools });
    const called = {
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: shortName(), arguments: '{}' } }],
    };
    expect(shortName()).to.have.length(64);
    const chunk = {
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: called, finish_reason: 'tool_calls' }],
    };
    gateway.provider.answersNext(
      {
        json: {
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: called, finish_reason: 'tool_calls' }],
        },
      },
      { frames: [`data: ${JSON.stringify(chunk)}`, 'data: [DONE]'] },
    );
    expect((await ask('test-model', { tools })).content).to.deep.include({ type: 'tool_use', id: 'c', name, input: {} });
    const streamed = await client()
      .messages.stream({ model: 'test-model', max_tokens: 9, tools, messages: [{ role: 'user', content: 'x' }] })
      .finalMessage();
    expect(streamed.content[0]).to.include({ type: 'tool_use', name });
  });

  it('leave their client’s billing line behind on the way to other providers', async () => {
    const line = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=abc;' };
    for (const model of ['test-model', 'gemini-x', 'claude-x']) {
      await ask(model, { system: [line, { type: 'text', text: 'Be brief' }] });
      expect(gateway.provider.lastCall().body.includes('billing-header'), model).to.equal(model === 'claude-x');
      await ask(model, { system: `${line.text}\nBe brief` });
      expect(gateway.provider.lastCall().body.includes('billing-header'), model).to.equal(model === 'claude-x');
      expect(gateway.provider.lastCall().body).to.include('Be brief');
    }
  });

  it('think no more in a tool loop that began without, on a channel of their own format', async () => {
    const messages = [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: '' },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] },
    ];
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    await ask('claude-x', { messages, thinking, max_tokens: 2000, tools: [{ name: 'f', input_schema: { type: 'object' } }] });
    expect(sent()).not.to.have.property('thinking');
    const signed = structuredClone(messages);
    (signed[1]?.content[0] as unknown as Record<string, string>).signature = 'c2ln';
    await ask('claude-x', { messages: signed, thinking, max_tokens: 2000, tools: [{ name: 'f', input_schema: { type: 'object' } }] });
    expect(sent()).to.deep.include({ thinking });
  });

  it('count a prompt for nothing, and list models', async () => {
    const short = await client().messages.countTokens({ model: 'test-model', messages: [{ role: 'user', content: 'Hi' }] });
    const long = await client().messages.countTokens({
      model: 'test-model',
      system: 'word '.repeat(1000),
      tools: [tool],
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(short.input_tokens).to.be.within(1, 20);
    expect(long.input_tokens).to.be.within(900, 1300);
    expect(
      (await refusal(client().messages.countTokens({ model: 'nobody-serves-it', messages: [{ role: 'user', content: 'Hi' }] }))).status,
    ).to.equal(404);
    expect(await gateway.openHolds(user)).to.equal(0);
    expect(gateway.provider.calls).to.have.length(0);
    const page = await client().models.list();
    expect(page.data.map(({ id, type }) => `${type} ${id}`)).to.include.members(models.map((model) => `model ${model}`));
    expect((await client().models.retrieve('claude-x')).id).to.equal('claude-x');
  });

  it('with a small wallet the cap goes out in the field that the channel keeps to, and thought stays below it', async () => {
    for (const model of models) {
      user = await gateway.user({ balance: 3000 });
      gateway.provider.reset();
      const thinking = { type: 'enabled', budget_tokens: 15_000 };
      const message = await ask(model, { max_tokens: 20_000, ...(model === 'claude-x' && { thinking }) });
      expect(message.type).to.equal('message');
      const {
        max_tokens: most,
        generationConfig,
        thinking: told,
      } = sent() as Record<string, { maxOutputTokens?: number; budget_tokens?: number }>;
      const cap = Number(model === 'gemini-x' ? generationConfig?.maxOutputTokens : most);
      expect(cap, model).to.be.within(16, 3000);
      if (model === 'claude-x') expect(told?.budget_tokens ?? 0).to.be.below(cap);
      const { uncollected } = await bill();
      expect(uncollected).to.equal(0);
    }
  });

  it('are cut as if the answer had reached its longest when the balance carries no more', async () => {
    for (const model of ['claude-x', 'test-model']) {
      user = await gateway.user({ balance: 400 });
      gateway.provider.answers({ words: 3000, promptTokens: 10, paceMs: 1 });
      const message = await client()
        .messages.stream({ model, max_tokens: 300, messages: [{ role: 'user', content: 'Hi' }] })
        .finalMessage();
      expect(message.stop_reason, model).to.equal('max_tokens');
      expect(await bill()).to.include({ endReason: 'balance' });
    }
  });
});
