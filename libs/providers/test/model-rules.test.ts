import { channelTypes } from '@tollgate/contracts';
import { builtInCatalog, factsOf, useCatalog } from '@tollgate/contracts/catalog';
import { expect } from 'chai';
import { toGeminiSchema } from '../src/gemini/json-schema.ts';
import { type ChatRequest, type DialectName, outgoing, type Target } from '../src/index.ts';
import { objectSchema } from '../src/object-schema.ts';
import { dialectOf, targetOf } from './corners.ts';

type Json = Record<string, unknown>;

/** What a provider is sent, and what the rules of the model changed. `own` is a body in the provider's own dialect. */
function sent(type: number, request: Json, { speaks = 'openai', ...more }: { speaks?: DialectName } & Partial<Target> = {}) {
  const whole = { messages, ...request };
  const asked = outgoing(dialectOf(type, 'chat'), {
    speaks,
    bytes: Buffer.from(JSON.stringify(whole)),
    json: whole,
    request: whole as unknown as ChatRequest,
    target: { ...targetOf(type, String(request.model)), ...more },
  });
  const told: Json & { changed: readonly string[] | undefined } = { ...JSON.parse(asked.body.toString()), changed: asked.changed };
  return told;
}

const messages = [{ role: 'user', content: 'Hi' }];
const [openai, anthropic, gemini, moonshot, deepseek, xai] = [1, 14, 24, 25, 43, 48];
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } } }];

describe('the rules of Claude', () => {
  const newest = ['claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5', 'claude-opus-5-5', 'claude-opus-9'];

  it('leave sampling out for models that refuse it, and say so', () => {
    for (const model of newest) {
      const asked = sent(anthropic, { model, temperature: 0, top_p: 0.9, top_k: 5 });
      expect(asked, model).to.not.have.any.keys('temperature', 'top_p', 'top_k');
      expect(asked.changed, model).to.deep.equal(['temperature', 'top_p', 'top_k']);
    }
    expect(sent(anthropic, { model: 'claude-sonnet-4-5', temperature: 0.2 })).to.deep.include({ temperature: 0.2, changed: undefined });
    expect(sent(anthropic, { model: 'claude-sonnet-4-5', temperature: 0.2, top_p: 0.3 }).changed).to.deep.equal(['top_p']);
  });

  it('ask for adaptive thinking and an effort, at the nearest level', () => {
    for (const model of newest) {
      for (const request of [{ reasoning_effort: 'high' }, { reasoning: { effort: 'high' } }]) {
        const { thinking, output_config, max_tokens } = sent(anthropic, { model, ...request, max_tokens: 30_000 });
        expect([thinking, output_config, max_tokens], model).to.deep.equal([
          { type: 'adaptive', display: 'summarized' },
          { effort: 'high' },
          30_000,
        ]);
      }
    }
    expect(sent(anthropic, { model: 'claude-opus-4-8', reasoning_effort: 'minimal' }).output_config).to.deep.equal({ effort: 'low' });
    expect(sent(anthropic, { model: 'claude-opus-4-8-thinking', max_tokens: 3000 })).to.deep.include({
      model: 'claude-opus-4-8',
      thinking: { type: 'adaptive', display: 'summarized' },
    });
    expect(sent(anthropic, { model: 'claude-opus-4-8', reasoning_effort: 'none' })).to.not.have.any.keys('thinking', 'output_config');
    expect(sent(anthropic, { model: 'claude-sonnet-5-5', reasoning_effort: 'none' }).output_config).to.deep.equal({ effort: 'low' });
  });

  it('keep budgets for models that know them alone', () => {
    const { thinking, output_config } = sent(anthropic, { model: 'claude-sonnet-4-6', reasoning: { effort: 'high' }, max_tokens: 30_000 });
    expect([thinking, output_config]).to.deep.equal([{ type: 'enabled', budget_tokens: 16_384 }, undefined]);
  });

  it('ask for the longest answer of the model where the caller names no limit, within its context', () => {
    const limit = (model: string, target: Partial<Target> = {}) => sent(anthropic, { model }, target).max_tokens;
    expect(['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-4-8', 'claude-haiku-4-5'].map((model) => limit(model))).to.deep.equal([
      64_000, 128_000, 128_000, 64_000,
    ]);
    expect(limit('claude-sonnet-4-5', { promptTokens: 150_000 })).to.equal(200_000 - 187_500 - 1024);
    expect(limit('claude-sonnet-4-5', { maxOutput: 7000 })).to.equal(7000);
    expect(limit('claude-made-up')).to.equal(4096);
  });

  it('end with a turn of the user where no answer may be begun', () => {
    const begun = [...messages, { role: 'assistant', content: '{' }];
    const last = (model: string) => (sent(anthropic, { model, messages: begun }).messages as Json[]).at(-1)?.role;
    expect([last('claude-opus-4-7'), last('claude-opus-4-6'), last('claude-sonnet-4-5')]).to.deep.equal(['user', 'user', 'assistant']);
  });

  it('change a Messages request of its own only where it would be refused', () => {
    const own = (body: Json) => sent(anthropic, { max_tokens: 9000, ...body }, { speaks: 'anthropic' });
    const kept = { model: 'claude-opus-4-8', thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' }, temperature: 1 };
    expect(own(kept)).to.deep.equal({ messages, max_tokens: 9000, ...kept, changed: undefined });
    const old = own({ model: 'claude-opus-4-8', temperature: 0.2, thinking: { type: 'enabled', budget_tokens: 4000 } });
    expect(old.thinking).to.deep.equal({ type: 'adaptive', display: 'summarized' });
    expect(old.output_config).to.deep.equal({ effort: 'medium' });
    expect(old.changed).to.deep.equal(['temperature', 'thinking']);
    const mapped = own({ model: 'claude-haiku-4-5', thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(mapped.thinking).to.deep.equal({ type: 'enabled', budget_tokens: 7200 });
    expect(mapped).to.not.have.property('output_config');
  });

  it('keep a mark of the cache on the result of a tool', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] };
    const content = [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }];
    const asked = sent(anthropic, {
      model: 'claude-sonnet-4-5',
      messages: [...messages, call, { role: 'tool', tool_call_id: 'a', content }],
    });
    expect(JSON.stringify(asked.messages)).to.include('"content":"A","cache_control":{"type":"ephemeral"}');
  });

  it('take tools whose schema has alternatives at its top', () => {
    const either = [
      { type: 'object', properties: { a: { type: 'string' }, c: {} }, required: ['a', 'c'] },
      { type: 'object', properties: { b: { type: 'string' }, c: {} }, required: ['b', 'c'] },
    ];
    expect(objectSchema({ anyOf: either })).to.deep.equal({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: {} },
      required: ['c'],
    });
    expect(objectSchema({ allOf: either, properties: { d: {} } })).to.deep.include({ required: ['a', 'c', 'b'] });
    expect(objectSchema(undefined)).to.deep.equal({ properties: {}, type: 'object' });
  });
});

describe('the rules of models of OpenAI’s dialect', () => {
  it('keep sampling at effort none, by name or by default, and leave it out when the model thinks', () => {
    const asked = (model: string, more: Json = {}) => sent(openai, { model, temperature: 0.2, logprobs: true, ...more });
    expect(asked('gpt-5.5', { reasoning_effort: 'none' })).to.deep.include({ temperature: 0.2, logprobs: true, changed: undefined });
    expect(asked('gpt-5.1')).to.include({ temperature: 0.2 });
    expect(asked('gpt-5.5').changed).to.deep.equal(['temperature', 'logprobs']);
    expect(asked('gpt-5.1', { reasoning_effort: 'low' }).changed).to.deep.equal(['temperature', 'logprobs']);
    expect(asked('gpt-6-astra', { reasoning_effort: 'none' })).to.deep.include({ reasoning_effort: 'low' });
  });

  it('lower an effort to a level that the model has, never to a dearer one', () => {
    const level = (type: number, model: string, reasoning_effort: string) => sent(type, { model, reasoning_effort }).reasoning_effort;
    expect(level(openai, 'gpt-5.2', 'xhigh')).to.equal('xhigh');
    expect(level(openai, 'gpt-5.1', 'xhigh')).to.equal('high');
    expect(level(openai, 'gpt-5.4', 'minimal')).to.equal('none');
    expect(level(openai, 'o3', 'minimal')).to.equal('low');
    expect(level(openai, 'my-model', 'xhigh')).to.equal('xhigh');
    expect(sent(openai, { model: 'o3', reasoning_effort: 'max' }).changed).to.deep.equal(['reasoning_effort']);
  });

  it('tell top_k to no model of OpenAI', () => {
    expect(sent(openai, { model: 'gpt-4o', top_k: 64 })).to.not.have.property('top_k');
    expect(sent(openai, { model: 'my-model', top_k: 64 })).to.have.property('top_k', 64);
  });

  it('keep Kimi to its own temperature, wherever it is hosted', () => {
    for (const type of [moonshot, openai]) expect(sent(type, { model: 'kimi-k2.5', temperature: 0.3 })).to.not.have.property('temperature');
    expect(sent(moonshot, { model: 'kimi-k2-thinking', temperature: 1.5 })).to.deep.include({ temperature: 1, changed: ['temperature'] });
    expect(sent(moonshot, { model: 'kimi-k2.5', reasoning_effort: 'none' })).to.deep.include({ thinking: { type: 'disabled' } });
  });

  it('tell Grok no penalties, stops or effort that it refuses', () => {
    const asked = { presence_penalty: 0.1, frequency_penalty: 0.1, stop: 'x', reasoning_effort: 'low' };
    expect(sent(xai, { model: 'grok-4', ...asked })).to.not.have.any.keys(...Object.keys(asked));
    expect(sent(xai, { model: 'grok-4.5', ...asked })).to.include({ reasoning_effort: 'low' });
    expect(sent(xai, { model: 'grok-3', ...asked })).to.include(asked);
  });

  it('tell OpenRouter, and no other of the dialect, what is to be cached', () => {
    const content = [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }];
    const told = (type: number) => sent(type, { model: 'm', messages: [{ role: 'user', content }] }, { speaks: 'anthropic' }).messages;
    expect(JSON.stringify(told(20))).to.include('cache_control');
    expect(JSON.stringify(told(openai))).to.not.include('cache_control');
  });

  it('ask DeepSeek for JSON with the schema in words', () => {
    const schema = { type: 'object', properties: { a1: { type: 'string' } } };
    const asked = sent(deepseek, { model: 'deepseek-chat', response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } });
    expect(asked.response_format).to.deep.equal({ type: 'json_object' });
    expect(JSON.stringify(asked.messages)).to.include('a1');
    expect(asked.changed).to.deep.equal(['response_format']);
  });
});

describe('the rules of Kimi', () => {
  it('say K3 its effort in levels that it has, and never switch its thinking off', () => {
    const effort = (wanted: string) => sent(25, { model: 'kimi-k3', reasoning_effort: wanted }).reasoning_effort;
    expect(['none', 'low', 'medium', 'high', 'max'].map(effort)).to.deep.equal(['low', 'low', 'low', 'high', 'max']);
    expect(sent(25, { model: 'kimi-k3', reasoning_effort: 'none' })).not.to.have.property('thinking');
    expect(sent(25, { model: 'kimi-k2.6', reasoning_effort: 'none' }).thinking).to.deep.equal({ type: 'disabled' });
  });
});

describe('the rules of Gemini', () => {
  const config = (model: string, request: Json) => sent(gemini, { model, ...request }).generationConfig as Json | undefined;

  it('take the level that a model has', () => {
    const level = (model: string, reasoning_effort: string) =>
      (config(model, { reasoning_effort })?.thinkingConfig as Json | undefined)?.thinkingLevel;
    expect(['minimal', 'medium', 'max'].map((effort) => level('gemini-3-flash-preview', effort))).to.deep.equal([
      'minimal',
      'medium',
      'high',
    ]);
    expect(level('gemini-3.1-pro-preview', 'medium')).to.equal('medium');
    expect(level('gemini-3-pro-preview', 'medium')).to.equal('low');
    expect(level('gemini-3.8-flash', 'none')).to.equal('low');
  });

  it('say a schema in words beside functions where both are refused', () => {
    const response_format = { type: 'json_schema', json_schema: { schema: { type: 'object', properties: { a1: { type: 'string' } } } } };
    const older = sent(gemini, { model: 'gemini-2.5-flash', tools, response_format });
    expect(older.generationConfig).to.equal(undefined);
    expect(JSON.stringify(older.systemInstruction)).to.include('a1');
    expect(older.changed).to.deep.equal(['response_format']);
    expect(config('gemini-3-flash-preview', { tools, response_format })).to.have.property('responseMimeType', 'application/json');
  });

  it('sign replayed calls also for names that stand for the newest model', () => {
    const calls = [
      ...messages,
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    ];
    const answered = [...calls, { role: 'tool', tool_call_id: 'a', content: 'A' }];
    const signed = (model: string) =>
      JSON.stringify(sent(gemini, { model, messages: answered, tools }).contents).includes('thoughtSignature');
    expect([signed('gemini-flash-latest'), signed('gemini-3-pro-preview'), signed('gemini-2.5-pro')]).to.deep.equal([true, true, false]);
  });
});

describe('schemas for Gemini', () => {
  it('say an optional value as a nullable one, alternatives beside nothing else', () => {
    const optional = { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'D' };
    expect(toGeminiSchema({ type: 'object', properties: { a: optional } }).properties).to.deep.equal({
      a: { type: 'string', description: 'D', nullable: true },
    });
    expect(toGeminiSchema({ anyOf: [{ type: 'string' }, {}, { type: 'null' }], description: 'D' })).to.deep.equal({
      anyOf: [
        { description: 'D', type: 'string', nullable: true },
        { description: 'D', type: 'string', nullable: true },
      ],
    });
  });

  it('follow references that are written as pointers', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/a~1b%20c' } }, $defs: { 'a/b c': { type: 'integer' } } };
    expect(toGeminiSchema(schema).properties).to.deep.equal({ a: { type: 'integer' } });
  });

  it('keep to the published rules, whatever schema comes', () => {
    const numbers = dice(7);
    for (let times = 0; times < 500; times += 1) {
      const schema = anySchema(numbers, 0);
      const said = toGeminiSchema(schema);
      expect(faults(said), JSON.stringify([schema, said])).to.deep.equal([]);
    }
  });
});

describe('an invented model of a known family', () => {
  const origin = { source: 'https://example.com/nova', read: '2026-11-26' };
  after(() => useCatalog(undefined));

  it('is called by the rules of its family, after one entry', () => {
    const entry = (name: string, family: string) => ({ name, provider: 'example', family, ...origin });
    const models = [
      entry('nova-c', 'claude-adaptive'),
      entry('nova-g', 'gemini-3'),
      entry('nova-o', 'gpt-5.4'),
      entry('nova-k', 'kimi-k2.5'),
    ];
    useCatalog({ version: 1, families: {}, models });
    expect(sent(anthropic, { model: 'nova-c', temperature: 0.1, reasoning_effort: 'high' })).to.deep.include({
      output_config: { effort: 'high' },
      changed: ['temperature'],
    });
    const told = sent(gemini, { model: 'nova-g', reasoning_effort: 'low' }).generationConfig as Json;
    expect(told.thinkingConfig).to.deep.equal({ includeThoughts: true, thinkingLevel: 'low' });
    expect(sent(openai, { model: 'nova-o', max_tokens: 5, temperature: 0.1, reasoning_effort: 'max' })).to.deep.include({
      max_completion_tokens: 5,
      reasoning_effort: 'xhigh',
    });
    expect(sent(moonshot, { model: 'nova-k', temperature: 0.1 })).to.not.have.property('temperature');
  });

  it('is called as a known member is, in each family', () => {
    const plain = builtInCatalog.models.filter(({ name, rules }) => rules === undefined && !name.endsWith('*'));
    const withRules = new Set(builtInCatalog.models.flatMap(({ name, rules }) => (rules === undefined ? [] : [name])));
    const members = Object.entries(builtInCatalog.families).flatMap(([family, { models }]) => {
      const ofFamily = [...plain.map(({ name }) => name), ...models.map((pattern) => pattern.replace(/\*$/, ''))];
      const member = ofFamily.find((name) => !withRules.has(name) && factsOf(name)?.family === family && factsOf(name)?.ending === '');
      return member === undefined ? [] : [{ family, member, limits: factsOf(member)?.limits }];
    });
    const name = (at: number) => `nova-${at}-x`;
    const models = members.map(({ family, limits }, at) => ({
      name: name(at),
      provider: 'example',
      family,
      ...(limits && { limits }),
      ...origin,
    }));
    useCatalog({ version: 1, families: {}, models });
    const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'], additionalProperties: false };
    const asked = {
      ...{ temperature: 1.5, top_p: 0.5, top_k: 5, presence_penalty: 0.1, stop: ['x'], max_tokens: 5000, reasoning_effort: 'xhigh' },
      ...{ tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }], tool_choice: 'auto' },
      response_format: { type: 'json_schema', json_schema: { name: 'r', schema, strict: true } },
    };
    const providers: Record<string, number> = { anthropic, google: gemini, moonshotai: moonshot, xai, deepseek };
    for (const [at, { family, member }] of members.entries()) {
      const provider = providers[factsOf(member)?.maker ?? ''] ?? openai;
      const bodyOf = (model: string) => JSON.stringify(sent(provider, { model, ...asked })).replaceAll(model, 'NAME');
      expect(bodyOf(name(at)), `${family}, by ${member}`).to.equal(bodyOf(member));
    }
    expect(members.length).to.be.greaterThan(40);
  });

  it('names families that exist', () => {
    const known = new Set(Object.keys(builtInCatalog.families));
    const named = builtInCatalog.models.flatMap(({ family }) => (family === undefined ? [] : [family]));
    const parents = Object.values(builtInCatalog.families).flatMap(({ extends: parent }) => (parent === undefined ? [] : [parent]));
    expect([...named, ...parents].filter((family) => !known.has(family))).to.deep.equal([]);
    expect(channelTypes.length).to.be.greaterThan(40);
  });
});

function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
}

/** A schema as people and their tools write them, with every mistake that was seen. */
function anySchema(numbers: (most: number) => number, depth: number): Json {
  const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
  const schema: Json = {};
  if (numbers(6) > 0) schema.type = numbers(5) === 0 ? [types[numbers(7)], types[numbers(7)]] : types[numbers(6)];
  if (numbers(3) === 0) schema.description = 'D';
  if (numbers(4) === 0) Object.assign(schema, { $schema: 'x', additionalProperties: false, default: null, title: 'T', examples: [] });
  if (numbers(5) === 0) schema.format = ['uri', 'date-time', 'int32'][numbers(3)];
  if (numbers(6) === 0) schema.enum = numbers(2) === 0 ? ['a', '', null] : [1, 2];
  if (depth < 3) {
    const inner = () => anySchema(numbers, depth + 1);
    if (numbers(3) === 0) schema.properties = { a: inner(), default: inner() };
    if (numbers(3) === 0) schema.required = ['a', 'missing'];
    if (numbers(4) === 0) schema.items = numbers(3) === 0 ? [inner(), inner()] : inner();
    if (numbers(4) === 0) schema[['anyOf', 'oneOf', 'allOf'][numbers(3)] as string] = [inner(), inner(), { type: 'null' }];
  }
  return schema;
}

const taken = new Set([
  ...['type', 'format', 'description', 'nullable', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'required', 'propertyOrdering', 'example', 'enum', 'items', 'properties', 'anyOf'],
]);

/** What Google's page of schemas refuses. */
function faults(node: Json, at = '#'): string[] {
  const own = Object.keys(node)
    .filter((keyword) => !taken.has(keyword))
    .map((keyword) => `${at}: ${keyword}`);
  if (Array.isArray(node.type)) own.push(`${at}: several types`);
  if (node.type === 'null') own.push(`${at}: type null`);
  if (node.anyOf !== undefined && Object.keys(node).length > 1) own.push(`${at}: fields beside anyOf`);
  if (node.type !== 'object' && (node.properties ?? node.required) !== undefined) own.push(`${at}: fields of objects`);
  if (Array.isArray(node.required) && !node.required.every((name) => Object.hasOwn((node.properties ?? {}) as Json, name)))
    own.push(`${at}: required and not there`);
  const inner = [
    ...Object.entries((node.properties ?? {}) as Json),
    ...((node.anyOf ?? []) as Json[]).map((one, i) => [`anyOf ${i}`, one]),
  ];
  if (node.items !== undefined) inner.push(['items', node.items]);
  return [...own, ...inner.flatMap(([name, value]) => faults(value as Json, `${at}/${name}`))];
}
