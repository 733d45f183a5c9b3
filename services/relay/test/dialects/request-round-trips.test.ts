import { type ChatRequest, type JsonObject, providers, RequestRefused } from '@tollgate/providers';
import { expect } from 'chai';
import { dialectOf, targetOf } from './four-corners.ts';
import { cells, pieces, ways } from './requests/round-trip.ts';
import { otherwise } from './requests/said-otherwise.ts';
import { printedRequestTable, requestTable } from './requests/table.ts';

describe('requests, there and back through another dialect', () => {
  const all = cells();

  for (const { from, between } of ways) {
    it(`from ${from} through ${between} lose nothing but what a note tells of, or is refused by the name of a field`, () => {
      const here = all.filter(({ way }) => way.from === from && way.between === between);
      expect(here.length).to.equal(pieces.filter((piece) => piece[from] !== undefined).length);
      expect(here.filter(({ lost }) => lost.length > 0).map(({ says, lost }) => ({ says, lost }))).to.deep.equal([]);
      const unnamed = here.filter(({ outcome }) => outcome.kind === 'refused' && !outcome.param);
      expect(unnamed.map(({ says }) => says)).to.deep.equal([]);
    });
  }

  it('have no note that tells of nothing', () => {
    const used = new Set(all.flatMap(({ notes }) => notes));
    expect(otherwise.filter((_note, at) => !used.has(at)).map(({ says }) => says)).to.deep.equal([]);
  });

  it('can be sent by Responses to every provider that has it beside its chat API', () => {
    for (const [type, provider] of providers) {
      if (provider.responses === undefined) continue;
      expect(provider.chat, `type ${type}`).to.not.equal(undefined);
      const request = { model: 'm', messages: [{ role: 'user', content: 'go' }] } as ChatRequest;
      const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }];
      expect(provider.responses.encodeRequest(request, targetOf(type, 'm')), `type ${type}`).to.deep.include({ input, store: false });
    }
  });

  it('are as the providers’ README prints them', () => {
    expect(printedRequestTable()).to.equal(requestTable(all));
  });
});

describe('a request told to a provider of another dialect', () => {
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } });
  const user = { role: 'user', content: 'go' };

  function told(type: number, request: object, model = 'm'): JsonObject {
    const dialect = dialectOf(type, 'chat', model);
    if (dialect.speaks === 'openai') throw new Error(`type ${type} is translated`);
    const body = dialect.encodeRequest({ model, messages: [user], ...request } as ChatRequest, targetOf(type, model));
    return JSON.parse(JSON.stringify(body)) as JsonObject;
  }

  it('has each result beside the call that it answers, where a dialect finds it by its place alone', () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: `{"at":"${id}"}` } }));
    const results = ['c', 'a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }));
    const { contents } = told(24, { tools: [tool('f')], messages: [user, { role: 'assistant', tool_calls: calls }, ...results, user] });
    const [, , answered] = contents as { parts: JsonObject[] }[];
    expect(answered?.parts.slice(0, 3)).to.deep.equal(
      ['a', 'b', 'c'].map((id) => ({ functionResponse: { name: 'f', response: { output: `of ${id}` } } })),
    );
  });

  it('binds the newer models of Anthropic to strict schemas of closed objects, and asks in words for the others', () => {
    const closed = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      required: ['a'],
      additionalProperties: false,
      $defs: { a: { type: 'string' } },
    };
    const asked = (schema: unknown, { model = 'claude-sonnet-4-5-20250929', strict = true, more = {} } = {}) => {
      const json_schema = { name: 'x', schema, strict };
      const { output_config: config, system } = told(14, { response_format: { type: 'json_schema', json_schema }, ...more }, model);
      expect(config === undefined).to.equal(system !== undefined);
      return config;
    };
    for (const model of ['claude-haiku-4-5', 'claude-opus-4-6', 'claude-sonnet-5-20260301', 'claude-opus-4-5-20251101-thinking']) {
      expect(asked(closed, { model }), model).to.deep.equal({ format: { type: 'json_schema', schema: closed } });
    }
    const draft = 'http://json-schema.org/draft-07/schema#'; // named by the helpers of the official clients
    expect(asked({ $schema: draft, ...closed })).to.deep.equal({ format: { type: 'json_schema', schema: closed } });
    for (const model of ['claude-3-5-sonnet', 'claude-opus-4-20250514', 'claude-opus-4-1', 'claude-x', 'claude-3-7-sonnet-latest']) {
      expect(asked(closed, { model }), model).to.equal(undefined);
    }
    expect(asked(closed, { strict: false })).to.equal(undefined);
    expect(asked(closed, { more: { messages: [user, { role: 'assistant', content: '{' }] } })).to.equal(undefined);
    const property = (a: unknown, more = {}) => ({ type: 'object', properties: { a }, additionalProperties: false, ...more });
    for (const schema of [
      { type: 'object', properties: {} },
      property({ type: 'object', properties: {} }),
      property({ type: 'object', patternProperties: {}, additionalProperties: false }),
      property({ anyOf: [{ type: 'string' }, { type: 'object' }] }),
      property({ enum: [{}] }),
      property(5),
      property({ $ref: '#/$defs/none' }),
      property({ $ref: 'https://example.com/schema' }),
      property({ $ref: '#/$defs/self' }, { $defs: { self: { type: 'array', items: { $ref: '#/$defs/self' } } } }),
    ]) {
      expect(asked(schema), JSON.stringify(schema)).to.equal(undefined);
    }
    const strict = (parameters: unknown, model?: string) =>
      (told(14, { tools: [{ type: 'function', function: { name: 'f', parameters, strict: true } }] }, model).tools as JsonObject[])[0]
        ?.strict;
    expect(strict(closed, 'claude-sonnet-4-5')).to.equal(true);
    expect(strict({ $schema: draft, ...closed }, 'claude-sonnet-4-5')).to.equal(true);
    expect(strict(property({ type: 'object', properties: {} }), 'claude-sonnet-4-5')).to.equal(undefined);
    expect(strict(closed, 'claude-3-5-sonnet')).to.equal(undefined);
  });

  it('binds them to the shape of a schema, and tells bounds of values, which they are not bound to, in words', () => {
    const bounded = {
      type: 'object',
      properties: {
        minimum: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, // as zod writes integers
        list: { type: 'array', description: 'Some', minItems: 2, items: { type: 'string', format: 'phone', pattern: '^a' } },
        either: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }] },
        of: { $ref: '#/$defs/maximum' },
      },
      additionalProperties: false,
      $defs: { maximum: { type: 'string', maxLength: 5, format: 'uuid' } },
    };
    const expected = {
      type: 'object',
      properties: {
        minimum: { type: 'integer', description: '{minimum: -9007199254740991, maximum: 9007199254740991}' },
        list: {
          type: 'array',
          description: 'Some\n\n{minItems: 2}',
          items: { type: 'string', description: '{format: "phone", pattern: "^a"}' },
        },
        either: { anyOf: [{ type: 'number', description: '{exclusiveMinimum: 0}' }, { type: 'null' }] },
        of: { $ref: '#/$defs/maximum' },
      },
      additionalProperties: false,
      $defs: { maximum: { type: 'string', format: 'uuid', description: '{maxLength: 5}' } },
    };
    const asked = {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: bounded, strict: true } },
      tools: [{ type: 'function', function: { name: 'f', parameters: bounded, strict: true } }],
    };
    const { output_config: config, system, tools } = told(14, asked, 'claude-sonnet-4-5');
    expect(config).to.deep.equal({ format: { type: 'json_schema', schema: expected } });
    expect(system).to.equal(undefined);
    expect((tools as JsonObject[])[0]).to.deep.include({ input_schema: expected, strict: true });
  });

  it('is refused by the name of the field where tools or choices are of a kind that no function is', () => {
    const refused: [object, string][] = [
      [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools'],
      [{ functions: [{ name: 'x' }] }, 'functions'],
      [{ function_call: { name: 'x' } }, 'function_call'],
      [{ n: 2 }, 'n'],
      [{ tools: [tool('f')], tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
      [{ tools: [tool('f')], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('g')] } } }, 'tool_choice'],
    ];
    for (const type of [14, 24, 34, 23, 18, 15]) {
      for (const [request, param] of refused) {
        if (type === 24 && param === 'n') continue; // Gemini gives several
        expect(() => told(type, request), `${type} ${JSON.stringify(request)}`)
          .to.throw(RequestRefused)
          .with.property('param', param);
      }
    }
  });
});
