import { expect } from 'chai';
import { type ChatRequest, type JsonObject, outgoing, providerOf } from '../src/index.ts';
import { dialectOf, targetOf } from './corners.ts';

/** All names that Gemini knows in a schema. Source: https://ai.google.dev/api/caching#Schema */
const known = new Set([
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties', 'required', 'minProperties'],
  ...[
    'maxProperties',
    'minLength',
    'maxLength',
    'pattern',
    'example',
    'anyOf',
    'propertyOrdering',
    'default',
    'items',
    'minimum',
    'maximum',
  ],
]);

/** What Gemini is told of a schema, as the arguments of a function. */
function told(properties: JsonObject, more: JsonObject = {}): JsonObject {
  const parameters = { type: 'object', properties, ...more };
  const request: ChatRequest = {
    model: 'gemini-2.5-flash',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  };
  const bytes = Buffer.from(JSON.stringify(request));
  const { body } = outgoing(dialectOf(24, 'chat'), { speaks: 'openai', bytes, request, target: targetOf(24, request.model) });
  const { tools } = JSON.parse(body.toString()) as { tools: { functionDeclarations: { parameters: JsonObject }[] }[] };
  return tools[0]?.functionDeclarations[0]?.parameters ?? {};
}

function namesIn(schema: JsonObject): string[] {
  const { properties = {}, items, anyOf = [] } = schema as { properties?: JsonObject; items?: JsonObject; anyOf?: JsonObject[] };
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf] as JsonObject[];
  return [...Object.keys(schema), ...inner.flatMap(namesIn)];
}

describe('a schema that Gemini is told', () => {
  it('has no name that Gemini does not know, wherever it stands, and all properties whatever they are called', () => {
    const text = { type: 'string', 'x-optional': true, examples: ['a'], readOnly: true, contentEncoding: 'base64', $comment: 'c' };
    const properties = {
      text,
      'x-named': text,
      propertyNames: { type: 'object', propertyNames: { pattern: '^a' }, additionalProperties: text, properties: { uniqueItems: text } },
      list: { type: 'array', items: text, uniqueItems: true, contains: text },
      number: { type: 'number', multipleOf: 2, minimum: 0, exclusiveMaximum: 9 },
      either: { anyOf: [text, { not: text }], discriminator: { propertyName: 'kind' } },
      anything: true,
    };
    const schema = told(properties, { unevaluatedProperties: false, dependentRequired: { text: ['list'] }, if: {}, else: {} });
    for (const name of namesIn(schema)) expect(known, name).to.include(name);
    expect(schema.properties).to.deep.equal({
      text: { type: 'string' },
      'x-named': { type: 'string' },
      propertyNames: { type: 'object', properties: { uniqueItems: { type: 'string' } } },
      list: { type: 'array', items: { type: 'string' } },
      number: { type: 'number', minimum: 0 },
      either: { anyOf: [{ type: 'string' }, { type: 'string' }] },
      anything: {},
    });
  });

  it('names the values of texts, and tells those of others in words', () => {
    const { properties } = told({
      text: { enum: ['a', 'b', ''] },
      maybe: { type: ['string', 'null'], enum: ['a', null] },
      number: { type: 'integer', enum: [1, 2], description: 'How many' },
      only: { const: 3 },
      flag: { const: true },
      mixed: { enum: ['a', 1] },
    });
    expect(properties).to.deep.equal({
      text: { type: 'string', enum: ['a', 'b'] },
      maybe: { type: 'string', nullable: true, enum: ['a'] },
      number: { type: 'integer', description: 'How many. One of 1, 2' },
      only: { type: 'number', description: 'One of 3' },
      flag: { type: 'boolean', description: 'One of true' },
      mixed: { description: 'One of "a", 1' },
    });
  });

  it('says of every list what stands in it', () => {
    const [number, text] = [{ type: 'number' }, { type: 'string' }];
    const { properties } = told({
      whatever: { type: 'array' },
      empty: { type: 'array', items: {} },
      pair: { type: 'array', prefixItems: [number, text], items: false },
      older: { type: 'array', items: [number] },
      either: { type: ['array', 'string'], items: number },
    });
    expect(properties).to.deep.equal({
      whatever: { type: 'array', items: text },
      empty: { type: 'array', items: text },
      pair: { type: 'array', items: { anyOf: [number, text] } },
      older: { type: 'array', items: number },
      either: { anyOf: [{ type: 'array', items: number }, text] },
    });
  });

  it('is one where it is all of several', () => {
    const $defs = { named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };
    const { properties } = told(
      {
        whole: { allOf: [{ $ref: '#/$defs/named' }, { properties: { age: { type: 'integer' } }, required: ['age'] }], description: 'Who' },
        one: { allOf: [{ $ref: '#/$defs/named' }] },
      },
      { $defs },
    );
    const name = { type: 'string' };
    expect(properties).to.deep.equal({
      whole: { type: 'object', properties: { name, age: { type: 'integer' } }, required: ['name', 'age'], description: 'Who' },
      one: { type: 'object', properties: { name }, required: ['name'] },
    });
  });
});

describe('a request of Gemini’s dialect by the rules of its model', () => {
  const edits = (model: string, own: JsonObject, request: object = {}) => {
    const chat = providerOf(24)?.chat;
    if (chat === undefined || chat.speaks === 'openai' || chat.nativeEdits === undefined) throw new Error('type 24 is translated');
    const said = { model, messages: [{ role: 'user', content: 'Hi' }], ...request } as ChatRequest;
    const target = { baseUrl: 'https://up.example.com', key: 'k', model };
    return chat.nativeEdits(own, { request: said, target });
  };
  const thinking = (model: string, thinkingConfig: JsonObject) => {
    const { set } = edits(model, { generationConfig: { topK: 5, thinkingConfig } });
    return (set?.generationConfig as JsonObject | undefined)?.thinkingConfig;
  };

  it('is left alone where nothing would be refused', () => {
    const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING', enum: ['x'] } }, required: ['a'] };
    const own = {
      generationConfig: { temperature: 1, responseSchema: parameters },
      tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
    };
    expect(edits('gemini-3-flash-preview', own)).to.deep.equal({ set: {}, remove: [], changed: [] });
    expect(thinking('gemini-3-flash-preview', { thinkingLevel: 'MINIMAL' })).to.equal(undefined);
    expect(thinking('gemini-3-flash-preview', { thinkingBudget: 100 })).to.equal(undefined);
    expect(thinking('gemini-2.5-flash', { thinkingBudget: -1, includeThoughts: true })).to.equal(undefined);
    expect(thinking('gemini-x', { thinkingLevel: 'low' })).to.equal(undefined);
  });

  it('says thinking in the form, within the range and at a level that the model has', () => {
    expect(thinking('gemini-2.5-flash', { thinkingLevel: 'low', includeThoughts: true })).to.deep.equal({
      includeThoughts: true,
      thinkingBudget: 1024,
    });
    expect(thinking('gemini-2.5-flash', { thinkingBudget: 99_999 })).to.deep.equal({ thinkingBudget: 24_576 });
    expect(thinking('gemini-2.5-pro', { thinking_budget: 0 })).to.deep.equal({ thinkingBudget: 128 });
    expect(thinking('gemini-3-pro-preview', { thinkingLevel: 'medium' })).to.deep.equal({ thinkingLevel: 'low' });
    expect(thinking('gemini-3-pro-preview', { thinkingLevel: 'high', thinkingBudget: 5 })).to.deep.equal({ thinkingLevel: 'high' });
  });

  it('has schemas that Google knows, and functions without a bound answer where it takes both not', () => {
    const parameters = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    const { set, changed } = edits('gemini-2.5-flash', { tools: [{ function_declarations: [{ name: 'f', parameters }] }] });
    expect(set?.tools).to.deep.equal([
      { function_declarations: [{ name: 'f', parameters: { type: 'object', properties: { a: { type: 'string', nullable: true } } } }] },
    ]);
    expect(changed).to.deep.equal(['tools']);
    const both = {
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      generationConfig: { topK: 5, responseMimeType: 'application/json' },
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
    };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const edited = edits('gemini-2.5-flash', both, { tools, response_format: { type: 'json_object' } });
    expect(edited.set?.generationConfig).to.deep.equal({ topK: 5 });
    expect(JSON.stringify(edited.set?.systemInstruction)).to.match(/Be brief.*one JSON object/);
    expect(edits('gemini-3-flash-preview', both, { tools, response_format: { type: 'json_object' } }).set).to.deep.equal({});
  });
});
