import { setTimeout as delay } from 'node:timers/promises';
import type { MeasuredService } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { startMeasuredRelay } from './support/processes.ts';

const pieces = ['a', '/', '@', ':', '{', ' '];
const megabyte = 1 << 20;
/** What another caller waits for at most, in ms: one turn of the relay's thread. */
const mostMs = 50;

const image = (url: string) => [{ type: 'image_url', image_url: { url } }];
const message = (fields: object) => ({ messages: [{ role: 'user', content: 'Hi', ...fields }] });
const tool = (fields: object) => ({ tools: [{ type: 'function', function: { name: 'f', ...fields } }] });
const toolCall = (fields: object) => ({
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' }, ...fields }],
});

/** Every text that we read of a chat request, and some that we do not. */
const chatFields: Record<string, (text: string) => object> = {
  model: (text) => ({ model: text }),
  role: (text) => message({ role: text }),
  content: (text) => message({ content: text }),
  'system content': (text) => ({ messages: [{ role: 'system', content: text }, ...message({}).messages] }),
  'last answer': (text) => ({ messages: [...message({}).messages, { role: 'assistant', content: text }] }),
  name: (text) => message({ name: text }),
  'type of a part': (text) => message({ content: [{ type: text }] }),
  'text of a part': (text) => message({ content: [{ type: 'text', text }] }),
  'address of an image': (text) => message({ content: image(text) }),
  'image in base64': (text) => message({ content: image(`data:image/png;base64,${text}`) }),
  'media type of an image': (text) => message({ content: image(`data:${text};base64,QUJD`) }),
  audio: (text) => message({ content: [{ type: 'input_audio', input_audio: { data: text, format: text } }] }),
  file: (text) => message({ content: [{ type: 'file', file: { file_data: text, filename: text } }] }),
  'id of a tool call': (text) => message({ role: 'assistant', ...toolCall({ id: text }) }),
  'arguments of a tool call': (text) => message({ role: 'assistant', ...toolCall({ function: { name: 'f', arguments: text } }) }),
  'result of a tool': (text) => message({ role: 'tool', tool_call_id: text, content: text }),
  'name of a tool': (text) => tool({ name: text }),
  'description of a tool': (text) => tool({ description: text }),
  'schema of a tool': (text) =>
    tool({ parameters: { type: 'object', properties: { [text.slice(megabyte / 2)]: { format: text.slice(megabyte / 2) } } } }),
  'tool choice': (text) => ({ ...tool({}), tool_choice: text }),
  stop: (text) => ({ stop: text }),
  user: (text) => ({ user: text }),
  'reasoning effort': (text) => ({ reasoning_effort: text }),
  'response format': (text) => ({ response_format: { type: text, json_schema: { name: text, schema: { title: text } } } }),
  'name of a field': (text) => ({ [text]: 1 }),
};

describe('Texts made to be slow', () => {
  let gateway: Gateway;
  let relay: MeasuredService;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e15 });
    await gateway.options({ ModelRatio: JSON.stringify({ openai: 1, claude: 1, gemini: 1, mistral: 1, 'embedding-model': 1 }) });
    await gateway.channels([
      { type: 1, models: ['openai', 'embedding-model'] },
      { type: 14, models: ['claude'] },
      { type: 24, models: ['gemini'] },
      { type: 42, models: ['mistral'] },
    ]);
    await untilServed(gateway, user.token, 'mistral');
    relay = await startMeasuredRelay({ ...gateway.env, LOG_LEVEL: 'info' });
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  const send = async (path: string, body: object | string, headers: Record<string, string> = {}) => {
    const answer = await fetch(relay.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: user.token.authorization, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    await answer.text();
    gateway.provider.reset();
    return answer.status;
  };

  /** Asks the first of them twice: what only the first call costs (code that is loaded and compiled then) is no fault of a text. */
  async function expectQuick(what: string, ask: (piece: string) => Promise<unknown>): Promise<void> {
    await ask('b');
    await relay.longestTurnMs();
    for (const piece of pieces) {
      // A text that is slow is slow each time; a collection of garbage or a busy machine is not.
      let longestMs = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 4 && longestMs >= mostMs; tries += 1) {
        await ask(piece);
        longestMs = Math.min(longestMs, await relay.longestTurnMs());
      }
      expect(longestMs, `${what}: ${piece}`).to.be.below(mostMs);
    }
  }

  for (const model of ['openai', 'claude', 'gemini', 'mistral']) {
    it(`keep nobody waiting, in any field of a chat request that goes to ${model}`, async function () {
      this.timeout(120_000);
      for (const [field, fields] of Object.entries(chatFields)) {
        await expectQuick(field, (piece) => send('/v1/chat/completions', question({ model, ...fields(piece.repeat(megabyte)) })));
      }
    });
  }

  it('are bodies of millions of objects: refused, of who can pay and of who cannot, and nobody waits', async function () {
    this.timeout(60_000);
    const poor = await gateway.user({ balance: 0 });
    const body = `{"model":"openai","a":[${'{},'.repeat(10_000_000)}{}]}`;
    const before = await relay.memoryBytes();
    for (const [{ authorization }, status] of [
      [poor.token, 403],
      [user.token, 400],
    ] as const) {
      let isOver = false;
      let most = 0;
      const watching = (async () => {
        for (; !isOver; await delay(50)) most = Math.max(most, await relay.memoryBytes());
      })();
      await relay.longestTurnMs();
      const calls = Array.from({ length: 12 }, () => send('/v1/chat/completions', body, { authorization }).catch(() => status));
      expect([...new Set(await Promise.all(calls))]).to.deep.equal([status]);
      isOver = true;
      await watching;
      expect(await relay.longestTurnMs()).to.be.below(500);
      if (status === 403) expect((most - before) / megabyte).to.be.below(600);
    }
    expect(await send('/v1/chat/completions', question({ model: 'openai' }))).to.equal(200);
  });

  it('keep nobody waiting as an input, as a body, in the address and in the headers', async function () {
    this.timeout(60_000);
    const long = (piece: string) => piece.repeat(megabyte);
    const short = (piece: string) => encodeURI(piece.repeat(8_000)).slice(0, 8_000);
    await expectQuick('input', (piece) =>
      send('/v1/embeddings', { model: 'embedding-model', input: [long(piece)], encoding_format: long(piece) }),
    );
    await expectQuick('prompt', (piece) => send('/v1/completions', { model: 'openai', prompt: long(piece), suffix: long(piece) }));
    await expectQuick('body', (piece) => send('/v1/chat/completions', long(piece)));
    await expectQuick('address', (piece) => send(`/v1/${short(piece)}`, ''));
    await expectQuick('engine', (piece) => send(`/v1/engines/${short(piece)}/embeddings`, { input: 'a' }));
    for (const header of ['authorization', 'accept-language', 'content-encoding', 'traceparent', 'x-forwarded-for', 'user-agent']) {
      const headers = (piece: string) => ({ [header]: `x${piece.repeat(8_000)}x` });
      await expectQuick(header, (piece) => send('/v1/chat/completions', question({ model: 'openai' }), headers(piece)));
    }
  });
});
