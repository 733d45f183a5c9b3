import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { data, event } from './support/observed-frames.ts';

type Json = Record<string, unknown>;

/** Answers in shapes that recordings of providers show, with content of our own; what is invented says so. */
describe('Answers as providers give them', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { models: ['own-model'], setting: '{"responses":true}' },
      { models: ['plain-model', 'last-model'] },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-embedding-2', 'gemini-x'] },
      { type: 25, models: ['kimi-x'] },
      { type: 20, models: ['router-x'] },
      { type: 34, models: ['cohere-x'] },
      { type: 42, models: ['mistral-small-latest', 'codestral-latest', 'unheard-model'] },
    ]);
    const models = [
      'router-x',
      'cohere-x',
      'mistral-small-latest',
      'codestral-latest',
      'unheard-model',
      'own-model',
      'plain-model',
      'last-model',
      'claude-x',
      'gemini-embedding-2',
      'gemini-x',
      'kimi-x',
    ];
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'last-model');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user({ balance: 100_000_000 });
  });

  const ask = (path: string, body: unknown) =>
    gateway.post(path, body, { authorization: user.token.authorization, 'x-goog-api-key': `sk-${user.token.key}` });
  const sent = () => gateway.provider.lastCall().json as Json;

  describe('embeddings of Gemini with a picture', () => {
    const metadata = {
      promptTokenCount: 261,
      promptTokenDetails: [
        { modality: 'IMAGE', tokenCount: 258 },
        { modality: 'TEXT', tokenCount: 3 },
      ],
    };
    const content = (bytes: number) => ({
      parts: [{ text: 'A red square' }, { inline_data: { mime_type: 'image/png', data: Buffer.alloc(bytes, 7).toString('base64') } }],
    });

    it('are charged and shown as stated, alone and in a batch', async () => {
      gateway.provider.answers({ json: { embedding: { values: [0.5] }, usageMetadata: metadata } });
      for (const [method, body] of [
        ['embedContent', { content: content(16_000) }],
        ['batchEmbedContents', { requests: [{ model: 'models/gemini-embedding-2', content: content(1_000_000) }] }],
      ] as const) {
        user = await gateway.user();
        const answer = await ask(`/v1beta/models/gemini-embedding-2:${method}`, body);
        expect(((await answer.json()) as Json).usageMetadata).to.deep.equal(metadata);
        const bill = await gateway.bill(user);
        expect(bill).to.include({ usageSource: 'upstream' });
        expect(bill.usage).to.include({ textInput: 3, imageInput: 258 });
      }
    });

    it('are weighed as a picture where nothing is stated', async () => {
      gateway.provider.answers({ json: { embedding: { values: [0.5] } } });
      await ask('/v1beta/models/gemini-embedding-2:embedContent', { content: content(1_000_000) });
      const { usage } = (await gateway.bill(user)) as { usage: Record<string, number> };
      expect((usage.textInput ?? 0) + (usage.imageInput ?? 0)).to.be.within(1, 5_000);
    });

    it('are charged to callers of OpenAI as stated, too', async () => {
      gateway.provider.answers({ json: { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 } } });
      const answer = await ask('/v1/embeddings', { model: 'gemini-embedding-2', input: 'Hello' });
      expect(((await answer.json()) as Json).usage).to.deep.equal({ prompt_tokens: 11, total_tokens: 11 });
      expect((await gateway.bill(user)).usage).to.include({ textInput: 11 });
    });
  });

  describe('streams that begin with something else than text', () => {
    const image = Buffer.alloc(60_000, 5).toString('base64');
    const response = (more: Json = {}) => ({
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'in_progress',
      output: [],
      ...more,
    });
    const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
    const item = { id: 'ci_1', type: 'code_interpreter_call', status: 'in_progress', code: '', container_id: 'c', outputs: [] };
    const before = [
      event('response.created', { sequence_number: 0, response: response({ instructions: 'x'.repeat(100_000) }) }),
      event('response.output_item.added', { sequence_number: 1, output_index: 0, item }),
      event('response.code_interpreter_call.interpreting', { sequence_number: 2, output_index: 0, item_id: 'ci_1' }),
      event('response.image_generation_call.partial_image', {
        sequence_number: 3,
        output_index: 1,
        item_id: 'ig_1',
        partial_image_b64: image,
      }),
      event('response.output_item.done', {
        sequence_number: 4,
        output_index: 1,
        item: { id: 'ig_1', type: 'image_generation_call', result: image },
      }),
    ];
    const after = [
      event('response.output_text.delta', { sequence_number: 5, item_id: 'm', output_index: 2, content_index: 0, delta: 'Here it is.' }),
      event('response.completed', { sequence_number: 6, response: response({ status: 'completed', usage }) }),
    ];

    it('reach a Responses caller whole, event by event', async () => {
      gateway.provider.answers({ frames: [...before, ...after] });
      const answer = await ask('/v1/responses', { model: 'own-model', input: 'Draw', stream: true });
      expect(await framesOf(answer)).to.deep.equal([...before, ...after]);
      expect(await gateway.bill(user)).to.include({ usageSource: 'upstream' });
    });

    it('reach a Responses caller as progress, before there is any text', async () => {
      gateway.provider.answers({ frames: before, breakAfter: before.length, breakBy: 'hang' });
      const answer = await ask('/v1/responses', { model: 'own-model', input: 'Draw', stream: true });
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      let text = '';
      while (!text.includes('output_item.done')) text += Buffer.from((await reader.read()).value ?? []).toString();
      await reader.cancel();
    });

    it('reach a Gemini caller with the first signature, whatever its size', async () => {
      const signature = Buffer.alloc(150_000, 3).toString('base64');
      const frames = [
        data({ candidates: [{ content: { role: 'model', parts: [{ toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 'a', args: {} } }] } }] }),
        data({
          candidates: [{ content: { role: 'model', parts: [{ toolResponse: { id: 'a', response: {} }, thoughtSignature: signature }] } }],
        }),
        data({
          candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
        }),
      ];
      gateway.provider.answers({ frames });
      const answer = await ask('/v1beta/models/gemini-x:streamGenerateContent?alt=sse', {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      });
      expect(await framesOf(answer)).to.deep.equal(frames);
      expect((await gateway.bill(user)).usage).to.include({ textInput: 5, textOutput: 9 });
    });

    it('reach a Messages caller with results of hosted tools, whatever their size', async () => {
      const result = {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', url: 'https://a.example.com/', title: 'A', encrypted_content: 'e'.repeat(200_000) }],
      };
      const frames = [
        {
          type: 'message_start',
          message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } },
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_start', index: 1, content_block: result },
        { type: 'content_block_stop', index: 1 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
        { type: 'message_stop' },
      ].map(({ type, ...more }) => event(type, more));
      gateway.provider.answers({ frames });
      const answer = await ask('/v1/messages', {
        model: 'claude-x',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      });
      expect(await framesOf(answer)).to.deep.equal(frames);
    });
  });

  describe('hosted tools beside functions', () => {
    const rate = { type: 'function', name: 'rate', parameters: { type: 'object', properties: {} }, defer_loading: true };
    const answer = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      output: [],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };

    it('pass where they cost nothing but tokens', async () => {
      gateway.provider.answers({ json: answer });
      const local = [
        { type: 'apply_patch' },
        { type: 'local_shell' },
        { type: 'computer' },
        { type: 'shell', environment: { type: 'local' } },
      ];
      const tools = [{ type: 'tool_search' }, ...local, rate];
      const asked = await ask('/v1/responses', { model: 'own-model', input: 'Hi', tools });
      expect(asked.headers.get('x-tollgate-changed')).to.equal(null);
      expect(sent().tools).to.deep.equal(tools);
      expect((await gateway.bill(user)).quota).to.equal(2);
      const hosted = [{ type: 'shell', environment: { type: 'container_auto' } }, rate];
      const other = await ask('/v1/responses', { model: 'own-model', input: 'Hi', tools: hosted });
      expect(other.headers.get('x-tollgate-changed')).to.match(/^tools\[0\]: removed \(shell;/);
    });

    it('are named in the answer and the log where they are removed', async () => {
      gateway.provider.answers({ json: answer });
      const tools = [{ type: 'web_search' }, rate];
      const own = await ask('/v1/responses', { model: 'own-model', input: 'Hi', tools });
      expect(own.headers.get('x-tollgate-changed')).to.match(/^tools\[0\]: removed \(web_search;/);
      expect((await gateway.bill(user)).changes).to.deep.equal([own.headers.get('x-tollgate-changed')]);
      user = await gateway.user();
      gateway.provider.answers({ words: 2 });
      for (const stream of [false, true]) {
        // From a channel of another dialect.
        const told = await ask('/v1/responses', { model: 'plain-model', input: 'Hi', tools, stream });
        expect(told.headers.get('x-tollgate-changed')).to.match(/web_search/);
        await told.text();
      }
    });

    it('are refused where one has to be called', async () => {
      const refused = await ask('/v1/responses', {
        model: 'own-model',
        input: 'Hi',
        tools: [{ type: 'web_search' }, rate],
        tool_choice: 'required',
      });
      expect(refused.status).to.equal(400);
    });
  });

  it('cache hits of Kimi are charged and shown in every dialect, whole and streamed', async () => {
    const usage = { prompt_tokens: 2000, completion_tokens: 3, total_tokens: 2003, cached_tokens: 1792 };
    const head = { id: 'c', created: 1, model: 'kimi-x' };
    const whole = {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Three.' }, finish_reason: 'stop' }],
      usage,
    };
    const piece = (delta: Json, reason: string | null = null, more: Json = {}) =>
      data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason, ...more }] });
    const frames = [piece({ content: 'Three.' }), piece({}, 'stop', { usage }), 'data: [DONE]'];
    const messages = [{ role: 'user', content: 'Hi' }];
    const asks: [path: string, body: Json][] = [
      ['/v1/chat/completions', { model: 'kimi-x', messages }],
      ['/v1/messages', { model: 'kimi-x', max_tokens: 9, messages }],
      ['/v1/responses', { model: 'kimi-x', input: 'Hi' }],
      ['/v1beta/models/kimi-x:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
    ];
    for (const [path, body] of asks) {
      for (const stream of [false, true]) {
        user = await gateway.user();
        gateway.provider.answers(stream ? { frames } : { json: whole });
        const isGemini = path.startsWith('/v1beta');
        const place = stream && isGemini ? path.replace(':generateContent', ':streamGenerateContent?alt=sse') : path;
        const text = await (await ask(place, isGemini ? body : { ...body, stream })).text();
        expect(text, path).to.match(/"(?:cached_tokens|cache_read_input_tokens|cachedContentTokenCount)":1792/);
        expect((await gateway.bill(user)).usage, path).to.include({ textInput: 208, cachedInput: 1792, textOutput: 3 });
      }
    }
  });

  const messages = [{ role: 'user', content: 'Hi' }];
  const head = { id: 'c', object: 'chat.completion', created: 1, model: 'm' };
  const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
  const chatAnswer = (message: Json, more: Json = {}) => ({
    json: { ...head, choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }], usage, ...more },
  });

  describe('errors', () => {
    const failures = [
      ['/v1/chat/completions', { model: 'router-x', messages }],
      ['/v1/messages', { model: 'router-x', max_tokens: 9, messages }],
      ['/v1/responses', { model: 'router-x', input: 'Hi' }],
      ['/v1beta/models/router-x:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
    ] as const;

    it('of a provider behind OpenRouter reach callers of every dialect, without keys', async () => {
      const raws = [
        'The model is at capacity, key sk-abcdefgh12345678',
        '{"error":{"message":"The model is at capacity"}}',
        { detail: 'The model is at capacity' },
      ];
      for (const raw of raws) {
        for (const [path, body] of failures) {
          gateway.provider.answers({
            status: 400,
            json: { error: { code: 400, message: 'Provider returned error', metadata: { raw, provider_name: 'P' } } },
          });
          const text = await (await ask(path, body)).text();
          expect(text, path).to.include('Provider returned error: The model is at capacity');
          expect(text).not.to.include('sk-abcdefgh12345678');
        }
      }
    });

    it('carry what the model had written when its answer was refused, also in a stream', async () => {
      const error = {
        message: 'Failed to call a function',
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=x>{"a":1}',
      };
      for (const [path, body] of failures) {
        gateway.provider.answers({ status: 400, json: { error } });
        expect(await (await ask(path, body)).text(), path).to.include('"failed_generation":"<function=x>{\\"a\\":1}"');
      }
      gateway.provider.answers({
        frames: [data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'I' } }] }), data({ error })],
      });
      expect(await (await ask('/v1/chat/completions', { model: 'router-x', messages, stream: true })).text()).to.include(
        '"failed_generation"',
      );
    });
  });

  it('effort goes out to the models of Mistral that have it, and the cache key to all', async () => {
    const wishes = { messages, reasoning_effort: 'medium', prompt_cache_key: 'k', seed: 1, logprobs: false };
    const sentFor = async (model: string, more: Json = {}) => {
      await ask('/v1/chat/completions', { model, ...wishes, ...more });
      return sent();
    };
    expect(await sentFor('mistral-small-latest', { reasoning_effort: 'high' })).to.include({
      reasoning_effort: 'high',
      prompt_cache_key: 'k',
      random_seed: 1,
    });
    expect(await sentFor('mistral-small-latest')).to.include({ reasoning_effort: 'none' });
    expect(await sentFor('codestral-latest'))
      .to.include({ prompt_cache_key: 'k' })
      .and.not.have.property('reasoning_effort');
    expect(await sentFor('unheard-model'))
      .to.include({ reasoning_effort: 'medium' })
      .and.not.have.property('logprobs');
  });

  it('entries of lists in a stream are numbered for clients that join them', async () => {
    const block = (index: number, content_block: Json) => event('content_block_start', { index, content_block });
    const delta = (index: number, value: Json) => event('content_block_delta', { index, delta: value });
    const stop = (index: number) => event('content_block_stop', { index });
    const cite = (url: string) => ({
      type: 'citations_delta',
      citation: { type: 'web_search_result_location', url, title: 't', cited_text: 'x' },
    });
    gateway.provider.answers({
      frames: [
        event('message_start', {
          message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
        }),
        ...[block(0, { type: 'redacted_thinking', data: 'a' }), stop(0), block(1, { type: 'redacted_thinking', data: 'b' }), stop(1)],
        ...[2, 3].flatMap((at) => [
          block(at, { type: 'text', text: '' }),
          delta(at, { type: 'text_delta', text: 'Hi' }),
          delta(at, cite(`https://a.example.com/${at}`)),
          stop(at),
        ]),
        event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
        event('message_stop', {}),
      ],
    });
    const stream = gateway.client(user.token).chat.completions.stream({ model: 'claude-x', messages: [{ role: 'user', content: 'Hi' }] });
    const indexes: Record<string, unknown[]> = { annotations: [], thinking_blocks: [] };
    for await (const chunk of stream) {
      const said = (chunk.choices[0]?.delta ?? {}) as Record<string, { index: number }[] | undefined>;
      for (const [name, seen] of Object.entries(indexes)) seen.push(...(said[name] ?? []).map(({ index }) => index));
    }
    expect(indexes).to.deep.equal({ annotations: [0, 1], thinking_blocks: [0, 1] });
    const thinking = [{ index: 0, type: 'redacted_thinking', data: 'a' }];
    gateway.provider.answers({ words: 1 });
    await ask('/v1/chat/completions', {
      model: 'claude-x',
      messages: [...messages, { role: 'assistant', content: 'Hi', thinking_blocks: thinking }, ...messages],
    });
    expect(JSON.stringify(sent())).to.include('{"type":"redacted_thinking","data":"a"}');
  });

  describe('to callers of Responses', () => {
    it('have tiers and annotations that OpenAI knows', async () => {
      const annotations = [
        { type: 'file', file: { hash: 'a1', name: 'f.pdf', content: [{ type: 'text', text: 'x' }] } },
        { type: 'url_citation', url_citation: { url: 'https://a.example.com/', title: 'A', start_index: 0, end_index: 2 } },
        { type: 'url_citation', url: 'https://b.example.com/', title: 'B', start_index: 0, end_index: 2 },
      ];
      const known = [
        { type: 'url_citation', url: 'https://a.example.com/', title: 'A', start_index: 0, end_index: 2 },
        { type: 'url_citation', url: 'https://b.example.com/', title: 'B', start_index: 0, end_index: 2 },
      ];
      for (const tier of ['on_demand', 'provisioned', 'priority']) {
        gateway.provider.answers(chatAnswer({ content: 'Hi', annotations }, { service_tier: tier }));
        const whole = (await (await ask('/v1/responses', { model: 'router-x', input: 'Hi' })).json()) as {
          service_tier: string;
          output: { content: Json[] }[];
        };
        expect(whole.service_tier).to.equal(tier === 'priority' ? tier : 'default');
        expect(whole.output[0]?.content[0]?.annotations).to.deep.equal(known);
      }
      const chunk = (delta: Json, reason: string | null = null) =>
        data({
          ...head,
          object: 'chat.completion.chunk',
          service_tier: 'on_demand',
          choices: [{ index: 0, delta, finish_reason: reason }],
        });
      gateway.provider.answers({ frames: [chunk({ content: 'Hi' }), chunk({ annotations }), chunk({}, 'stop'), 'data: [DONE]'] });
      const text = await (await ask('/v1/responses', { model: 'router-x', input: 'Hi', stream: true })).text();
      expect(text).not.to.match(/on_demand|f\.pdf/);
      expect(text).to.include('https://b.example.com/');
    });
  });

  it('reasoning of OpenRouter keeps its name beside the one that most clients know', async () => {
    gateway.provider.answers(chatAnswer({ content: 'Hi', reasoning: 'Hm' }));
    const whole = (await (await ask('/v1/chat/completions', { model: 'router-x', messages })).json()) as { choices: { message: Json }[] };
    expect(whole.choices[0]?.message).to.include({ reasoning: 'Hm', reasoning_content: 'Hm' });
    expect((await gateway.bill(user)).usage).to.include({ textOutput: 3 });
  });

  it('arguments that Cohere leaves null are an empty object', async () => {
    const call = { id: 't1', type: 'function', function: { name: 'now', arguments: 'null' } };
    const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];
    const frames = [
      data({ type: 'message-start', id: 'c' }),
      data({
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: { ...call, function: { name: 'now', arguments: '' } } } },
      }),
      data({ type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: 'null' } } } } }),
      data({ type: 'tool-call-end', index: 0 }),
      data({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: { billed_units: { input_tokens: 1, output_tokens: 1 } } } }),
    ];
    for (const stream of [false, true]) {
      gateway.provider.answers(
        stream
          ? { frames }
          : {
              json: {
                id: 'c',
                finish_reason: 'TOOL_CALL',
                message: { role: 'assistant', tool_calls: [call] },
                usage: { billed_units: { input_tokens: 1, output_tokens: 1 } },
              },
            },
      );
      const text = await (await ask('/v1/chat/completions', { model: 'cohere-x', messages, tools, stream })).text();
      expect(text).to.include('"arguments":"{}"').and.not.include('null\\"').and.not.include('"arguments":"null"');
    }
    const told = await ask('/v1/messages', {
      model: 'cohere-x',
      max_tokens: 9,
      messages,
      tools: [{ name: 'now', input_schema: { type: 'object' } }],
    });
    expect(await told.text()).to.include('"input":{}');
  });

  describe('of Gemini', () => {
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };
    const gemini = (parts: Json[], finishReason: string, more: Json = usageMetadata) => ({
      candidates: [{ content: { role: 'model', parts }, finishReason }],
      usageMetadata: more,
    });

    it('end with their calls, also where the call was not expected', async () => {
      const answer = gemini([{ functionCall: { name: 'list', args: {} } }], 'UNEXPECTED_TOOL_CALL');
      gateway.provider.answers({ json: answer });
      expect(await (await ask('/v1/chat/completions', { model: 'gemini-x', messages })).text()).to.include('"finish_reason":"tool_calls"');
      gateway.provider.answers({ frames: [data(answer)] });
      expect(await (await ask('/v1/chat/completions', { model: 'gemini-x', messages, stream: true })).text()).to.include(
        '"finish_reason":"tool_calls"',
      );
    });

    it('are sound where they speak, and no picture', async () => {
      const sound = Buffer.alloc(48_000).toString('base64');
      const spoken = {
        promptTokenCount: 9,
        candidatesTokenCount: 25,
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
        totalTokenCount: 34,
      };
      gateway.provider.answers({
        json: gemini([{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: sound } }], 'STOP', spoken),
      });
      expect(await (await ask('/v1/chat/completions', { model: 'gemini-x', messages })).text())
        .to.include('[audio](data:audio/L16;codec=pcm;rate=24000;base64,')
        .and.not.include('![');
      expect((await gateway.bill(user)).usage).to.include({ audioOutput: 25, textOutput: 0 });
    });

    it('keep the usage that Google states, where its tools read for a call', async () => {
      const stated = { promptTokenCount: 432, thoughtsTokenCount: 18, toolUsePromptTokenCount: 78, totalTokenCount: 528 };
      gateway.provider.answers({ json: gemini([{ functionCall: { name: 'final', args: { city: 'Oslo' } } }], 'STOP', stated) });
      const answer = await ask('/v1beta/models/gemini-x:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
      expect(((await answer.json()) as Json).usageMetadata).to.deep.equal(stated);
      expect((await gateway.bill(user)).usage).to.include({ textInput: 510, reasoningOutput: 18, textOutput: 0 });
    });

    it('have a corrected usage beside what its tools read', async () => {
      const stated = { promptTokenCount: 400, toolUsePromptTokenCount: 78 };
      gateway.provider.answers({ json: gemini([{ text: 'word '.repeat(50) }], 'STOP', stated) });
      const answer = await ask('/v1beta/models/gemini-x:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
      expect(((await answer.json()) as { usageMetadata: Json }).usageMetadata).to.include(stated);
    });
  });

  describe('counts of tokens', () => {
    const tools = [{ name: 'now', input_schema: { type: 'object' } }];
    const asks: [who: string, path: string, body: Json, json: Json, read: (answer: Json) => unknown, place: string][] = [
      [
        'Anthropic',
        '/v1/messages/count_tokens',
        { model: 'claude-x', messages, tools },
        { input_tokens: 671 },
        (answer) => answer.input_tokens,
        '/v1/messages/count_tokens',
      ],
      [
        'Gemini',
        '/v1beta/models/gemini-x:countTokens',
        { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
        { totalTokens: 671, promptTokensDetails: [] },
        (answer) => answer.totalTokens,
        '/v1beta/models/gemini-x:countTokens',
      ],
      [
        'OpenAI',
        '/v1/responses/input_tokens',
        { model: 'own-model', input: 'Hi' },
        { object: 'response.input_tokens', input_tokens: 671 },
        (answer) => answer.input_tokens,
        '/v1/responses/input_tokens',
      ],
    ];
    for (const [who, path, body, json, read, place] of asks) {
      it(`are those of ${who}, asked for once, and free`, async () => {
        gateway.provider.answers({ json });
        for (let round = 0; round < 2; round += 1) {
          const answer = await ask(path, body);
          expect(answer.headers.get('x-tollgate-count')).to.equal('upstream');
          expect(read((await answer.json()) as Json)).to.equal(671);
        }
        expect(gateway.provider.calls.map((call) => call.path)).to.deep.equal([place]);
        expect(sent()).not.to.have.any.keys('max_tokens', 'stream', 'store');
        expect(await gateway.events(user)).to.deep.equal([]);
      });
    }

    it('are estimates where the provider does not count, and it is left alone then', async () => {
      const inputs = ['One', 'Two'].map((input) => ({ model: 'own-model', input: `${input} more` }));
      gateway.provider.answers({ status: 500, json: { error: { message: 'No' } } });
      for (const body of [...inputs, { model: 'plain-model', input: 'Hi' }]) {
        const answer = await ask('/v1/responses/input_tokens', body);
        expect(answer.headers.get('x-tollgate-count')).to.equal('estimated');
        expect(((await answer.json()) as { input_tokens: number }).input_tokens).to.be.within(1, 50);
      }
      expect(gateway.provider.calls).to.have.length(1);
    });

    it('of a caller of another dialect are those of the provider, too', async () => {
      gateway.provider.answers({ json: { totalTokens: 99 } });
      const answer = await ask('/v1/messages/count_tokens', { model: 'gemini-x', messages, tools });
      expect(await answer.json()).to.deep.equal({ input_tokens: 99 });
      expect(JSON.stringify(sent())).to.match(/generateContentRequest.*models\/gemini-x/);
    });
  });
});
