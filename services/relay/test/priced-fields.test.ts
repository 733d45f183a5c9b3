import { pricedFields } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import * as anthropic from './priced-fields/anthropic.ts';
import * as gemini from './priced-fields/gemini.ts';
import * as media from './priced-fields/media.ts';
import * as openai from './priced-fields/openai.ts';
import { inField, type Word } from './priced-fields/words.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

/** A way to ask, and what is said of each of its fields; the field may be a path. */
interface Door {
  says: string;
  path: string;
  body: Json;
  fields: [field: string, word: Word][];
  isForm?: boolean;
}

const question = [{ role: 'user', content: 'Hello there' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello there' }] }];
const generating = '/v1beta/models/own-gemini:generateContent';

const doors: Door[] = [
  {
    says: 'a chat of OpenAI',
    path: '/v1/chat/completions',
    body: { model: 'test-model', messages: question },
    fields: [...Object.entries(openai.chat), ...inField('service_tier', openai.chatTiers), ...inField('tools', openai.chatTools)],
  },
  {
    says: 'a completion',
    path: '/v1/completions',
    body: { model: 'test-model', prompt: 'Hello there' },
    fields: Object.entries(openai.completion),
  },
  {
    says: 'an embedding',
    path: '/v1/embeddings',
    body: { model: 'test-model', input: 'Hello there' },
    fields: Object.entries(openai.embedding),
  },
  {
    says: 'a response, where it is not translated',
    path: '/v1/responses',
    body: { model: 'own-model', input: 'Hello there' },
    fields: [
      ...Object.entries(openai.responses),
      ...inField('service_tier', openai.responsesTiers),
      ...inField('reasoning', openai.reasoning),
      ...inField('tools', openai.responsesTools),
      ...inField('input', openai.responsesItems),
    ],
  },
  {
    says: 'a message of Anthropic',
    path: '/v1/messages',
    body: { model: 'own-claude', max_tokens: 1000, messages: question },
    fields: [
      ...Object.entries(anthropic.messages),
      ...inField('output_config', anthropic.outputConfig),
      ...inField('tools', anthropic.tools),
      ...inField('messages', { ...anthropic.blocks, ...anthropic.moreBlocks }),
    ],
  },
  {
    says: 'a question of Gemini',
    path: generating,
    body: { contents, generationConfig: { maxOutputTokens: 1000 } },
    fields: [
      ...Object.entries({ ...gemini.generate, ...gemini.generateOtherwise }),
      ...inField('serviceTier', gemini.tiers),
      ...inField('tools', gemini.tools),
      ...inField('toolConfig', gemini.toolConfig),
      ...Object.entries({ ...gemini.generationConfig, ...gemini.generationConfigOtherwise }).map(([name, word]): [string, Word] => [
        `generationConfig.${name}`,
        word,
      ]),
    ],
  },
  {
    says: 'an embedding of Gemini',
    path: '/v1beta/models/own-gemini:embedContent',
    body: { content: { parts: [{ text: 'Hello there' }] } },
    fields: Object.entries(gemini.embed),
  },
  {
    says: 'a picture by the piece',
    path: '/v1/images/generations',
    body: { model: 'dall-e-3', prompt: 'a cat' },
    fields: Object.entries(media.drawn),
  },
  {
    says: 'an edited picture by the piece',
    path: '/v1/images/edits',
    body: { model: 'dall-e-3', prompt: 'a cat' },
    isForm: true,
    fields: Object.entries(media.edited),
  },
  {
    says: 'a varied picture by the piece',
    path: '/v1/images/variations',
    body: { model: 'dall-e-3' },
    isForm: true,
    fields: Object.entries(media.varied),
  },
];

/** Whose own fields have prices of other kinds. */
const more: Door[] = [
  { says: 'speech', path: '/v1/audio/speech', body: { model: 'test-model', input: 'Hello' }, fields: [] },
  { says: 'a moderation', path: '/v1/moderations', body: { model: 'test-model', input: 'Hello' }, fields: [] },
  { says: 'a rerank', path: '/v1/rerank', body: { model: 'test-model', query: 'q', documents: ['d'] }, fields: [] },
];

describe('Each field that a request may have', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 100_000_000 });
    const ratios = { 'test-model': 1, 'own-model': 1, 'own-claude': 1, 'own-gemini': 1 };
    await gateway.options({
      ModelRatio: JSON.stringify(ratios),
      ModelPrice: '{"dall-e-3":0.04}',
      PictureRatio: '{"dall-e-3":{"1024x1024":1}}',
      RequestFieldRatio: '{}',
    });
    await gateway.channels([
      { models: ['test-model', 'dall-e-3'] },
      { models: ['own-model'], setting: '{"responses":true}' },
      { type: 14, models: ['own-claude'] },
      { type: 24, models: ['own-gemini'] },
    ]);
    for (const model of Object.keys(ratios)) await untilServed(gateway, user.token, model);
    // An option may come later than a channel.
    await eventually(async () => expect((await ask(chatDoor, { service_tier: 'flex' })).status).to.equal(400), { timeoutMs: 20_000 });
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    gateway.provider.answers({ words: 10, promptTokens: 10 });
    gateway.provider.answers({ json: response }, 'own-model');
    user = await gateway.user({ balance: 100_000_000 });
  });

  const chatDoor = doors[0] as Door;
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'own-model',
    status: 'completed',
    error: null,
    output: [
      { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
    ],
    usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
  };

  async function ask(door: Door, more: Json): Promise<Response> {
    const { authorization } = user.token;
    const body = { ...door.body };
    for (const [path, value] of Object.entries(more)) {
      const [outer = '', inner] = path.split('.');
      body[outer] = inner === undefined ? value : { ...(body[outer] as Json | undefined), [inner]: value };
    }
    if (door.isForm !== true) return gateway.post(door.path, body, { authorization });
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.set(name, String(value));
    form.set('image', new Blob(['a picture'], { type: 'image/png' }), 'a.png');
    return fetch(gateway.url + door.path, { method: 'POST', headers: { authorization }, body: form });
  }

  /** The bill of one call of a new user. */
  async function billOf(door: Door, more: Json): Promise<number> {
    user = await gateway.user({ balance: 100_000_000 });
    const answer = await ask(door, more);
    expect(answer.status, `${JSON.stringify(more)}: ${answer.status === 200 ? '' : await answer.text()}`).to.equal(200);
    await answer.arrayBuffer();
    return Number((await gateway.bill(user)).quota);
  }

  const sentAs = (field: string): unknown =>
    field.split('.').reduce<unknown>((value, name) => (value as Json | undefined)?.[name], gateway.provider.lastCall().json);

  for (const door of doors) {
    const words = (is: Word['is']) =>
      door.fields.flatMap(([field, word]) => (word.is === is && 'value' in word && word.value !== undefined ? [{ field, ...word }] : []));

    it(`of ${door.says} is refused by name before anybody is asked, where it has no price`, async () => {
      const unpriced = door.fields.flatMap(([field, word]) => {
        if (word.is === 'refused') return [{ field, value: word.value, says: word.says }];
        return word.is === 'priced' ? [{ field, value: word.value, says: word.option }] : [];
      });
      for (const { field, value, says } of unpriced) {
        const answer = await ask(door, { [field]: value });
        const text = await answer.text();
        expect(answer.status, `${field}: ${text}`).to.equal(400);
        expect(text, field).to.include(says);
      }
      expect(gateway.provider.calls).to.have.length(0);
      expect(await gateway.openHolds(user)).to.equal(0);
    });

    const told = words('free') as { field: string; value: unknown }[];
    if (told.length > 0) {
      it(`of ${door.says} costs nothing beside its tokens and is told as it came, where it is said to be free`, async () => {
        const plain = await billOf(door, {});
        const fields = new Set(told.map(({ field }) => field));
        const rounds = Math.max(...[...fields].map((field) => told.filter((one) => one.field === field).length));
        for (let round = 0; round < rounds; round += 1) {
          const more = [...fields].flatMap((field) => told.filter((one) => one.field === field).slice(round, round + 1));
          expect(await billOf(door, Object.fromEntries(more.map(({ field, value }) => [field, value]))), `round ${round}`).to.equal(plain);
          for (const { field, value } of more) expect(sentAs(field), field).to.deep.equal(value);
        }
      });
    }
  }

  it('is refused in every dialect where it has a price in another, however it is written', async () => {
    const spellings = [(name: string) => name, (name: string) => name.toUpperCase(), (name: string) => name.replaceAll('_', '-')];
    const asked: [Door, Json][] = [...doors, ...more].flatMap((door) =>
      pricedFields.flatMap(({ field }) =>
        spellings.flatMap((spell): [Door, Json][] => [
          [door, { [spell(field)]: 'x' }],
          ...(door.path.startsWith('/v1/') && door.isForm !== true
            ? [[door, { extra_body: { deep: [{ [spell(field)]: 'x' }] } }] as [Door, Json]]
            : []),
        ]),
      ),
    );
    expect(asked.length).to.be.greaterThan(300);
    const taken: string[] = [];
    for (const [door, fields] of asked) {
      const answer = await ask(door, fields);
      await answer.text();
      if (answer.status !== 400) taken.push(`${door.says}: ${JSON.stringify(fields)} ${answer.status}`);
    }
    expect(taken).to.deep.equal([]);
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('costs what its price says where it has one, and is told', async () => {
    const rows = doors.flatMap((door) => door.fields.flatMap(([field, word]) => (word.is === 'priced' ? [{ door, field, ...word }] : [])));
    expect(rows.length).to.be.greaterThan(40);
    await gateway.options({ RequestFieldRatio: JSON.stringify(Object.fromEntries(rows.map(({ option }) => [option, 3]))) });
    await eventually(async () => expect((await ask(chatDoor, { service_tier: 'flex' })).status).to.equal(200), { timeoutMs: 20_000 });
    const plain = new Map<Door, number>();
    for (const { door, field, value } of rows) {
      if (!plain.has(door)) plain.set(door, await billOf(door, {}));
      expect(await billOf(door, { [field]: value }), `${door.says}: ${field} ${JSON.stringify(value)}`).to.equal(
        (plain.get(door) ?? 0) * 3,
      );
      expect(sentAs(field), field).to.deep.equal(value);
    }
  });
});
