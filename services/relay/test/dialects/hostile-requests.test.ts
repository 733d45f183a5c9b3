import { type JsonObject, outgoing, providerOf, RequestRefused } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { expect } from 'chai';
import type { Address, RelayRoute, SentRequest } from '../../src/context/route.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { batchEmbedRoute, embedRoute, generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { packed } from '../../src/dialects/opaque-state.ts';
import { responsesRoute } from '../../src/dialects/responses/responses.ts';
import { targetOf } from './four-corners.ts';

/** Requests that say all that we read of their kind. */
const requests: { title: string; route: RelayRoute; address: Address; body: JsonObject }[] = [
  {
    title: 'a Messages request',
    route: messagesRoute,
    address: {},
    body: {
      model: 'm',
      max_tokens: 5000,
      stream: true,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 't', cache_control: { type: 'ephemeral', ttl: '1h' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
            { type: 'document', title: 'd', context: 'c', source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' } },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] }, citations: { enabled: false } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'h', signature: 's' },
            { type: 'text', text: 'a' },
            { type: 'tool_use', id: 'i', name: 'f', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'i', is_error: true, content: [{ type: 'text', text: 'r' }] }] },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: { a: { type: 'string' } } }, strict: true }],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      metadata: { user_id: 'u' },
      stop_sequences: ['x'],
      cache_control: { type: 'ephemeral' },
      temperature: 1,
      top_p: 1,
      top_k: 1,
    },
  },
  {
    title: 'a Responses request',
    route: responsesRoute,
    address: {},
    body: {
      model: 'm',
      max_output_tokens: 500,
      stream: true,
      instructions: 'S',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 't' },
            { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'low' },
            { type: 'input_file', filename: 'd.pdf', file_data: 'data:application/pdf;base64,QUJD' },
            { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } },
          ],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'h' }],
          encrypted_content: packed({
            thinking: [{ type: 'thinking', thinking: 'h', signature: 's' }],
            calls: { i: { google: { thought_signature: 's' } } },
          }),
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
        { type: 'function_call', call_id: 'i', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'i', output: [{ type: 'input_text', text: 'r' }] },
      ],
      tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
      include: ['reasoning.encrypted_content'],
      temperature: 1,
      top_p: 1,
      user: 'u',
      metadata: { a: 'b' },
      service_tier: 'default',
      truncation: 'disabled',
      store: false,
    },
  },
  {
    title: 'a generateContent request',
    route: generateRoute,
    address: { model: 'gemini-2.5-flash', isStream: true },
    body: {
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [
        { role: 'user', parts: [{ text: 't' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] },
        {
          role: 'model',
          parts: [
            { text: 'h', thought: true, thoughtSignature: 's' },
            { functionCall: { id: 'i', name: 'f', args: { a: 1 } }, thoughtSignature: 's' },
          ],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'i', name: 'f', response: { r: 1 } } }] },
      ],
      generationConfig: {
        temperature: 1,
        topP: 1,
        topK: 1,
        maxOutputTokens: 500,
        candidateCount: 1,
        stopSequences: ['x'],
        seed: 1,
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', maxLength: '5' } } },
        thinkingConfig: { thinkingBudget: 1000, includeThoughts: true },
      },
      tools: [
        { functionDeclarations: [{ name: 'f', description: 'd', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      safetySettings: [{ category: 'c', threshold: 'OFF' }],
      serviceTier: 'standard',
    },
  },
  {
    title: 'an embedContent request',
    route: embedRoute,
    address: { model: 'm' },
    body: { content: { parts: [{ text: 't' }] }, outputDimensionality: 3 },
  },
  {
    title: 'a batchEmbedContents request',
    route: batchEmbedRoute,
    address: { model: 'm' },
    body: {
      requests: [
        { model: 'models/m', content: { parts: [{ text: 't' }] } },
        { model: 'models/m', content: { parts: [{ text: 'u' }] } },
      ],
    },
  },
];

const odd: unknown[] = [null, 5, -1.5, 'x', '', [], {}, true, [null], { toString: 5 }];
const types = [1, 14, 24, 34];

/** Every place of a value, as the steps that lead there. */
function placesIn(value: unknown, steps: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [steps];
  const inner = Array.isArray(value) ? value.map((item, at) => [at, item] as const) : Object.entries(value);
  return [steps, ...inner.flatMap(([step, item]) => placesIn(item, [...steps, step]))];
}

function changed(body: JsonObject, steps: readonly (string | number)[], value: unknown): JsonObject {
  const copy = structuredClone(body);
  const last = steps.at(-1) as string;
  let holder = copy;
  for (const step of steps.slice(0, -1)) holder = holder[step] as JsonObject;
  holder[last] = value;
  return copy;
}

/** Reads a request and says it to providers of every kind. */
function tell({ route, address }: (typeof requests)[number], body: JsonObject, outputLimit?: number): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const sent: SentRequest = { bytes, long: undefined, json: JSON.parse(bytes.toString()) as JsonObject, address };
  const request = route.read(sent);
  const weight = route.rules.weigh(request);
  for (const tokens of Object.values(weight)) expect(tokens).to.be.a('number').that.is.at.least(0);
  const { maxTokens, choices } = route.rules.output(request);
  expect(maxTokens ?? 1).to.satisfy((tokens: number) => Number.isInteger(tokens) && tokens >= 0);
  expect(choices).to.satisfy((count: number) => Number.isInteger(count) && count >= 1 && count <= 128);
  route.rules.eachText?.(request, (text) => expect(text).to.be.a('string'));
  for (const type of types) {
    const provider = providerOf(type);
    const dialect = provider && route.rules.dialectOf(provider);
    sent.unsupported?.insist();
    if (dialect === undefined || (sent.unsupported?.what !== undefined && dialect.speaks !== route.dialect.name)) continue;
    allowed(() => outgoing(dialect, { ...sent, speaks: route.dialect.name, request, target: targetOf(type, request.model), outputLimit }));
  }
}

/** What a caller may be told; anything else is a fault of ours. */
function allowed(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError || error instanceof RequestRefused) return;
    throw error;
  }
}

describe('hostile requests of other dialects', () => {
  for (const question of requests) {
    it(`${question.title} is taken, and each value of it may be anything`, () => {
      tell(question, question.body);
      for (const steps of placesIn(question.body).slice(1)) {
        for (const value of odd) {
          try {
            allowed(() => tell(question, changed(question.body, steps, value), 100));
          } catch (error) {
            throw new Error(`${steps.join('.')} = ${JSON.stringify(value)}: ${String((error as Error).stack)}`);
          }
        }
      }
    });
  }
});

/** One turn of the model's with as many calls as a body may hold, each answered in the user's. */
const many = Array.from({ length: 45_000 }, (_, at) => `c${at}`);
const go = { role: 'user', content: 'go' };
const wide: Partial<Record<string, JsonObject>> = {
  anthropic: {
    model: 'm',
    max_tokens: 9,
    messages: [
      go,
      { role: 'assistant', content: many.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
      { role: 'user', content: many.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
    ],
  },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: many.map(() => ({ functionCall: { name: 'f', args: {} } })) },
      { role: 'user', parts: many.map(() => ({ functionResponse: { name: 'f', response: {} } })) },
    ],
  },
  responses: {
    model: 'm',
    input: [
      go,
      ...many.map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
      ...many.map((id) => ({ type: 'function_call_output', call_id: id, output: 'x' })),
    ],
  },
};

describe('a turn of as many calls as a body may hold', () => {
  for (const question of requests.filter(({ route }) =>
    [messagesRoute, responsesRoute, generateRoute].includes(route as typeof messagesRoute),
  )) {
    const { name } = question.route.dialect;
    it(`is read of callers of ${name}, and told to providers of every kind, in a time that grows with them alone`, () => {
      const before = process.cpuUsage();
      tell(question, wide[name] as JsonObject);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000, 'ms of CPU time').to.be.below(8_000);
    });
  }
});
