import { expect } from 'chai';
import { type ChatRequest, chatDialectFor, type JsonObject, outgoing, type Provider, providerOf, spokenBy } from '../src/index.ts';
import { targetOf } from './corners.ts';
import rules from './fixtures/schema-rules.json' with { type: 'json' };

const runs = 500;

/** Numbers from a seed (mulberry32), so that a failure can be repeated. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random schema of an object; `isTidy` leaves out what no strict dialect takes, so that many of them can be bound. */
function randomSchema(seed: number, isTidy: boolean): JsonObject {
  const next = numbersFrom(seed);
  const chance = (share: number) => next() < share;
  const one = <T>(values: readonly T[]) => values[Math.floor(next() * values.length)] as T;
  const bounds: JsonObject[] = [
    { minimum: 1 },
    { maxLength: 3 },
    { pattern: '^a' },
    { minItems: 2 },
    { uniqueItems: true },
    { multipleOf: 2 },
  ];
  const odd: JsonObject[] = [
    { not: {} },
    { if: {}, else: {} },
    { 'x-own': 1 },
    { patternProperties: { a: {} } },
    { propertyNames: {} },
    { $ref: '#' },
  ];

  function node(depth: number): JsonObject {
    const more = { ...(chance(0.3) && one(bounds)), ...(!isTidy && chance(0.2) && one(odd)), ...(chance(0.2) && { description: 'd' }) };
    if (depth === 0 || chance(0.4)) return { ...one(leaves), ...more };
    if (chance(0.3)) return { type: 'array', items: node(depth - 1), ...more };
    if (chance(0.3)) return { [isTidy ? 'anyOf' : one(['anyOf', 'oneOf', 'allOf'])]: [node(depth - 1), node(depth - 1)], ...more };
    return { ...object(depth), ...more };
  }
  function object(depth: number): JsonObject {
    const names = ['a', 'type', '$ref', 'anyOf'].filter(() => chance(0.6));
    const properties = Object.fromEntries(names.map((name) => [name, node(depth - 1)]));
    return {
      type: 'object',
      properties,
      ...(chance(0.7) && { required: names }),
      ...((isTidy || chance(0.5)) && { additionalProperties: false }),
    };
  }
  const top = object(3);
  if (chance(0.2)) Object.assign(top, { $schema: 'https://json-schema.org/draft/2020-12/schema' });
  if (chance(0.2))
    Object.assign(top, { $defs: { named: { type: 'string', format: 'uri' } }, properties: { named: { $ref: '#/$defs/named' } } });
  if (!isTidy && chance(0.3)) Object.assign(top, { [one(['anyOf', 'oneOf', 'allOf'])]: [object(1), object(1)] });
  if (!isTidy && chance(0.1)) delete top.type;
  return top;
}

const leaves: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'integer' },
  { type: ['string', 'null'] },
  { enum: ['a', 'b'] },
  { const: 1 },
  { type: 'string', format: 'uuid' },
  { type: 'string', format: 'regex' },
];

/** Keys with a form of their own, of clouds. */
const keys: Record<number, string> = {
  33: 'access|secret|us-east-1',
  41: JSON.stringify({ project_id: 'p', client_email: 'a@p.iam.gserviceaccount.com', private_key: 'k' }),
};

/** The tool as the provider gets it, by the endpoint of the model. */
function toolFor(type: number, model: string, { parameters, strict }: { parameters: JsonObject; strict?: boolean }): JsonObject {
  const tools = [{ type: 'function' as const, function: { name: 'f', parameters, ...(strict !== undefined && { strict }) } }];
  const request: ChatRequest = { model, messages: [{ role: 'user', content: 'Hi' }], tools };
  const dialect = chatDialectFor(spokenBy(providerOf(type) as Provider, model), { model, request });
  if (dialect === undefined) throw new Error(`type ${type} has no chat`);
  const { body } = outgoing(dialect, {
    speaks: 'openai',
    bytes: Buffer.from(JSON.stringify(request)),
    request,
    target: { ...targetOf(type, model), ...(keys[type] && { key: keys[type], other: 'us-east5' }) },
  });
  const [tool = {}] = (JSON.parse(body.toString()) as { tools: JsonObject[] }).tools;
  return tool;
}

/** What breaks Anthropic's rules for schemas that bind, by place. */
function brokenIn(schema: JsonObject, place = ''): string[] {
  const { keywords, formats, minItems } = rules.anthropic;
  const {
    properties = {},
    $defs = {},
    items,
    anyOf = [],
  } = schema as Record<'properties' | '$defs', JsonObject> & { items?: JsonObject; anyOf?: JsonObject[] };
  const inner = [
    ...Object.entries(properties),
    ...Object.entries($defs),
    ...Object.entries(anyOf),
    ...(items ? [['items', items] as const] : []),
  ];
  return [
    ...Object.keys(schema).filter((keyword) => !keywords.includes(keyword)),
    ...(schema.format !== undefined && !formats.includes(String(schema.format)) ? [`format ${schema.format}`] : []),
    ...(schema.minItems !== undefined && !minItems.includes(Number(schema.minItems)) ? ['minItems'] : []),
    ...(schema.type === 'object' && schema.additionalProperties !== false ? ['open object'] : []),
  ]
    .map((fault) => `${place}: ${fault}`)
    .concat(inner.flatMap(([name, one]) => brokenIn(one as JsonObject, `${place}/${name}`)));
}

/** Each schema in a schema, with where it is. */
function nodesIn(schema: JsonObject, place = ''): [place: string, node: JsonObject][] {
  const { properties = {}, $defs = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema as Record<string, JsonObject | undefined>;
  const inner = [properties, $defs, anyOf, oneOf, allOf, ...(items ? [{ items }] : [])].flatMap(Object.entries) as [string, JsonObject][];
  return [[place, schema], ...inner.flatMap(([name, one]) => nodesIn(one, `${place}/${name}`))];
}

/** What breaks Gemini's rules in one node. Source: https://ai.google.dev/api/caching#Schema, and the errors in python-genai's issues */
function geminiFaults(node: JsonObject): string[] {
  const { type, format, enum: values, items, properties = {}, required = [], anyOf, ...rest } = node;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const names = Object.keys(properties as object);
  return [
    ...Object.keys(node).filter((keyword) => !rules.gemini.keywords.includes(keyword)),
    ...(type === undefined || rules.gemini.types.includes(String(type)) ? [] : [`type ${JSON.stringify(type)}`]),
    ...(format === undefined || rules.gemini.formats.includes(String(format)) ? [] : [`format ${format}`]),
    ...(values === undefined || (type === 'string' && (values as unknown[]).every(isText)) ? [] : ['enum']),
    ...(type === 'array' && items === undefined ? ['a list of nothing'] : []),
    ...((required as string[]).every((name) => names.includes(name)) ? [] : ['required']),
    ...(anyOf !== undefined && Object.keys(rest).length + names.length > 0 ? ['something beside anyOf'] : []),
  ];
}

describe('tool schemas by the published rules of providers', () => {
  for (const [cloud, type, model] of [
    ['Gemini', 24, 'gemini-2.5-flash'],
    ['Gemini 3', 24, 'gemini-3-flash-preview'],
    ['Gemini at Vertex', 41, 'gemini-2.5-flash'],
  ] as const) {
    it(`keep every rule of ${cloud} in each node, whatever ${runs} callers send`, () => {
      for (let seed = 0; seed < runs; seed += 1) {
        const { functionDeclarations: [declared] = [] } = toolFor(type, model, { parameters: randomSchema(seed, seed % 5 === 0) }) as {
          functionDeclarations?: { parameters?: JsonObject }[];
        };
        const faults = nodesIn(declared?.parameters ?? {}).flatMap(([place, node]) =>
          geminiFaults(node).map((fault) => `${place}: ${fault}`),
        );
        expect(faults, `seed ${seed}`).to.deep.equal([]);
      }
    });
  }

  it('are objects without the bounds that Grok refuses, which are told in words', () => {
    for (let seed = 0; seed < runs; seed += 1) {
      const sent = randomSchema(seed, seed % 2 === 0);
      const { function: told } = toolFor(48, 'grok-4.6', { parameters: sent }) as { function: { parameters: JsonObject } };
      const { parameters } = told;
      expect(parameters.type, `seed ${seed}`).to.equal('object');
      for (const name of rules.anthropicTools.notAtTop) expect(parameters, `seed ${seed}`).not.to.have.property(name);
      const refused = nodesIn(parameters).flatMap(([, node]) => rules.xai.refused.filter((keyword) => Object.hasOwn(node, keyword)));
      expect(refused, `seed ${seed}`).to.deep.equal([]);
      const isTaken =
        JSON.stringify(toolFor(43, 'deepseek-v4-pro', { parameters: sent })) === JSON.stringify({ type: 'function', function: told });
      const hasFaults = sent.type !== 'object' || rules.anthropicTools.notAtTop.some((name) => name in sent) || boundsIn(sent) > 0;
      expect(isTaken, `seed ${seed}: what Grok takes stays as it came`).to.equal(!hasFaults);
    }
  });

  /** How many bounds that Grok refuses a schema has. */
  const boundsIn = (schema: JsonObject) =>
    nodesIn(schema).reduce((sum, [, node]) => sum + rules.xai.refused.filter((keyword) => Object.hasOwn(node, keyword)).length, 0);

  it('reach DeepSeek as they came', () => {
    for (let seed = 0; seed < runs; seed += 1) {
      const parameters = randomSchema(seed, seed % 2 === 0);
      expect(toolFor(43, 'deepseek-v4-pro', { parameters }), `seed ${seed}`).to.deep.equal({
        type: 'function',
        function: { name: 'f', parameters },
      });
    }
  });

  it(`are objects without alternatives at the top for Anthropic, whatever ${runs} callers send`, () => {
    const clouds = [14, 33, 41] as const; // its own API, and Claude at Bedrock and Vertex
    for (let seed = 0; seed < runs; seed += 1) {
      const { input_schema: schema } = toolFor(clouds[seed % clouds.length] as number, 'claude-sonnet-4-5', {
        parameters: randomSchema(seed, false),
      }) as {
        input_schema: JsonObject;
      };
      expect(schema.type, `seed ${seed}`).to.equal('object');
      for (const name of rules.anthropicTools.notAtTop) expect(schema, `seed ${seed}`).not.to.have.property(name);
    }
  });

  it('bind Anthropic only where each of their nodes keeps its rules', () => {
    let bound = 0;
    for (let seed = 0; seed < runs; seed += 1) {
      const parameters = randomSchema(seed, seed % 5 !== 0);
      const { strict, input_schema: schema } = toolFor(14, 'claude-sonnet-4-5', { parameters, strict: true }) as {
        strict?: boolean;
        input_schema: JsonObject;
      };
      if (strict !== true) continue;
      bound += 1;
      expect(brokenIn(schema), `seed ${seed}`).to.deep.equal([]);
    }
    expect(bound).to.be.greaterThan(runs / 2);
  });

  /** Whether OpenAI takes a schema with `strict`, by its page: another reading of the same rules. */
  function keepsRules(schema: JsonObject, isTop = true): boolean {
    const { keywords, formats } = rules.openai;
    const {
      properties,
      items,
      anyOf,
      $defs,
      required = [],
      format,
      type,
    } = schema as Record<string, JsonObject> & {
      anyOf?: JsonObject[];
      required?: string[];
    };
    if (isTop && (schema.type !== 'object' || anyOf !== undefined)) return false;
    if (!Object.keys(schema).every((keyword) => keywords.includes(keyword))) return false;
    if (format !== undefined && !formats.includes(String(format))) return false;
    const isObjects = [type].flat().includes('object' as never) || properties !== undefined;
    const names = Object.keys(properties ?? {});
    if (
      isObjects &&
      (schema.additionalProperties !== false || names.length !== required.length || !names.every((one) => required.includes(one)))
    )
      return false;
    const inner = [
      ...Object.values(properties ?? {}),
      ...Object.values($defs ?? {}),
      ...(anyOf ?? []),
      ...(items === undefined ? [] : [items]),
    ];
    return inner.every((one) => keepsRules(one as JsonObject, false));
  }

  it('reach OpenAI as they came, and are strict only where OpenAI can bind them', () => {
    let bound = 0;
    for (let seed = 0; seed < runs; seed += 1) {
      const parameters = randomSchema(seed, seed % 5 !== 0);
      for (const strict of [undefined, false, true]) {
        const kept = strict === true ? keepsRules(parameters) : strict;
        if (kept === true) bound += 1;
        const chat = toolFor(1, 'gpt-4o', { parameters, strict }) as { function: JsonObject };
        expect(chat.function, `seed ${seed}`).to.deep.equal({ name: 'f', parameters, ...(kept !== undefined && { strict: kept }) });
        const responses = toolFor(1, 'gpt-5-pro', { parameters, strict });
        expect([responses.parameters, responses.strict], `seed ${seed}`).to.deep.equal([parameters, kept ?? false]);
      }
    }
    expect(bound).to.be.within(20, runs - 20);
  });

  it('are strict for OpenAI within its limits of depth, properties and enumerations', () => {
    const closed = (properties: JsonObject): JsonObject => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
    const nested = (depth: number): JsonObject => closed(depth === 1 ? { a: { type: 'string' } } : { a: nested(depth - 1) });
    const many = (count: number) => closed(Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }])));
    const choices = (count: number, length: number) =>
      closed({ a: { type: 'string', enum: Array.from({ length: count }, (_, n) => String(n).padEnd(length)) } });
    const isStrict = (parameters: JsonObject) =>
      (toolFor(1, 'gpt-4o', { parameters, strict: true }) as { function: JsonObject }).function.strict;
    expect([nested(10), nested(11)].map(isStrict)).to.deep.equal([true, false]);
    expect([many(5000), many(5001)].map(isStrict)).to.deep.equal([true, false]);
    expect([choices(1000, 10), choices(1001, 5), choices(251, 60), choices(250, 61)].map(isStrict)).to.deep.equal([
      true,
      false,
      false,
      true,
    ]);
  });
});
