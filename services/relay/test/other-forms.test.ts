import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const models = ['gpt-x', 'claude-x', 'gemini-x', 'codestral-latest', 'yi-x', 'gpt-5.6'];

/** The chunks of a stream that ends with its mark. */
async function chunksOf(answer: Response): Promise<Json[]> {
  const frames = await framesOf(answer);
  expect(frames.at(-1)).to.equal('data: [DONE]');
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)) as Json);
}

describe('Requests in another form than their provider knows', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e9 });
    await gateway.channels([
      { type: 43, models: ['gpt-x'] },
      { type: 1, models: ['gpt-5.6', 'glm-x'] },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
      { type: 42, models: ['codestral-latest'] },
      { type: 31, models: ['yi-x'] },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries([...models, 'glm-x'].map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'codestral-latest');
  });
  after(() => gateway?.stop());
  beforeEach(() => gateway.provider.reset());

  const ask = (path: string, body: Json) => gateway.post(path, body, { authorization: user.token.authorization });
  const sent = () => gateway.provider.lastCall().json as Json;
  const asked = async (path: string, body: Json) => {
    const answer = await ask(path, body);
    const json = (await answer.json()) as Json;
    expect(answer.status, JSON.stringify(json)).to.equal(200);
    return { json, changed: answer.headers.get('x-tollgate-changed') };
  };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const chatAnswer = (message: Json, finish_reason = 'stop') => ({
    json: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason }], usage },
  });

  it('fill in the middle at Mistral by its own API, and elsewhere by completions', async () => {
    const question = { model: 'codestral-latest', prompt: 'def f(', suffix: 'return a', random_seed: 7, max_tokens: 9 };
    gateway.provider.answers(chatAnswer({ role: 'assistant', content: 'a):' }));
    const { json } = await asked('/v1/fim/completions', question);
    expect(json).to.have.nested.property('choices[0].message.content', 'a):');
    expect(gateway.provider.lastCall().path).to.equal('/v1/fim/completions');
    expect(sent()).to.deep.equal(question);
    const { json: text } = await asked('/v1/completions', { model: 'codestral-latest', prompt: 'def f(', suffix: 'return a', seed: 7 });
    expect(text).to.include({ object: 'text_completion' }).and.to.have.nested.property('choices[0].text', 'a):');
    expect(sent()).to.include({ random_seed: 7 });
    gateway.provider.answers({ words: 3 });
    const { json: deepSeeks } = await asked('/v1/fim/completions', { ...question, model: 'gpt-x' });
    expect(gateway.provider.lastCall().path).to.equal('/beta/completions');
    expect(sent()).to.deep.include({ prompt: 'def f(', suffix: 'return a', seed: 7 });
    expect(deepSeeks).to.have.nested.property('choices[0].message.content', ' w0 w1 w2');
    const streamed = await chunksOf(await ask('/v1/fim/completions', { ...question, model: 'gpt-x', stream: true }));
    const deltas = streamed.flatMap(({ choices }) => choices as { delta: { content?: string } }[]);
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).to.equal(' w0 w1 w2');
  });

  for (const [model, type] of [
    ['claude-x', 'Claude'],
    ['gemini-x', 'Gemini'],
    ['yi-x', 'a provider of chats in OpenAI’s format'],
  ] as const) {
    it(`complete a text with ${type}, whole and in a stream`, async () => {
      gateway.provider.answers({ words: 3, promptTokens: 12 });
      const { json } = await asked('/v1/completions', { model, prompt: 'Once', max_tokens: 50 });
      expect(json).to.include({ object: 'text_completion' }).and.to.have.nested.property('choices[0].text', ' w0 w1 w2');
      expect(json).to.have.nested.property('usage.prompt_tokens', 12);
      expect(JSON.stringify(sent())).to.include('"Once"');
      const body = { model, prompt: 'Once', stream: true, stream_options: { include_usage: true } };
      const frames = await chunksOf(await ask('/v1/completions', body));
      expect(frames.flatMap(({ choices }) => (choices as { text: string }[]).map(({ text }) => text)).join('')).to.equal(' w0 w1 w2');
      expect(frames.at(-1)).to.have.nested.property('usage.prompt_tokens', 12);
      const refused = await ask('/v1/completions', { model, prompt: ['a', 'b'] });
      expect(await refused.json()).to.have.nested.property('error.param', 'prompt');
    });
  }

  it('ask a model that only chats for the text before a suffix in words, and list that', async () => {
    gateway.provider.answers({ words: 1 });
    const { changed } = await asked('/v1/completions', { model: 'claude-x', prompt: 'def f(', suffix: 'return a' });
    expect(changed).to.equal('suffix: changed for the model');
    expect(sent()).to.have.nested.property('messages[0].content', 'def f(<FILL_IN_HERE>return a');
  });

  it('have custom tools as functions at Claude, whose calls come back as custom, whole and in a stream', async () => {
    const body = { model: 'claude-x', messages: [{ role: 'user', content: 'go' }], tools: [{ type: 'custom', custom: { name: 'code' } }] };
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
    const called = { type: 'tool_use', id: 'toolu_1', name: 'code', input: { input: 'print(1)' } };
    gateway.provider.answers({
      json: { ...head, content: [called], stop_reason: 'tool_use', usage: { input_tokens: 9, output_tokens: 5 } },
    });
    const { json } = await asked('/v1/chat/completions', body);
    expect(json)
      .to.have.nested.property('choices[0].message.tool_calls[0]')
      .that.deep.includes({
        id: 'toolu_1',
        type: 'custom',
        custom: { name: 'code', input: 'print(1)' },
      });
    const events = [
      { type: 'message_start', message: { ...head, content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { ...called, input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"input":"pri' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: 'nt(1)"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    gateway.provider.answers({ frames: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`) });
    const frames = await chunksOf(await ask('/v1/chat/completions', { ...body, stream: true }));
    const calls = frames.flatMap(({ choices }) =>
      (choices as { delta: { tool_calls?: Json[] } }[]).flatMap(({ delta }) => delta.tool_calls ?? []),
    );
    expect(calls).to.deep.equal([
      { index: 0, id: 'toolu_1', type: 'custom', custom: { name: 'code', input: '' } },
      { index: 0, custom: { input: 'print(1)' } },
    ]);
  });

  it('reach Claude with a PDF by its URL, from callers of Anthropic’s format and of OpenAI’s', async () => {
    gateway.provider.answers({ words: 1 });
    const url = 'https://example.invalid/a.pdf';
    const document = { type: 'document', source: { type: 'url', url } };
    await asked('/v1/messages', { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: [document] }] });
    expect(sent()).to.have.nested.property('messages[0].content[0].source.url', url);
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: url } };
    await asked('/v1/chat/completions', { model: 'claude-x', messages: [{ role: 'user', content: [file] }] });
    expect(sent()).to.have.nested.property('messages[0].content[0].source').that.deep.equals({ type: 'url', url });
  });

  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
  const calling = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };

  it('are answered with `tool_calls` as the reason where a provider of the same format says `stop`', async () => {
    const body = { model: 'glm-x', messages: [{ role: 'user', content: 'hi' }], tools };
    gateway.provider.answers(chatAnswer(calling));
    expect((await asked('/v1/chat/completions', body)).json).to.have.nested.property('choices[0].finish_reason', 'tool_calls');
    const named = { ...body, tool_choice: { type: 'function', function: { name: 'f' } } };
    expect((await asked('/v1/chat/completions', named)).json).to.have.nested.property('choices[0].finish_reason', 'stop'); // as OpenAI itself
    const chunk = (delta: Json, finish_reason: string | null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const frames = [chunk({ tool_calls: [{ index: 0, ...calling.tool_calls[0] }] }, null), chunk({}, 'stop')];
    gateway.provider.answers({ frames: [...frames.map((frame) => `data: ${JSON.stringify(frame)}`), 'data: [DONE]'] });
    const streamed = await chunksOf(await ask('/v1/chat/completions', { ...body, stream: true }));
    expect(streamed.at(-1)).to.have.nested.property('choices[0].finish_reason', 'tool_calls');
  });

  it('go without a search of the web beside own tools where no channel of the model has it', async () => {
    gateway.provider.answers(chatAnswer({ role: 'assistant', content: 'ok' }));
    const own = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };
    const { changed } = await asked('/v1/responses', { model: 'gpt-5.6', input: 'hi', store: false, tools: [own, { type: 'web_search' }] });
    expect(changed).to.include('tools[1]: removed (web_search; no channel of the model has it)');
    expect(JSON.stringify(sent())).not.to.include('web_search');
    const alone = await ask('/v1/responses', { model: 'gpt-5.6', input: 'hi', store: false, tools: [{ type: 'web_search' }] });
    expect(await alone.json()).to.have.nested.property('error.param', 'tools[0]');
  });

  it('have effort `none` beside tools where the model takes them so and the channel has no Responses, which is listed', async () => {
    gateway.provider.answers(chatAnswer({ role: 'assistant', content: 'ok' }));
    const body = { model: 'gpt-5.6', messages: [{ role: 'user', content: 'hi' }], tools };
    const { changed } = await asked('/v1/chat/completions', { ...body, reasoning_effort: 'medium' });
    expect(changed).to.equal('reasoning_effort: changed for the model');
    expect(sent()).to.include({ reasoning_effort: 'none' });
    const { tools: _tools, ...without } = body;
    await asked('/v1/chat/completions', { ...without, reasoning_effort: 'medium' });
    expect(sent()).to.include({ reasoning_effort: 'medium' });
  });
});
