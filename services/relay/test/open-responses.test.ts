import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { formatOf, readRequest, type ScriptedTurn, writeTurn } from './agents/scripted-formats.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { responseFaults, streamFaults } from './support/response-shape.ts';

type Json = Record<string, unknown>;

/** One channel of each kind of upstream. */
const kinds = {
  'own-responses': { type: 1, setting: '{"responses":true}' },
  'own-chat': { type: 1 },
  'claude-x': { type: 14 },
  'gemini-x': { type: 24, key: 'gemini-key' },
} as const;
const models = Object.keys(kinds) as (keyof typeof kinds)[];

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const weather = {
  type: 'function',
  name: 'tide_at',
  parameters: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
};
const dot = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** What the templates of https://www.openresponses.org/compliance ask for, and what strict clients ask besides. */
const requests: Record<string, Json> = {
  'a text': { input: [user('Name three ports.')] },
  'a system message': { input: [{ type: 'message', role: 'system', content: 'Answer in rhymes.' }, user('Name a port.')] },
  'a tool': { input: [user('When is high tide in Emden?')], tools: [weather] },
  'a forced tool': { input: 'Tide?', tools: [weather], tool_choice: { type: 'function', name: 'tide_at' } },
  'an image': {
    input: [
      user([
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: dot },
      ]),
    ],
  },
  'several turns': { input: [user('I am Imke.'), { type: 'message', role: 'assistant', content: 'Moin.' }, user('Who am I?')] },
  'a schema': { input: 'Ports', text: { format: { type: 'json_schema', name: 'ports', schema: { type: 'object', properties: {} } } } },
  'all parameters': {
    ...{ input: 'Ports', instructions: 'Be brief', temperature: 0.5, top_p: 0.5, max_output_tokens: 99, max_tool_calls: 3 },
    ...{ presence_penalty: 0.5, frequency_penalty: 0.5, metadata: { a: 'b' }, user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
    ...{ truncation: 'auto', service_tier: 'default', parallel_tool_calls: false, reasoning: { effort: 'low', summary: 'auto' } },
    ...{ store: false, include: ['reasoning.encrypted_content'], tools: [weather], tool_choice: 'auto' },
  },
  'nothing but nulls': {
    ...{ input: 'Ports', instructions: null, temperature: null, top_p: null, tools: null, metadata: null, text: null, reasoning: null },
    ...{ tool_choice: null, truncation: null, service_tier: null, store: null, max_tool_calls: null, presence_penalty: null },
  },
};

describe('Open Responses', () => {
  let gateway: Gateway;
  let caller: TestUser;
  let provider: Server;
  let turn: ScriptedTurn;

  before(async () => {
    let answers = 0;
    provider = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const path = request.url ?? '/';
        if (formatOf(path) === undefined) return void response.writeHead(404).end('{}');
        const asked = readRequest(path, JSON.parse(Buffer.concat(pieces).toString()) as Json);
        const calls = asked.tools.map((name) => ({ name, args: { port: 'Emden' } }));
        answers += 1;
        const { contentType, body } = writeTurn({ ...turn, calls, text: calls.length > 0 ? '' : turn.text }, asked, `n${answers}`);
        response.writeHead(200, { 'content-type': contentType }).end(body);
      });
    });
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    gateway = await startGateway();
    caller = await gateway.user({ balance: 1e9 });
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    await gateway.channels(models.map((model) => ({ ...kinds[model], models: [model], baseUrl })));
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, caller.token, 'gemini-x');
  });
  after(async () => {
    await gateway?.stop();
    provider.closeAllConnections();
    provider.close();
  });
  beforeEach(() => {
    turn = { text: 'Emden, Leer and Norden', calls: [] };
  });

  const ask = (body: Json) => gateway.post('/v1/responses', body, { authorization: caller.token.authorization });
  const eventsOf = (text: string): Json[] =>
    text
      .split('\n\n')
      .flatMap((frame) => frame.split('\n').filter((line) => line.startsWith('data: ')))
      .filter((line) => line !== 'data: [DONE]')
      .map((line) => JSON.parse(line.slice('data: '.length)) as Json);

  for (const model of models) {
    it(`gets responses and streams of the published shape from ${model}`, async () => {
      for (const thinking of [undefined, 'Which ones?']) {
        turn = { text: turn.text, calls: [], ...(thinking !== undefined && { thinking }) };
        for (const [name, fields] of Object.entries(requests)) {
          const whole = await ask({ model, ...fields });
          const json = (await whole.json()) as Json;
          expect(whole.status, `${name}: ${JSON.stringify(json)}`).to.equal(200);
          expect(json.status, name).to.equal('completed');
          expect(responseFaults(json), name).to.deep.equal([]);
          const types = (json.output as Json[]).map(({ type }) => type);
          expect(types, name).to.include(Array.isArray(fields.tools) ? 'function_call' : 'message');
          const events = eventsOf(await (await ask({ model, ...fields, stream: true })).text());
          expect(streamFaults(events), name).to.deep.equal([]);
          expect(events.at(-1)?.type, name).to.equal('response.completed');
          if (Array.isArray(fields.tools))
            expect(events.map(({ type }) => type)).to.include.members([
              'response.function_call_arguments.delta',
              'response.function_call_arguments.done',
            ]);
        }
      }
    });

    it(`ends a chain at ${model} when a result has no call, and forgets it`, async () => {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
        headers: { authorization: caller.token.authorization },
      });
      const events: Json[] = [];
      socket.on('message', (data) => events.push(JSON.parse(String(data)) as Json));
      await once(socket, 'open');
      const last = (count: number) =>
        eventually(() => {
          const ends = events.filter(({ type }) => type === 'response.completed' || type === 'error');
          if (ends.length < count) throw new Error(`${ends.length} ends`);
          return ends[count - 1] as Json;
        });
      const say = (fields: Json) => socket.send(JSON.stringify({ type: 'response.create', model, store: false, ...fields }));
      const orphan = [{ type: 'function_call_output', call_id: 'call_none', output: 'late' }];
      say({ input: 'I am Imke' });
      const { id } = (await last(1)).response as Json;
      say({ previous_response_id: id, input: orphan });
      expect(await last(2)).to.have.property('type', 'error');
      say({ previous_response_id: id, input: 'Who am I?' });
      expect(((await last(3)).error as Json).code).to.equal('previous_response_not_found');
      socket.close();
      const first = (await (await ask({ model, input: 'I am Imke' })).json()) as Json;
      const refused = await ask({ model, previous_response_id: first.id, input: orphan });
      expect([refused.status, ((await refused.json()) as { error: Json }).error.message]).to.satisfy(
        ([status, message]: [number, string]) => status === 400 && message.includes('call_none'),
      );
      const mended = await ask({ model, input: [user('Hello'), ...orphan] });
      expect(mended.status).to.equal(200);
    });
  }
});
