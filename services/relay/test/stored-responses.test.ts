import { rows, StoredObject } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import OpenAI from 'openai';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { storedRoutes } from '../src/http/routes/stored-routes.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { responseFaults } from './support/response-shape.ts';

type Json = Record<string, unknown>;

/** One channel of each kind; `own-model` has Responses itself. */
const models = ['test-model', 'own-model', 'claude-x', 'gemini-x'] as const;
const usage = { input_tokens: 20, output_tokens: 12, total_tokens: 32 };
const said = (text: string) => ({
  id: 'resp_own',
  object: 'response',
  created_at: 1,
  model: 'own-model',
  status: 'completed',
  usage,
  output: [
    {
      id: 'msg_own',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
});

async function allOf<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

describe('Stored responses', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 1, models: ['own-model'], setting: '{"responses":true}' },
      { type: 1, models: ['kept-model'], setting: '{"responses":true,"stored_responses":true}', key: 'first-key' },
      { type: 1, models: ['kept-model'], setting: '{"responses":true,"stored_responses":true}', key: 'second-key' },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries([...models, 'kept-model'].map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const client = (whose = user) => gateway.client(whose.token);
  const sent = () => JSON.stringify(gateway.provider.lastCall().json);
  const ask = (model: string, fields: Partial<ResponseCreateParamsNonStreaming> = {}) => {
    if (model === 'own-model') gateway.provider.answers({ json: said('w0 w1 w2') });
    else gateway.provider.answers({ words: 3, promptTokens: 12 });
    return client().responses.create({ model, input: 'I am Ada', ...fields });
  };
  const stored = () => rows.storedObjects().find({ userId: user.id }).toArray();
  const failure = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      if (error instanceof OpenAI.APIError) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  for (const model of models) {
    it(`continue a conversation with ${model}, whole and as a stream, which is charged for its whole prompt`, async () => {
      const first = await ask(model, { instructions: 'Be brief' });
      const second = await ask(model, { input: 'Who am I?', previous_response_id: first.id });
      expect(sent())
        .to.match(/I am Ada.*w0 w1 w2.*Who am I\?/)
        .and.not.contain('Be brief');
      expect(second).to.include({ previous_response_id: first.id, status: 'completed' });
      gateway.provider.answers(model === 'own-model' ? { json: said('bye') } : { words: 3, promptTokens: 12 });
      const stream = client().responses.stream({ model, input: 'And now?', previous_response_id: second.id });
      const third = await stream.finalResponse();
      expect(sent()).to.match(/I am Ada.*w0 w1 w2.*Who am I\?.*w0 w1 w2.*And now\?/);
      expect(sent()).not.to.match(/previous_response_id|resp_/);
      const read = await client().responses.retrieve(third.id);
      expect(read.output_text).to.equal(third.output_text);
      expect(read).to.include({ id: third.id, store: true, previous_response_id: second.id });
      if (model !== 'own-model') for (const each of [first, third, read]) expect(responseFaults(each as unknown as Json)).to.deep.equal([]);
      const events = await gateway.events(user);
      expect(events.every((event) => (event.usage as Json).textInput === (model === 'own-model' ? 20 : 12))).to.equal(true);
    });

    it(`are compacted with ${model}, at the endpoint and by a trigger, and go on from there`, async () => {
      const input = [{ role: 'user' as const, content: 'I am Ada' }];
      const compaction = { id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAA' };
      const isOwn = model === 'own-model';
      gateway.provider.answers(
        isOwn
          ? { json: { id: 'resp_c', object: 'response.compaction', created_at: 1, output: [compaction], usage } }
          : { words: 3, promptTokens: 12 },
      );
      const compacted = await client().responses.compact({ model, input, instructions: 'Be brief' });
      expect(compacted).to.include({ object: 'response.compaction' });
      expect(compacted.output.map(({ type }) => type)).to.deep.equal(['compaction']);
      expect(sent()).to.contain('I am Ada').and.to.contain('Be brief');
      expect(await gateway.bill(user)).to.include({ endReason: 'complete', usageSource: 'upstream' });
      if (isOwn) expect(gateway.provider.lastCall()).to.include({ path: '/v1/responses/compact' });
      const triggered = [...input, { type: 'compaction_trigger' }] as never;
      if (isOwn) gateway.provider.answers({ json: { ...said(''), output: [compaction] } });
      for (const isStream of [false, true]) {
        if (isOwn && isStream) continue;
        const question = { model, input: triggered };
        const answer = isStream
          ? await client().responses.stream(question).finalResponse()
          : await client().responses.create({ ...question, stream: false });
        expect(answer.output.map(({ type }) => type)).to.deep.equal(['compaction']);
        expect(answer.status).to.equal('completed');
        await ask(model, { input: [...answer.output, { role: 'user', content: 'Who am I?' }] as never });
        expect(sent()).to.match(isOwn ? /gAAAA.*Who am I\?/ : /Summary of the conversation so far.*w0 w1 w2.*Who am I\?/);
        if (!isOwn) gateway.provider.answers({ words: 3 });
      }
      if (isOwn) return;
      await ask('own-model', { input: [...compacted.output, { role: 'user', content: 'Who am I?' }] as never });
      expect(sent()).to.match(/Summary of the conversation so far.*w0 w1 w2.*Who am I\?/);
    });

    it(`fill in items that ${model} is only sent the names of`, async () => {
      const first = await ask(model);
      const [item] = first.output;
      await ask(model, {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'item_reference', id: item?.id ?? '' },
          { role: 'user', content: 'x' },
        ],
      });
      expect(sent())
        .to.match(/Hi.*w0 w1 w2.*x/)
        .and.not.contain('item_reference');
    });
  }

  it('are listed with their input, page by page, and deleted on request', async () => {
    const first = await ask('test-model');
    const second = await ask('test-model', { input: [{ role: 'user', content: 'Who am I?' }], previous_response_id: first.id });
    const all = await allOf(await client().responses.inputItems.list(second.id, { order: 'asc', limit: 2 }));
    expect(all.map((item) => (item as { role: string }).role)).to.deep.equal(['user', 'assistant', 'user']);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(3);
    const page = await client().responses.inputItems.list(second.id, { limit: 1 });
    expect(page).to.include({ has_more: true });
    await client().responses.delete(first.id);
    expect((await failure(client().responses.retrieve(first.id))).status).to.equal(404);
    const refused = await failure(ask('test-model', { previous_response_id: second.id }));
    expect(refused).to.include({ status: 404, code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  it('are sealed, expire, and are not made at all with store=false', async () => {
    await ask('test-model', { store: false });
    await ask('test-model', { input: 'SECRET', store: true });
    const [row, ...more] = await eventually(async () => {
      const found = await stored();
      if (found.length === 0) throw new Error('nothing is stored yet');
      return found;
    });
    expect(more).to.deep.equal([]);
    expect(JSON.stringify(row)).not.to.match(/SECRET|assistant/);
    expect(row?.sealed).to.match(/^v1\./);
    const days = ((row?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).to.be.within(29.9, 30);
    await rows.storedObjects().updateOne({ _id: row?._id ?? '' }, { $set: { expiresAt: new Date() } });
    const id = row?._id.split(':')[1] ?? '';
    expect((await failure(client().responses.retrieve(id))).status).to.equal(404);
  });

  it('leave no text in any other collection, in the events that are billed, or in Redis', async () => {
    const { id } = await client().conversations.create({ items: [{ type: 'message', role: 'user', content: 'SECRET-1' }] });
    gateway.provider.answers({
      json: { choices: [{ index: 0, message: { role: 'assistant', content: 'SECRET-2' }, finish_reason: 'stop' }] },
    });
    const answer = await client().responses.create({ model: 'test-model', input: 'SECRET-3', conversation: id, background: true });
    await eventually(async () => {
      if ((await client().responses.retrieve(answer.id)).output_text !== 'SECRET-2') throw new Error('it is still running');
    });
    expect(await gateway.events(user)).to.have.length(1);
    const { db } = StoredObject;
    const collections = await db.listCollections();
    expect(collections.map(({ name }) => name)).to.include('stored_objects');
    for (const { name } of collections) expect(JSON.stringify(await db.collection(name).find().toArray()), name).not.to.include('SECRET-');
    await gateway.redis.config('SET', 'rdbcompression', 'no'); // texts in dumps stay readable
    const keys = await gateway.redis.keys('*');
    const dumps = await Promise.all(keys.map((key) => gateway.redis.dumpBuffer(key)));
    expect(Buffer.concat(dumps).includes('SECRET-')).to.equal(false);
  });

  it('give way to newer ones beyond what a user may store, and go after some days', async () => {
    await gateway.options({ StoredResponseMegabytes: '1', StoredResponseDays: '2' });
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) ids.push((await ask('test-model', { input: 'x'.repeat(300_000) })).id);
    await eventually(async () => {
      const kept = (await stored()).map(({ _id }) => _id.split(':')[1]);
      expect(kept).to.deep.equal(ids.slice(2));
    });
    const [row] = await stored();
    expect(((row?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000).to.be.within(1.9, 2);
    await gateway.options({ StoredResponseMegabytes: '100', StoredResponseDays: '30' });
  });

  it('are forbidden by an option', async () => {
    const first = await ask('test-model');
    await gateway.options({ StoreResponsesEnabled: 'false' });
    const answer = await eventually(async () => {
      const response = await gateway.post(
        '/v1/responses',
        { model: 'test-model', input: 'Hi', store: true },
        { authorization: user.token.authorization },
      );
      if (response.headers.get('x-tollgate-changed') === null) throw new Error('storing is still on');
      return response;
    });
    expect(answer.headers.get('x-tollgate-changed')).to.equal('store: set to false (storing is off)');
    expect(((await answer.json()) as Json).store).to.equal(false);
    expect((await failure(client().conversations.create({}))).code).to.equal('storing_disabled');
    expect((await failure(ask('test-model', { conversation: 'conv_x' }))).code).to.equal('storing_disabled');
    await gateway.options({ StoreResponsesEnabled: 'true' });
    expect((await client().responses.retrieve(first.id)).id).to.equal(first.id);
  });

  it('survive a provider that gives every response the same id', async () => {
    const first = await ask('own-model', { input: 'one' });
    await ask('own-model', { input: 'two', previous_response_id: first.id });
    await ask('own-model', { input: 'three', previous_response_id: first.id });
    expect(sent()).to.match(/one.*two.*three/);
  });

  it('stay at the provider where a channel says so: bound to its channel, and to the user', async () => {
    const keys = new Set<unknown>();
    for (let at = 0; at < 12; at += 1) {
      const id = `resp_kept_${at}`;
      gateway.provider.answers({ json: { ...said('w0'), id } });
      const first = await client().responses.create({ model: 'kept-model', input: `turn ${at}` });
      expect(first.id).to.equal(id);
      expect(sent()).not.to.contain('"store":false');
      const key = gateway.provider.lastCall().headers.authorization;
      keys.add(key);
      await client().responses.create({ model: 'kept-model', input: 'go on', previous_response_id: id });
      expect(gateway.provider.lastCall().headers.authorization).to.equal(key);
      expect(JSON.parse(sent())).to.deep.include({ previous_response_id: id, input: 'go on' });
    }
    expect(keys.size).to.equal(2);
    expect(JSON.stringify(await stored())).not.to.match(/sealed|turn/);
    gateway.provider.answers({ json: { ...said('w0'), id: 'resp_kept_3' } });
    expect((await client().responses.retrieve('resp_kept_3')).output_text).to.equal('w0');
    expect(gateway.provider.lastCall()).to.include({ method: 'GET', path: '/v1/responses/resp_kept_3' });
    const other = await gateway.user();
    expect((await failure(client(other).responses.retrieve('resp_kept_3'))).status).to.equal(404);
    const refused = await failure(client(other).responses.create({ model: 'kept-model', input: 'x', previous_response_id: 'resp_kept_3' }));
    expect(refused.code).to.equal('previous_response_not_found');
    await client().responses.delete('resp_kept_3');
    expect(gateway.provider.lastCall()).to.include({ method: 'DELETE', path: '/v1/responses/resp_kept_3' });
    expect((await failure(client().responses.retrieve('resp_kept_3'))).status).to.equal(404);
    const held = (await gateway.events(user)).map((event) => event.quota);
    expect(held.every((quota) => quota === 32)).to.equal(true);
  });

  it('belong to conversations that are created, changed, read and deleted', async () => {
    const { conversations } = client();
    const conversation = await conversations.create({ metadata: { topic: 'a' }, items: [{ role: 'user', content: 'I am Ada' }] });
    expect(conversation).to.deep.include({ object: 'conversation', metadata: { topic: 'a' } });
    expect((await conversations.retrieve(conversation.id)).id).to.equal(conversation.id);
    expect((await conversations.update(conversation.id, { metadata: { topic: 'b' } })).metadata).to.deep.equal({ topic: 'b' });
    for (const model of models) {
      const answer = await ask(model, { input: `Who am I, ${model}?`, conversation: conversation.id });
      expect(answer.conversation).to.deep.equal({ id: conversation.id });
    }
    expect(sent()).to.match(/I am Ada.*test-model.*w0 w1 w2.*own-model.*w0 w1 w2.*claude-x.*w0 w1 w2.*gemini-x/);
    const items = await allOf(await conversations.items.list(conversation.id, { order: 'asc', limit: 3 }));
    expect(items).to.have.length(9);
    const added = await conversations.items.create(conversation.id, { items: [{ role: 'user', content: 'bye' }] });
    const [last] = added.data;
    expect((await conversations.items.retrieve(last?.id ?? '', { conversation_id: conversation.id })).type).to.equal('message');
    const unknown = await failure(conversations.items.retrieve('msg_none', { conversation_id: conversation.id }));
    expect([unknown.status, unknown.message]).to.satisfy(
      ([status, message]: [number, string]) => status === 404 && message.includes('Item'),
    );
    await conversations.items.delete(last?.id ?? '', { conversation_id: conversation.id });
    expect((await failure(conversations.items.retrieve(last?.id ?? '', { conversation_id: conversation.id }))).status).to.equal(404);
    expect(await conversations.delete(conversation.id)).to.include({ object: 'conversation.deleted', deleted: true });
    expect((await failure(conversations.retrieve(conversation.id))).status).to.equal(404);
    expect(await rows.storedObjects().countDocuments({ userId: user.id, kind: 'item' })).to.equal(0);
  });

  it('are 404 to everybody else on every route, and in every field that names one', async () => {
    const conversation = await client().conversations.create({ items: [{ role: 'user', content: 'SECRET' }] });
    const [item] = (await client().conversations.items.list(conversation.id)).data;
    const first = await ask('test-model', { input: 'SECRET' });
    const other = await gateway.user();
    const named = (path: string, id: string) => path.replace(':id', id).replace(':item', item?.id ?? '');
    const routes = storedRoutes.filter(({ path }) => path.includes(':id'));
    expect(routes.length).to.be.above(9);
    for (const { method, path } of routes) {
      const id = path.startsWith('/v1/conversations') ? conversation.id : first.id;
      const body = method === 'POST' ? { body: JSON.stringify({ items: [{ role: 'user', content: 'x' }] }) } : {};
      const headers = { 'content-type': 'application/json', authorization: other.token.authorization };
      const answer = await fetch(gateway.url + named(path, id), { method, headers, ...body });
      expect(answer.status, `${method} ${path}`).to.equal(404);
      expect(await answer.text()).not.to.contain('SECRET');
    }
    const fields: Json[] = [
      { previous_response_id: first.id },
      { conversation: conversation.id },
      { conversation: { id: conversation.id } },
      { input: [{ type: 'item_reference', id: first.output[0]?.id }] },
      { input: [{ type: 'item_reference', id: item?.id }] },
    ];
    for (const field of fields)
      for (const path of ['/v1/responses', '/v1/responses/input_tokens']) {
        const answer = await gateway.post(
          path,
          { model: 'test-model', input: 'x', ...field },
          { authorization: other.token.authorization },
        );
        expect(answer.status, JSON.stringify(field)).to.equal(404);
      }
    expect((await client().responses.retrieve(first.id)).id).to.equal(first.id);
  });
});
