import { expect } from 'chai';
import { type ChatRequest, type JsonObject, outgoing } from '../src/index.ts';
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
