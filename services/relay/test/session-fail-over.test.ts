import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type AgentRequest, type Json, readRequest, type ScriptedTurn, writeTurn } from './agents/scripted-formats.ts';
import { refusalOf, type UpstreamKind } from './agents/strict-rules.ts';
import { type CallerName, callerNames } from './dialects/next-turn.ts';
import { kindNames, kinds, ownMark, sides } from './dialects/session-sides.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** How an upstream fails: before it answers, at once or by its first event, or in the midst of a stream. */
type Failure = 'overloaded' | 'destroyed' | 'first-event' | 'midst';

const paths: Record<CallerName, (model: string, isStream: boolean) => string> = {
  openai: () => '/v1/chat/completions',
  anthropic: () => '/v1/messages',
  responses: () => '/v1/responses',
  gemini: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};

/** A strict provider of one kind that thinks, and calls a tool in every turn. */
class Upstream {
  readonly refusals: string[] = [];
  readonly bodies: string[] = [];
  readonly seeds: string[] = [];
  failure: Failure | undefined;
  readonly #kind: UpstreamKind;
  readonly #server: Server;

  constructor(kind: UpstreamKind) {
    this.#kind = kind;
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => this.#answer(request.url ?? '/', Buffer.concat(pieces).toString(), response));
    });
  }

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    for (const list of [this.refusals, this.bodies, this.seeds]) list.length = 0;
    this.failure = undefined;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(path: string, body: string, response: ServerResponse): void {
    const request = readRequest(path, JSON.parse(body) as Json);
    const refusal = refusalOf(this.#kind, JSON.parse(body) as Json, request);
    if (refusal !== undefined) {
      this.refusals.push(refusal);
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message: refusal } }));
      return;
    }
    if (this.failure === undefined) this.bodies.push(body);
    this.#write(request, response);
  }

  #write(request: AgentRequest, response: ServerResponse): void {
    const seed = `${this.#kind.replaceAll('-', '')}x${this.seeds.length}${this.failure ?? ''}`;
    const thinking = this.#kind === 'openai-chat' ? {} : { thinking: 'Hm.' };
    const turn: ScriptedTurn = { ...thinking, text: 'I look.', calls: [{ name: 'look', args: { city: 'Oslo' } }] };
    const { contentType, body } = writeTurn(turn, request, seed);
    if (this.failure === 'destroyed' || (this.failure === 'first-event' && !request.isStream)) return void response.destroy();
    if (this.failure === 'overloaded') {
      const error = { type: 'overloaded_error', message: 'Overloaded' };
      return void response.writeHead(529, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
    }
    response.writeHead(200, { 'content-type': contentType });
    if (this.failure === 'first-event') return void response.end('event: error\ndata: {"error":{"message":"Overloaded","code":503}}\n\n');
    if (this.failure === undefined) {
      this.seeds.push(seed);
      return void response.end(body);
    }
    response.write(body.slice(0, body.lastIndexOf('Oslo')), () => setTimeout(() => response.destroy(), 50));
  }
}

describe('A session with thinking whose channels fail in turns', () => {
  let gateway: Gateway;
  let user: TestUser;
  let ids: number[];
  const upstreams = Object.fromEntries(kindNames.map((kind) => [kind, new Upstream(kind)])) as Record<UpstreamKind, Upstream>;

  before(async () => {
    gateway = await startGateway();
    const channels = kindNames.map(async (kind) => {
      const { type, model } = kinds[kind];
      const setting = kind === 'openai-responses' ? '{"responses":true}' : '{}';
      const mapping = JSON.stringify({ agent: model });
      return { type, models: ['agent', model], modelMapping: mapping, setting, baseUrl: await upstreams[kind].open(), key: `${kind}-key` };
    });
    ids = await gateway.channels(await Promise.all(channels));
    const names = ['agent', ...kindNames.map((kind) => kinds[kind].model)];
    await gateway.options({ RetryTimes: '5', ModelRatio: JSON.stringify(Object.fromEntries(names.map((model) => [model, 1]))) });
    user = await gateway.user({ balance: 1e9 });
    await untilServed(gateway, user.token, 'agent');
  });
  after(async () => {
    await gateway?.stop();
    for (const upstream of Object.values(upstreams)) upstream.close();
  });

  for (const caller of callerNames) {
    for (const isStream of [false, true]) {
      it(`goes on for callers of ${caller}, ${isStream ? 'streamed' : 'whole'}, and each gets its own thinking back`, async () => {
        user = await gateway.user({ balance: 1e9 });
        for (const [at, kind] of kindNames.entries()) {
          upstreams[kind].reset();
          await gateway.changeChannel(ids[at] as number, { priority: at }); // a changed channel starts with a closed breaker
        }
        let session = sides[caller].begin();
        const failures: Failure[] = ['overloaded', 'destroyed', 'first-event'];
        const ask = (model: string) => {
          const body = caller === 'gemini' ? session : { ...session, model, ...(isStream && { stream: true }) };
          return gateway.post(paths[caller](model, isStream), body, { authorization: user.token.authorization });
        };
        // Twice around, in two orders: by failing channels, and by the user who selects another model.
        const turns = [...kindNames, ...[...kindNames].reverse()].map((kind, at) => ({ kind, isSelected: at % 3 === 2 }));
        for (const [at, { kind, isSelected }] of turns.entries()) {
          for (const other of kindNames)
            upstreams[other].failure = other === kind ? undefined : (failures[at % failures.length] as Failure);
          if (isStream && at === 4) {
            upstreams[kind].failure = 'midst';
            await (await ask(kinds[kind].model)).text(); // the agent sends the same request again
            upstreams[kind].failure = undefined;
          }
          const answer = await ask(isSelected ? kinds[kind].model : 'agent');
          const text = await answer.text();
          const place = `turn ${at + 1}, ${kind}: ${answer.status} ${text.slice(0, 500)}`;
          expect(
            kindNames.flatMap((name) => upstreams[name].refusals),
            place,
          ).to.deep.equal([]);
          expect(answer.status, place).to.equal(200);
          const { bodies, seeds } = upstreams[kind];
          const mark = seeds.length > 1 ? ownMark[kind](seeds[0] as string) : undefined;
          if (mark !== undefined) expect(bodies.at(-1), place).to.include(mark);
          session = sides[caller].next(session, text, isStream);
        }
        expect(kindNames.map((kind) => upstreams[kind].seeds.length)).to.deep.equal(kindNames.map(() => 2));
        const answered = turns.length + (isStream ? 1 : 0);
        await eventually(async () => expect(await gateway.events(user)).to.have.length(answered));
        expect(await gateway.openHolds(user)).to.equal(0);
      });
    }
  }
});
