import { data, type Expected, free502, hundred, type OddAnswer, rightRaw, usual } from './odd-answers.ts';

type Json = Record<string, unknown>;

// Cohere

const event = (type: string, more: Json = {}) => `event: ${type}\n${data({ type, ...more })}`;
const begun = event('message-start', { id: 'm', delta: { message: { role: 'assistant', content: [] } } });
const pieces = hundred.map((text) => event('content-delta', { index: 0, delta: { message: { content: { text } } } }));
const ended = (finish_reason: string, more: Json = {}) => event('message-end', { delta: { finish_reason, ...more } });
const gaveUp = { error: 'internal failure' };

function cohere(title: string, frames: string[], expected: Expected): OddAnswer {
  return { title: `Cohere: ${title}`, type: 34, script: { frames }, request: { stream: true }, ...expected };
}

function cohereWhole(title: string, finish_reason: string, expected: Expected): OddAnswer {
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Half an' }] };
  return { title: `Cohere, whole: ${title}`, type: 34, script: { json: { id: 'm', message, finish_reason } }, ...expected };
}

const ofCohere: OddAnswer[] = [
  cohere('an answer that it gives up in the middle', [begun, ...pieces, ended('ERROR', gaveUp)], { ...usual, says: 'internal failure' }),
  cohere('an answer that it gives up before its first word', [begun, ended('ERROR', gaveUp)], { status: 500, isBlamed: true }),
  cohere('an answer that takes it too long', [begun, ...pieces, ended('TIMEOUT')], usual),
  cohereWhole('half an answer that it gave up', 'ERROR', { status: 500, isBlamed: true }),
  cohereWhole('half an answer that took it too long', 'TIMEOUT', { status: 504, isBlamed: true }),
];

// Cloudflare, which says its errors in an envelope of its own

const chunk = (delta: Json, finish_reason: string | null = null) => data({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const bill = { id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 } };
const failed = { success: false, errors: [{ code: 3043, message: 'Inference failed' }], result: {} };

const ofCloudflare: OddAnswer[] = [
  {
    title: 'Cloudflare: an error in the middle',
    type: 39,
    channel: { other: 'account' },
    script: { frames: [...hundred.map((content) => chunk({ content })), data(failed), 'data: [DONE]'] },
    request: { stream: true },
    ...usual,
    says: 'Inference failed (request id',
  },
];

// What another of a provider's APIs would answer, and choices that are none, whoever asks

const messages = { path: '/v1/messages', body: { max_tokens: 1000, messages: [{ role: 'user', content: 'Hello there' }] } };
const models = { object: 'list', data: [{ id: 'm', object: 'model' }] };
const noChoice = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [null], usage: { prompt_tokens: 10 } };

const ofNobody: OddAnswer[] = [
  ...[models, { results: [{ index: 0 }] }, { text: 'heard' }].flatMap((json) => [
    { title: `whole: ${JSON.stringify(json)}`, type: 1 as const, script: { json }, ...free502 },
    { title: `whole: ${JSON.stringify(json)}, to Anthropic’s caller`, type: 1 as const, script: { json }, door: messages, ...free502 },
    {
      title: `whole: ${JSON.stringify(json)}, to a stream’s caller`,
      type: 1 as const,
      script: { json },
      request: { stream: true },
      ...free502,
    },
  ]),
  { title: 'whole: a choice of null', type: 1, script: { json: noChoice }, ...free502 },
  { title: 'whole: a choice of null, to Anthropic’s caller', type: 1, script: { json: noChoice }, door: messages, ...free502 },
];

// Heads that nobody can read, and answers that were given up, for callers of other dialects

const responses = { path: '/v1/responses', body: { input: 'Hello there' } };
const noText = { toString: 1, valueOf: 1, toJSON: 1 };
const strangeHead = {
  id: noText,
  created: noText,
  model: noText,
  choices: [{ index: 0, message: { content: hundred.join('') } }],
  usage: bill.usage,
};
const cutGemini = (text: string) => ({
  candidates: [{ index: 0, content: { parts: text === '' ? [] : [{ text }] }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: text === '' ? 0 : 100 },
});

const ofOthers: OddAnswer[] = [
  ...[messages, responses].flatMap((door) => [
    { title: `whole: a head that is no text, to ${door.path}`, type: 1 as const, script: { json: strangeHead }, door, ...rightRaw },
    { title: `Gemini, given up, to ${door.path}`, type: 24 as const, script: { json: cutGemini('') }, door, ...free502 },
  ]),
  {
    title: 'whole: a message of null, to a stream’s caller',
    type: 1,
    script: { json: { ...strangeHead, choices: [{ index: 0, message: null, finish_reason: 'stop' }] } },
    request: { stream: true },
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
  },
  {
    title: 'Gemini, given up in its middle, to Anthropic’s caller',
    type: 24,
    script: { json: cutGemini(hundred.join('')) },
    door: messages,
    status: 200,
    says: '"stop_reason":"max_tokens"',
    billed: [100, 100],
  },
];

// Others who speak OpenAI's dialect in ways of their own

function compatible(title: string, type: 17 | 35, frames: string[]): OddAnswer {
  return {
    title,
    type,
    script: { frames: [...frames, chunk({}, 'stop'), data(bill), 'data: [DONE]'] },
    request: { stream: true },
    ...rightRaw,
  };
}

const words = hundred.map((content) => chunk({ content }));
const ofCompatible: OddAnswer[] = [
  compatible('DashScope: calls of null', 17, [...hundred.map((content) => chunk({ content, tool_calls: [null] }))]),
  compatible('MiniMax: a choice of null', 35, [...words, data({ object: 'chat.completion', choices: [null] })]),
];

export const oddOthers: OddAnswer[] = [...ofCohere, ...ofCloudflare, ...ofNobody, ...ofOthers, ...ofCompatible];
