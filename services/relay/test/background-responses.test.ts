import { rows } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const models = ['test-model', 'claude-x'] as const;

describe('Responses in the background', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
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
  });

  const client = () => gateway.client(user.token);
  const begin = (fields: Json = {}) =>
    gateway.post(
      '/v1/responses',
      { model: 'test-model', input: 'Hi', background: true, ...fields },
      { authorization: user.token.authorization },
    );
  const ended = (id: string) =>
    eventually(async () => {
      const response = await client().responses.retrieve(id);
      if (response.status === 'queued' || response.status === 'in_progress') throw new Error('it still runs');
      return response;
    });
  const saidBy = (frame: string) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Json & { response: Json };
  const read = (id: string, query: string) =>
    fetch(`${gateway.url}/v1/responses/${id}?${query}`, { headers: { authorization: user.token.authorization } });

  for (const model of models) {
    it(`are answered at once, read by their id and continued, with ${model}, and charged once`, async () => {
      gateway.provider.answers({ words: 20, promptTokens: 12, paceMs: 20 });
      const begun = await client().responses.create({ model, input: 'Hi', background: true });
      expect(begun).to.include({ status: 'queued', background: true, store: true });
      const whole = await ended(begun.id);
      expect(whole).to.include({ status: 'completed', background: true, id: begun.id });
      expect(whole.output_text.trim()).to.match(/^w0 .*w19$/);
      const bill = await gateway.bill(user);
      expect(bill).to.include({ endReason: 'complete', usageSource: 'upstream' });
      const next = await client().responses.create({ model, input: 'And?', previous_response_id: begun.id });
      expect(JSON.stringify(gateway.provider.lastCall().json)).to.match(/Hi.*w19.*And\?/);
      expect(next.status).to.equal('completed');
    });
  }

  it('go on when their caller leaves, and are streamed again from any event on', async () => {
    gateway.provider.answers({ words: 40, promptTokens: 12, paceMs: 20, chunkBytes: 60 });
    const leaving = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: user.token.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test-model', input: 'Hi', background: true, stream: true }),
      signal: leaving.signal,
    });
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const first = Buffer.from(value ?? '').toString();
    const { response } = saidBy(first.split('\n\n')[0] ?? '');
    expect(response).to.include({ background: true });
    leaving.abort();
    const frames = await framesOf(await read(String(response.id), 'stream=true'));
    const events = frames.filter((frame) => frame.startsWith('event: ')).map(saidBy);
    expect(events.map(({ sequence_number: at }) => at)).to.deep.equal(events.map((_event, at) => at));
    expect(events.at(-1)).to.include({ type: 'response.completed' });
    expect(events.at(-1)?.response.id).to.equal(response.id);
    const rest = await framesOf(await read(String(response.id), 'stream=true&starting_after=5'));
    expect(saidBy(rest[0] ?? '').sequence_number).to.equal(6);
    expect(rest).to.have.length(frames.length - 6);
    expect(await gateway.bill(user)).to.include({ endReason: 'complete', usageSource: 'upstream' });
  });

  it('are cancelled on request, which charges what was delivered and holds nothing', async () => {
    gateway.provider.answers({ words: 400, promptTokens: 12, paceMs: 50, chunkBytes: 60 });
    const { id } = (await (await begin()).json()) as { id: string };
    await eventually(() => expect(gateway.provider.calls).to.have.length(1));
    const cancelled = await client().responses.cancel(id);
    expect(cancelled).to.include({ id, status: 'cancelled' });
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), { timeoutMs: 20_000 });
    expect((await client().responses.retrieve(id)).status).to.equal('cancelled');
    expect((await client().responses.cancel(id)).status).to.equal('cancelled');
  });

  it('fail with a reason where the provider fails, and hold nothing then', async () => {
    gateway.provider.answers({ status: 500, json: { error: { message: 'broken' } } });
    const { id } = (await (await begin()).json()) as { id: string };
    const failed = await ended(id);
    expect(failed).to.include({ status: 'failed' });
    expect(failed.error).to.include({ code: 'server_error' });
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('are refused at once for what any call is refused for, and store nothing then', async () => {
    const refusals: [fields: Json, status: number][] = [
      [{ model: 'unknown-model' }, 404],
      [{ store: false }, 400],
      [{ input: 7 }, 400],
      [{ previous_response_id: 'resp_none' }, 404],
      [{ max_output_tokens: 0 }, 400],
    ];
    for (const [fields, status] of refusals) expect((await begin(fields)).status, JSON.stringify(fields)).to.equal(status);
    const poor = await gateway.user({ balance: 0 });
    const answer = await gateway.post(
      '/v1/responses',
      { model: 'test-model', input: 'Hi', background: true },
      { authorization: poor.token.authorization },
    );
    expect(answer.status).to.equal(403);
    expect(await rows.storedObjects().countDocuments({ userId: { $in: [user.id, poor.id] } })).to.equal(0);
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('alone can be cancelled or streamed again', async () => {
    gateway.provider.answers({ words: 3 });
    const { id } = await client().responses.create({ model: 'test-model', input: 'Hi' });
    expect((await read(id, 'stream=true')).status).to.equal(400);
    const answer = await gateway.post(`/v1/responses/${id}/cancel`, {}, { authorization: user.token.authorization });
    expect(answer.status).to.equal(400);
    expect(((await answer.json()) as { error: Json }).error.code).to.equal('response_not_in_background');
  });
});
