import { once } from 'node:events';
import { rows } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { WebSocket } from 'ws';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const models = ['test-model', 'claude-x'] as const;

describe('The Responses API over a WebSocket', () => {
  let gateway: Gateway;
  let user: TestUser;
  let open: WebSocket[];

  before(async () => {
    gateway = await startGateway({ RELAY_REALTIME_LIFE_MS: '30000' });
    user = await gateway.user();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 14, models: ['claude-x'] },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'claude-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
    open = [];
  });
  afterEach(() => {
    for (const socket of open) socket.terminate();
  });

  const sent = () => JSON.stringify(gateway.provider.lastCall().json);

  /** A connection that collects what comes. */
  async function connected(token = user.token): Promise<{ socket: WebSocket; events: Json[]; say(event: Json): void }> {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: token.authorization } });
    open.push(socket);
    const events: Json[] = [];
    socket.on('message', (data) => events.push(JSON.parse(String(data)) as Json));
    await once(socket, 'open');
    return { socket, events, say: (event) => socket.send(JSON.stringify(event)) };
  }
  const until = (events: Json[], type: string, count = 1) =>
    eventually(() => {
      const found = events.filter((event) => event.type === type);
      if (found.length < count) throw new Error(`${found.length} of ${type}`);
      return found.at(-1) as Json & { response: Json };
    });
  const create = (fields: Json = {}) => ({ type: 'response.create', model: 'test-model', input: 'I am Ada', store: false, ...fields });

  for (const model of models) {
    it(`is spoken by the official client with ${model}, turn after turn, each charged for its whole prompt`, async () => {
      gateway.provider.answers({ words: 3, promptTokens: 12 });
      const line = new ResponsesWS(gateway.client(user.token));
      const events: Json[] = [];
      line.on('event', (event) => events.push(event as unknown as Json));
      await once(line.socket.platformSocket, 'open');
      line.send({ type: 'response.create', model, input: 'I am Ada', store: false });
      const { response: first } = await until(events, 'response.completed');
      line.send({ type: 'response.create', model, input: 'Who am I?', store: false, previous_response_id: String(first.id) });
      const { response: second } = await until(events, 'response.completed', 2);
      expect(sent()).to.match(/I am Ada.*w0 w1 w2.*Who am I\?/);
      expect(second.previous_response_id).to.equal(first.id);
      expect(events.filter(({ type }) => type === 'response.created')).to.have.length(2);
      expect(await gateway.events(user)).to.have.length(2);
      expect(await rows.storedObjects().countDocuments({ userId: user.id })).to.equal(0);
      line.close();
    });
  }

  it('warms up without asking anybody, and goes on from there', async () => {
    const { events, say } = await connected();
    say(create({ generate: false, input: 'I am Ada' }));
    const { response } = await until(events, 'response.completed');
    expect(response.output).to.deep.equal([]);
    expect(gateway.provider.calls).to.have.length(0);
    gateway.provider.answers({ words: 3 });
    say(create({ previous_response_id: response.id, input: 'Who am I?' }));
    await until(events, 'response.completed', 2);
    expect(sent()).to.match(/I am Ada.*Who am I\?/);
  });

  it('goes on from stored responses, and stores where that is asked for', async () => {
    gateway.provider.answers({ words: 3 });
    const { events, say } = await connected();
    say(create({ store: true }));
    const { response } = await until(events, 'response.completed');
    expect((await gateway.client(user.token).responses.retrieve(String(response.id))).id).to.equal(response.id);
    say(create({ store: true, previous_response_id: response.id, input: 'Who am I?' }));
    await until(events, 'response.completed', 2);
    expect(sent()).to.match(/I am Ada.*w0 w1 w2.*Who am I\?/);
  });

  it('answers several streams at once, and each in its order', async () => {
    gateway.provider.answers({ words: 10, paceMs: 10 });
    const { events, say } = await connected();
    for (const lane of ['a', 'b', 'a']) say(create({ stream_id: lane }));
    await until(events, 'response.completed', 3);
    const first = (wanted: string) => events.findIndex(({ type, stream_id: lane }) => wanted === `${lane} ${type}`);
    expect(first('b response.created')).to.be.below(first('a response.completed'));
    const ofA = events.filter(({ stream_id: lane, type }) => lane === 'a' && /created|completed/.test(String(type)));
    const order = ['response.created', 'response.completed', 'response.created', 'response.completed'];
    expect(ofA.map(({ type }) => type)).to.deep.equal(order);
  });

  it('opens for callers with a balance, and at most 100 times for one user', async () => {
    const refusalOf = async (token: typeof user.token) => {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
        headers: { authorization: token.authorization },
      });
      socket.on('error', () => undefined);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      socket.terminate();
      return response.statusCode;
    };
    expect(await refusalOf((await gateway.user({ balance: 0 })).token)).to.equal(403);
    const lines = await Promise.all(Array.from({ length: 100 }, () => connected()));
    expect(await refusalOf(user.token)).to.equal(429);
    await connected((await gateway.user()).token);
    lines[0]?.socket.close();
    await eventually(async () => void (await connected()), { timeoutMs: 10_000 });
  });

  it('remembers at most 64 MB of one user, the newest', async () => {
    const { events, say } = await connected();
    const input = 'x'.repeat(20_000_000);
    for (let count = 1; count <= 4; count += 1) {
      say(create({ generate: false, input }));
      await until(events, 'response.completed', count);
    }
    const ids = events.filter(({ type }) => type === 'response.completed').map((event) => (event.response as Json).id);
    say(create({ previous_response_id: ids[0] }));
    const { error } = (await until(events, 'error')) as unknown as { error: Json };
    expect(error.code).to.equal('previous_response_not_found');
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('says what is wrong with a message, and stays open', async () => {
    const { events, say, socket } = await connected();
    const wrong: [event: Json, status: number, code: string | null][] = [
      [create({ previous_response_id: 'resp_none' }), 400, 'previous_response_not_found'],
      [create({ model: 'unknown-model' }), 404, 'model_not_found'],
      [create({ background: true }), 400, null],
      [{ type: 'response.steer' }, 400, null],
      [create({ stream_id: 7 }), 400, null],
    ];
    for (const [at, [event, status, code]] of wrong.entries()) {
      say(event);
      const error = await until(events, 'error', at + 1);
      expect(error, JSON.stringify(event)).to.include({ status });
      expect((error.error as Json).code).to.equal(code);
    }
    socket.send('{');
    expect(((await until(events, 'error', wrong.length + 1)).error as Json).code).to.equal('invalid_json');
    gateway.provider.answers({ words: 1 });
    say(create());
    await until(events, 'response.completed');
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('charges what was delivered when its caller leaves', async () => {
    gateway.provider.answers({ words: 100, promptTokens: 12, paceMs: 20, chunkBytes: 60 });
    const { socket, events, say } = await connected();
    say(create());
    await until(events, 'response.output_text.delta', 3);
    socket.terminate();
    expect(await gateway.bill(user)).to.include({ endReason: 'client_gone' });
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
  });
});
