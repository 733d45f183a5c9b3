import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

/** Channels of each dialect, whose mapping hides the name that the provider knows. */
const channels = { 'alias-openai': { type: 1 }, 'alias-anthropic': { type: 14 }, 'alias-gemini': { type: 24 } };
const hello = [{ role: 'user', content: 'hello' }];

interface Caller {
  path(model: string, isStream: boolean): string;
  body(model: string, isStream: boolean): Json;
  /** The name in a whole answer, and in an event of a stream that has one. */
  whole(answer: Json): unknown;
  event(event: Json): unknown;
}

const callers: Record<string, Caller> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, stream) => ({ model, stream, messages: hello, stream_options: stream ? { include_usage: true } : undefined }),
    whole: ({ model }) => model,
    event: ({ model }) => model,
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, stream) => ({ model, stream, messages: hello, max_tokens: 50 }),
    whole: ({ model }) => model,
    event: ({ message }) => (message as Json | undefined)?.model,
  },
  gemini: {
    path: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }),
    whole: ({ modelVersion }) => modelVersion,
    event: ({ modelVersion }) => modelVersion,
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, stream) => ({ model, stream, input: 'hello' }),
    whole: ({ model }) => model,
    event: ({ response }) => (response as Json | undefined)?.model,
  },
};

describe('A call whose channel maps the model to another name', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e9 });
    const names = [...Object.keys(channels), 'alias-embeddings', 'plain'];
    await gateway.channels([
      ...Object.entries(channels).map(([model, fields]) => ({
        ...fields,
        models: [model],
        modelMapping: JSON.stringify({ [model]: 'hidden' }),
      })),
      { models: ['alias-embeddings'], modelMapping: '{"alias-embeddings":"hidden"}' },
      { models: ['plain'] },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))) });
    await untilServed(gateway, user.token, 'plain');
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  const post = (path: string, body: unknown) => gateway.post(path, body, { authorization: user.token.authorization });
  const eventsOf = (text: string): Json[] => [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);

  for (const [name, caller] of Object.entries(callers)) {
    for (const model of Object.keys(channels)) {
      it(`answers ${name} callers with the requested name from ${model}`, async () => {
        const whole = await post(caller.path(model, false), caller.body(model, false));
        const text = await whole.text();
        expect(caller.whole(JSON.parse(text) as Json), text).to.equal(model);
        expect(text).not.to.contain('hidden');
        expect(gateway.provider.lastCall().model).to.equal('hidden');
        const streamed = await (await post(caller.path(model, true), caller.body(model, true))).text();
        const named = eventsOf(streamed)
          .map(caller.event)
          .filter((each) => each !== undefined);
        expect(named.length, streamed).to.be.greaterThan(0);
        expect([...new Set(named)]).to.deep.equal([model]);
        expect(streamed).not.to.contain('hidden');
      });
    }
  }

  it('changes nothing but the name: not in words, tool arguments, spacing or numbers', async () => {
    const words = '{"model":"hidden"} \\"model\\":\\"hidden\\"';
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"model":"hidden"}' } };
    const chunk = (delta: Json, more = '') =>
      `{ "choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}],"x":1.0, "own":{"model":"hidden"}, "model" : "hidden"${more} }`;
    const last =
      '{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"model":"hidden","usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}';
    const datas = [chunk({ content: words }), chunk({ tool_calls: [call] }), chunk({ content: 'é' }, ',"y":2e0'), last];
    gateway.provider.answers({ frames: [': ping', ...datas.map((data) => `data:${data}`), 'data: [DONE]'] });
    const streamed = await (await post('/v1/chat/completions', callers.chat?.body('alias-openai', true))).text();
    const named = (data: string) => data.replace(/"model"( ?: ?)"hidden"( \}|,"[yu])/, '"model"$1"alias-openai"$2');
    for (const data of datas) expect(streamed).to.contain(`data:${named(data)}\n`);
    const lines = chunk({ content: words }).replace(', "own"', ',\ndata: "own"');
    gateway.provider.answers({ frames: [`data: ${lines}`, `data: ${last}`, 'data: [DONE]'] });
    const inLines = await (await post('/v1/chat/completions', callers.chat?.body('alias-openai', true))).text();
    expect(eventsOf(inLines).map(({ model, own }) => [model, (own as Json | undefined)?.model])).to.deep.equal([
      ['alias-openai', 'hidden'],
      ['alias-openai', undefined],
    ]);
    const whole = `{"id":"x", "model":"hidden","choices":[{"index":0,"message":{"role":"assistant","content":${JSON.stringify(words)}},"finish_reason":"stop"}],"n":1.0,"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`;
    gateway.provider.answers({ text: whole, contentType: 'application/json' });
    const answer = await (await post('/v1/chat/completions', callers.chat?.body('alias-openai', false))).text();
    expect(answer).to.equal(whole.replace('"hidden"', '"alias-openai"'));
  });

  it('names embeddings by the requested name, long lists too, and leaves other answers alone', async () => {
    for (const length of [2, 4000]) {
      const data = [{ object: 'embedding', index: 0, embedding: Array.from({ length }, (_, at) => at / 7) }];
      gateway.provider.answers({ json: { object: 'list', data, model: 'hidden', usage: { prompt_tokens: 1, total_tokens: 1 } } });
      const answer = (await (await post('/v1/embeddings', { model: 'alias-embeddings', input: 'x' })).json()) as Json;
      expect(answer.model).to.equal('alias-embeddings');
      expect(answer).to.have.nested.property('data[0].embedding').with.length(length);
    }
    const dated = {
      id: 'x',
      model: 'plain-2026-01-01',
      choices: [{ index: 0, message: { role: 'assistant', content: 'y' }, finish_reason: 'stop' }],
    };
    gateway.provider.answers({ json: dated });
    const plain = (await (await post('/v1/chat/completions', { model: 'plain', messages: hello })).json()) as Json;
    expect(plain.model, 'no mapping').to.equal('plain-2026-01-01');
  });
});
