import type { FakeScript } from '@tollgate/testing';
import { counted, data, type Expected, forEver, free502, hundred, many, manyCalls, type OddAnswer, wholeStreams } from './odd-answers.ts';

// A channel of OpenAI's kind that has Responses itself, asked by a caller of Responses: what it says travels as it came.

type Json = Record<string, unknown>;

const rightBill = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const response = (more: Json) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  error: null,
  output: [message(hundred.join(''))],
  ...more,
});
const event = (type: string, more: Json) => `event: ${type}\n${data({ type, ...more })}`;
const begun = event('response.created', { response: response({ status: 'in_progress', output: [] }) });
const piece = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const pieces = hundred.map((delta) => event('response.output_text.delta', { ...piece, delta }));
const middle = [begun, ...pieces];
const ended = (type: 'completed' | 'incomplete' | 'failed', more: Json) =>
  event(`response.${type}`, { response: response({ status: type, ...more }) });
const completed = ended('completed', { usage: rightBill });
const failed = (code: string) => ended('failed', { error: { code, message: 'No' }, usage: null });
const toolCall = (said: string, at: number) => [
  event('response.output_item.added', {
    output_index: at,
    item: { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: 'f', arguments: '' },
  }),
  event('response.function_call_arguments.delta', { item_id: `fc_${at}`, output_index: at, delta: said }),
];

const own = {
  type: 1,
  channel: { setting: '{"responses":true}' },
  door: { path: '/v1/responses', body: { input: 'Hello there' } },
} as const;

function streamed(title: string, frames: string[], { script, ...expected }: Expected & { script?: FakeScript }): OddAnswer {
  return { title: `Responses stream: ${title}`, ...own, script: { frames, ...script }, request: { stream: true }, ...expected };
}

const whole = (title: string, script: FakeScript, expected: Expected): OddAnswer => ({
  title: `Responses whole: ${title}`,
  ...own,
  script,
  ...expected,
});

const heard: Expected = { status: 200, says: 'response.completed', billed: counted };
const broken: Expected = { status: 200, says: 'event: error', billed: counted };
const breaks = (frames: string[], breakBy: FakeScript['breakBy']): FakeScript => ({ breakAfter: frames.length, breakBy });

const bills: [title: string, usage: unknown, billed: [number, number?]][] = [
  ['a right bill', rightBill, [100, 100]],
  ['a bill with hidden reasoning', { input_tokens: 10, output_tokens: 900, output_tokens_details: { reasoning_tokens: 800 } }, [900, 900]],
  ['no bill', undefined, counted],
  ['a bill of null', null, counted],
  ['a bill of one token', { input_tokens: 10, output_tokens: 1 }, counted],
  ['a bill of zeros', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }, counted],
  ['a negative bill', { input_tokens: 10, output_tokens: -100 }, counted],
  ['a bill in words', { input_tokens: '10', output_tokens: '100' }, counted],
  ['a bill beyond all bounds', { input_tokens: 10, output_tokens: 1e15 }, counted],
];

const refusals: [code: string, expected: Expected][] = [
  ['server_error', { status: 500, isBlamed: true }],
  ['rate_limit_exceeded', { status: 429, isBlamed: true }],
  ['invalid_prompt', { status: 400 }],
];

export const oddResponses: OddAnswer[] = [
  ...bills.flatMap(([title, usage, billed]) => [
    streamed(title, [...middle, ended('completed', { usage })], { ...heard, billed }),
    whole(title, { json: response({ usage }) }, { status: 200, billed }),
  ]),
  streamed('the whole answer in its last event alone', [begun, completed], { ...heard, billed: [100, 100] }),
  streamed('the whole answer in its last event alone, without a bill', [begun, ended('completed', {})], heard),
  streamed(
    'refusals',
    [begun, ...hundred.map((delta) => event('response.refusal.delta', { ...piece, delta })), ended('completed', { output: [] })],
    heard,
  ),
  streamed(
    'thoughts',
    [begun, ...hundred.map((delta) => event('response.reasoning_text.delta', { delta })), ended('completed', { output: [] })],
    heard,
  ),
  streamed(
    'an end before it was done',
    [...middle, ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' }, usage: rightBill })],
    {
      status: 200,
      says: 'response.incomplete',
      billed: [100, 100],
    },
  ),
  streamed('a filter in its middle', [...middle, ended('incomplete', { incomplete_details: { reason: 'content_filter' } })], {
    status: 200,
    says: 'response.incomplete',
    billed: counted,
  }),
  streamed('an empty answer', [begun, ended('completed', { output: [], usage: { input_tokens: 10, output_tokens: 0 } })], {
    ...heard,
    billed: [0, 0],
  }),
  streamed(
    'unknown events between',
    [begun, event('response.later', { x: 1 }), 'data: hello', 'data: [1]', ...pieces, data(null), completed],
    {
      ...heard,
      billed: [100, 100],
    },
  ),
  streamed('[DONE] behind its end', [...middle, completed, 'data: [DONE]'], { ...heard, billed: [100, 100] }),
  streamed('words behind its end', [...middle, completed, ...pieces], { ...heard, billed: [100, 100] }),
  streamed('its end, and silence', [...middle, completed, ''], {
    ...heard,
    billed: [100, 100],
    script: breaks([...middle, completed], 'hang'),
  }),

  streamed('response.failed in its middle', [...middle, failed('server_error')], broken),
  streamed('an error in its middle', [...middle, event('error', { code: 'server_error', message: 'No', param: null })], broken),
  streamed(
    'an error of another shape in its middle',
    [...middle, event('error', { error: { type: 'server_error', message: 'No' } })],
    broken,
  ),
  streamed('an end in its middle', middle, broken),
  streamed('[DONE] in its middle', [...middle, 'data: [DONE]'], broken),
  streamed('half a frame at its end', [...middle, 'event: response.completed\ndata: {"type":"response.comp'], broken),
  streamed('a reset in its middle', [...middle, ''], { ...broken, script: breaks(middle, 'destroy') }),
  streamed('silence in its middle', [...middle, ''], { ...broken, script: breaks(middle, 'hang') }),
  streamed('comments that drip for ever in its middle', [...middle, ...Array.from({ length: forEver }, () => ': on')], {
    ...broken,
    script: { paceMs: 25 },
  }),
  streamed('the chunks of OpenAI’s chat in its middle', [...middle, ...wholeStreams.openai], broken),
  streamed('far more calls of tools at once than anything was held for', [begun, ...manyCalls.flatMap(toolCall)], {
    ...many,
    says: 'event: error',
  }),

  ...refusals.flatMap(([code, expected]) => [
    streamed(`response.failed at its beginning (${code})`, [begun, failed(code)], expected),
    streamed(`an error at its beginning (${code})`, [begun, event('error', { code, message: 'No' })], expected),
    whole(
      `a response that failed (${code})`,
      { json: response({ status: 'failed', output: [], error: { code, message: 'No' } }) },
      expected,
    ),
  ]),
  streamed('a beginning and an end', [begun], free502),
  streamed('unknown events alone', [event('response.later', { x: 1 })], free502),
  streamed('[DONE] alone', ['data: [DONE]'], free502),
  streamed('no byte', [], free502),
  streamed('the chunks of OpenAI’s chat', wholeStreams.openai, free502),
  streamed('the frames of Anthropic', wholeStreams.anthropic, free502),
  streamed('the frames of Gemini', wholeStreams.gemini, free502),
  streamed('an HTML page', [], { ...free502, script: { text: '<html>' } }),
  streamed('a whole answer', [], { ...heard, billed: [100, 100], script: { json: response({ usage: rightBill }) } }),
  whole('no output', { json: response({ output: undefined, usage: rightBill }) }, free502),
  whole('a chat’s answer', { json: { id: 'c', object: 'chat.completion', choices: [{ index: 0, message: { content: 'x' } }] } }, free502),
  whole('an error with status 200', { json: { error: { code: 'server_error', message: 'No' } } }, { status: 500, isBlamed: true }),
  whole('half of it', { text: JSON.stringify(response({})).slice(0, 200), contentType: 'application/json' }, free502),
  whole('an HTML page', { text: '<html>' }, free502),
];
