import { pricedFields } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { expect } from 'chai';
import type { RelayRoute, SentRequest } from '../src/context/route.ts';
import { accountResources } from '../src/dialects/account-resources.ts';
import { messagesRoute } from '../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../src/dialects/gemini/gemini.ts';
import { checkNested } from '../src/dialects/nested-fields.ts';
import { imagesRoute, moderationsRoute, rerankRoute, speechRoute } from '../src/dialects/openai/media-answers.ts';
import { chatRoute, completionsRoute, embeddingsRoute } from '../src/dialects/openai/routes.ts';
import { responsesRoute } from '../src/dialects/responses/responses.ts';
import { stateFields } from '../src/dialects/responses/responses-request.ts';
import { JsonScan, parseJson, refuseDoubled } from '../src/request/json-scan.ts';

type Json = Record<string, unknown>;

const spellings: Record<string, (name: string) => string> = {
  'in capitals': (name) => name.toUpperCase(),
  'with a capital': (name) => name[0]?.toUpperCase() + name.slice(1),
  'ending in a capital': (name) => name.slice(0, -1) + name.slice(-1).toUpperCase(),
  'with a blank before it': (name) => ` ${name}`,
  'with a tab behind it': (name) => `${name}\t`,
  'with an invisible sign': (name) => `${name[0]}\u200b${name.slice(1)}`,
  'as a list': (name) => `${name}[]`,
  'as an entry': (name) => `${name}[0]`,
  'in full width': (name) => name.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
};

const messages = [{ role: 'user', content: 'Hi' }];
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const routes: [says: string, route: Pick<RelayRoute, 'read'>, body: Json][] = [
  ['chat', chatRoute as RelayRoute, { model: 'm', messages }],
  ['completions', completionsRoute as RelayRoute, { model: 'm', prompt: 'Hi' }],
  ['embeddings', embeddingsRoute as RelayRoute, { model: 'm', input: 'Hi' }],
  ['messages', messagesRoute as RelayRoute, { model: 'm', max_tokens: 9, messages }],
  ['responses', responsesRoute as RelayRoute, { model: 'm', input: 'Hi' }],
  ['images', imagesRoute as RelayRoute, { model: 'm', prompt: 'a cat' }],
  ['speech', speechRoute as RelayRoute, { model: 'm', input: 'Hi' }],
  ['moderations', moderationsRoute as RelayRoute, { model: 'm', input: 'Hi' }],
  ['rerank', rerankRoute as RelayRoute, { model: 'm', query: 'q', documents: ['d'] }],
];

const sentOf = (json: Json): SentRequest => ({ bytes: Buffer.from(JSON.stringify(json)), long: undefined, json, address: {} });
const refusalOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    return (error as AppError).message;
  }
};

describe('Names of fields that a forgiving parser reads as others', () => {
  for (const [says, route, body] of routes) {
    it(`are refused in ${says}: of every field with a price, and of every known one`, () => {
      const fields = [...pricedFields.map(({ field }) => field), ...Object.keys(body), ...(says === 'responses' ? stateFields : [])];
      for (const field of fields) {
        for (const [how, spell] of Object.entries(spellings)) {
          const written = spell(field);
          const refusal = refusalOf(() => route.read(sentOf({ ...body, [written]: true })));
          expect(refusal, `${field} ${how}`).to.include(`must be written ${field}`);
        }
      }
    });
  }

  it('are refused with dashes, without underscores and in camel case, of what has a price', () => {
    const apart: ((name: string) => string)[] = [
      (name) => name.replaceAll('_', '-'),
      (name) => name.replaceAll('_', ''),
      (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      (name) => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    ];
    for (const [says, route, body] of routes)
      for (const { field } of pricedFields)
        for (const spell of apart) {
          const written = spell(field);
          if (written === field) continue;
          expect(
            refusalOf(() => route.read(sentOf({ ...body, [written]: true }))),
            `${says}: ${written}`,
          ).to.include(`must be written ${field}`);
        }
    const names = accountResources.flatMap(({ fields }) => fields.flatMap(({ field, within }) => (within === undefined ? [field] : [])));
    for (const name of names.filter((name) => name !== 'chatId'))
      for (const spell of apart) {
        expect(checkNested({ [spell(name)]: 'x' }, { isChat: false }), spell(name)).to.deep.equal({ param: spell(name) });
        expect(checkNested({ nested: [{ [spell(name)]: 'x' }] }, { isChat: false }), spell(name)).to.not.equal(undefined);
      }
  });

  it('are refused in Gemini’s dialect, in either of its two ways', () => {
    const ask = (json: Json) => generateRoute.read({ ...sentOf({ contents, ...json }), address: { model: 'm' } });
    const tops = ['cachedContent', 'continuationToken', 'serviceTier', 'tools', 'modelArmorConfig', 'outputConfig', 'contents'];
    const inConfig = ['maxOutputTokens', 'candidateCount', 'routingConfig', 'modelConfig', 'thinkingConfig'];
    for (const [how, spell] of [...Object.entries(spellings), ['apart', (name: string) => `_${name}`] as const]) {
      for (const field of tops)
        expect(
          refusalOf(() => ask({ [spell(field)]: 'x' })),
          `${field} ${how}`,
        ).to.include(`must be written ${field}`);
      for (const field of inConfig)
        expect(
          refusalOf(() => ask({ generationConfig: { [spell(field)]: 1 } })),
          `${field} ${how}`,
        ).to.include(`must be written ${field}`);
    }
    expect(refusalOf(() => ask({ generation_config: { max_output_tokens: 5, topP: 1 } }))).to.equal(undefined);
  });

  it('are refused below the top, wherever a provider reads them', () => {
    const places: [holder: (name: string) => Json, names: string[]][] = [
      [(name) => ({ tools: [{ [name]: 'web_search', function: { name: 'f' } }] }), ['type']],
      [(name) => ({ tools: [{ type: 'function', [name]: { name: 'f' } }] }), ['function']],
      [(name) => ({ messages: [{ role: 'user', content: [{ type: 'file', file: { [name]: 'file-1' } }] }] }), ['file_id']],
      [(name) => ({ messages: [{ role: 'user', content: [{ [name]: 'image_url' }] }] }), ['type', 'source', 'image_url', 'file']],
      [(name) => ({ contents: [{ parts: [{ fileData: { [name]: 'gs://a' } }] }] }), ['fileUri', 'file_uri']],
      [(name) => ({ input: [{ role: 'user', content: [{ type: 'input_image', [name]: 'x' }] }] }), ['file_id', 'image_url', 'file_url']],
      [(name) => ({ stream_options: { [name]: false } }), ['include_usage']],
    ];
    for (const [holder, names] of places)
      for (const name of names)
        for (const [how, spell] of Object.entries(spellings))
          expect(
            refusalOf(() => checkNested(holder(spell(name)))),
            `${name} ${how}`,
          ).to.include(`must be written ${name}`);
  });

  it('are free in what callers define themselves', () => {
    const schema = { type: 'object', properties: { Type: { type: 'string' }, file_ID: {}, 'URL[]': {} } };
    const own: Json[] = [
      { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] },
      { tools: [{ name: 'f', input_schema: schema }] },
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { Type: 1, file_id: 'x' } }] }] },
      {
        contents: [
          { parts: [{ functionCall: { name: 'f', args: { Type: 1 } } }, { functionResponse: { name: 'f', response: { Url: 1 } } }] },
        ],
      },
      { metadata: { Type: 'x', file_id: 'x' }, response_format: { type: 'json_schema', json_schema: { schema } } },
    ];
    for (const body of own)
      expect(
        refusalOf(() => expect(checkNested(body)).to.equal(undefined)),
        JSON.stringify(body),
      ).to.equal(undefined);
  });

  it('are refused in extra_body at every depth, where they have a price', () => {
    for (const { field, free } of pricedFields) {
      for (const spell of [(name: string) => name, ...Object.values(spellings)]) {
        for (const extra of [{ [spell(field)]: 'dear' }, { provider_options: [{ [spell(field)]: 'dear' }] }])
          expect(
            refusalOf(() => checkNested({ extra_body: extra })),
            field,
          ).to.match(/has no price|unpriced|extra_body/i);
      }
      if (free.length > 0)
        expect(
          refusalOf(() => checkNested({ extra_body: { [field]: free[0] } })),
          field,
        ).to.equal(undefined);
    }
  });
});

describe('A key that stands twice in an object', () => {
  const read = (text: string) => {
    const scan = new JsonScan({ leavesOut: false });
    scan.push(Buffer.from(text));
    const { nestedFields } = scan;
    refuseDoubled(parseJson(scan.end().json) as object, nestedFields);
  };

  it('is refused at every depth below the top, however it is escaped', () => {
    for (const inner of [
      '{"model":"a","model":"b"}',
      '{"model":"a","mode\\u006c":"b"}',
      '{"a":{"x":1},"a":{"y":2}}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      let text = inner;
      for (let depth = 1; depth < 60; depth += 1) {
        text = depth % 2 === 0 ? `{"x":${text}}` : `[1,${text},":{}"]`;
        expect(
          refusalOf(() => read(`{"field":${text},"other":{}}`)),
          `${depth}: ${inner}`,
        ).to.include('has a key twice');
      }
    }
  });
  it('is none where each key stands once', () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'user', content: 'a:b "c": {' },
        { role: 'user', content: [{ type: 'text', text: '{"a":1,"a":2}' }] },
      ],
    };
    expect(refusalOf(() => read(JSON.stringify(body, null, 2)))).to.equal(undefined);
    expect(refusalOf(() => read('{"a":[],"b":{},"c":[[{"__proto__":{"x":1}}]],"d":null}'))).to.equal(undefined);
  });
});
