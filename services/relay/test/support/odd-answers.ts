import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FakeScript } from '@tollgate/testing';

/** One odd answer of a provider, and what must come of it. */
export interface OddAnswer {
  title: string;
  /** The channel's type: 1 OpenAI, 14 Anthropic, 24 Gemini, 33 Bedrock, 17 DashScope, 34 Cohere, 35 MiniMax, 39 Cloudflare. */
  type: 1 | 14 | 17 | 24 | 33 | 34 | 35 | 39;
  /** What the channel has besides. */
  channel?: { key?: string; setting?: string; other?: string };
  script: FakeScript;
  /** How it is asked, where not by a plain chat question. */
  door?: { path: string; body: Record<string, unknown> };
  /** Besides what is asked anyway. */
  request?: Record<string, unknown>;
  /** What the caller gets. */
  status: number;
  /** Stands in the caller's answer. */
  says?: string;
  /** The output tokens of the bill, at least and at most; undefined: the call is free. */
  billed?: [least: number, most?: number];
  /** The channel's breaker and the report of failures have heard of it. */
  isBlamed?: true;
}

export type Expected = Omit<OddAnswer, 'title' | 'type' | 'script'>;

export const texts = (count: number) => Array.from({ length: count }, (_, at) => ` word${at}`);
export const hundred = texts(100);
/** Pieces that come one by one for longer than anybody is waited for here. */
export const forEver = 1_000;
/** A hundred words by our own count. */
export const counted: [number, number] = [100, 260];
export const free502 = { status: 502, isBlamed: true } as const;

// OpenAI

const head = { id: 'c', object: 'chat.completion.chunk', created: 1_741_000_000, model: 'm' };
export const data = (value: unknown) => `data: ${JSON.stringify(value)}`;
const chunk = (delta: object, more: object = {}, finish: string | null = null) =>
  data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const words = hundred.map((content) => chunk({ content }));
const stop = chunk({}, {}, 'stop');
const done = 'data: [DONE]';
const bill = (usage: unknown) => data({ ...head, choices: [], usage });
const choice = (index: number, delta: object, finish: string | null = null) =>
  data({ ...head, choices: [{ index, delta, finish_reason: finish }] });
const rightBill = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
const rightWhole = JSON.stringify(wholeChat({ content: hundred.join('') }, rightBill));
export const rightRaw: Expected = { status: 200, says: ' word99', billed: [100, 100] };
const textChunk = (text: string, reason: string | null = null) =>
  data({ ...head, object: 'text_completion', choices: [{ index: 0, text, finish_reason: reason }] });
const likely = (token: string, delta: object) =>
  data({ ...head, choices: [{ index: 0, delta, logprobs: { content: [{ token }] }, finish_reason: null }] });
const calling = [
  likely('a', {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'f', arguments: '' } }],
  }),
  likely('b', {
    tool_calls: [
      { index: 0, function: { arguments: '{"a":' } },
      { index: 1, id: 'call_b', function: { name: 'g', arguments: '{}' } },
    ],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
];
const comments = Array.from({ length: 700 }, () => `: ${'x'.repeat(100)}`);

function streamed(title: string, frames: string[], expected: Expected & { script?: FakeScript }): OddAnswer {
  const { script, request, ...rest } = expected;
  return { title: `stream: ${title}`, type: 1, script: { frames, ...script }, request: { stream: true, ...request }, ...rest };
}

const billsOfStreams: [title: string, usage: unknown, billed: [number, number?]][] = [
  ['a right bill', rightBill, [100, 100]],
  ['a bill a little below our count', { prompt_tokens: 10, completion_tokens: 70 }, [70, 70]],
  [
    'a bill with hidden reasoning',
    { prompt_tokens: 10, completion_tokens: 900, completion_tokens_details: { reasoning_tokens: 800 } },
    [900, 900],
  ],
  ['a bill of the prompt alone', { prompt_tokens: 10 }, counted],
  ['a bill of one token', { prompt_tokens: 10, completion_tokens: 1 }, counted],
  ['a bill of no output', { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }, counted],
  ['a bill of zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, counted],
  ['an empty bill', {}, counted],
  ['a negative bill', { prompt_tokens: -10, completion_tokens: -100 }, counted],
  ['a bill of half tokens', { prompt_tokens: 10.5, completion_tokens: 99.5 }, counted],
  ['a bill in words', { prompt_tokens: '10', completion_tokens: '100' }, counted],
  ['a bill beyond all bounds', { prompt_tokens: 10, completion_tokens: 1e15 }, counted],
  ['a bill that is a list', [10, 100], counted],
  ['a total that says more than its parts', { prompt_tokens: 10, completion_tokens: 1, total_tokens: 110 }, [100, 100]],
  ['a total beside the prompt alone', { prompt_tokens: 10, total_tokens: 110 }, [100, 100]],
  ['a bill of the output alone', { completion_tokens: 100 }, [100, 100]],
];

const openAiStreams: OddAnswer[] = [
  ...billsOfStreams.map(([title, usage, billed]) =>
    streamed(title, [...words, stop, bill(usage), done], { status: 200, says: '[DONE]', billed }),
  ),
  streamed('no bill', [...words, stop, done], { status: 200, billed: counted }),
  streamed('a bill before the answer', [bill({ prompt_tokens: 10, completion_tokens: 1 }), ...words, stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed(
    'a bill in the middle of the answer',
    [...words.slice(0, 50), bill({ prompt_tokens: 10, completion_tokens: 50 }), ...words.slice(50), stop, done],
    {
      status: 200,
      billed: counted,
    },
  ),
  streamed(
    'a bill that grows in every chunk',
    [...hundred.map((content, at) => chunk({ content }, { usage: { prompt_tokens: 10, completion_tokens: at + 1 } })), stop, done],
    {
      status: 200,
      billed: [100, 100],
    },
  ),
  streamed(
    'a bill of null in every chunk',
    [...hundred.map((content) => chunk({ content }, { usage: null })), stop, bill(rightBill), done],
    {
      status: 200,
      billed: [100, 100],
    },
  ),
  streamed(
    'an honest bill of an answer that repeats itself',
    [chunk({ content: '-'.repeat(10_000) }), stop, bill({ prompt_tokens: 10, completion_tokens: 160 }), done],
    {
      status: 200,
      billed: [160, 160],
    },
  ),
  streamed('a picture in the text', [chunk({ content: `![image](data:image/png;base64,${'iVBORw0KGgo'.repeat(50_000)})` }), stop, done], {
    status: 200,
    billed: [1000, 2000],
  }),
  streamed('content in parts', [chunk({ content: [{ type: 'text', text: hundred.join('') }] }), stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed('a refusal', [chunk({ content: '', refusal: hundred.join('') }), stop, done], { status: 200, billed: counted }),
  streamed('reasoning beside an empty content', [chunk({ content: '', reasoning: hundred.join('') }), stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed('reasoning beside empty reasoning_content', [chunk({ reasoning_content: '', reasoning: hundred.join('') }), stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed('reasoning_content', [chunk({ content: null, reasoning_content: hundred.join('') }), stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed(
    'arguments of a tool',
    [chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: hundred.join('') } }] }), stop, done],
    {
      status: 200,
      billed: counted,
    },
  ),
  streamed('arguments of a function', [chunk({ function_call: { name: 'f', arguments: hundred.join('') } }), stop, done], {
    status: 200,
    billed: counted,
  }),
  streamed(
    'far more calls of tools at once than anything was held for',
    Array.from({ length: 200 }, (_, index) =>
      chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: texts(300).join('') } }] }),
    ),
    { status: 200, says: '"error"', billed: [60_000, 180_000] },
  ),
  streamed('speech', [chunk({ audio: { transcript: hundred.join('') } }), stop, done], { status: 200, billed: counted }),
  streamed('[DONE] alone', [done], free502),
  streamed('comments and [DONE]', [': hi', done], free502),
  streamed('comments and an end', [': hi'], free502),
  streamed('no byte', [], free502),
  streamed('70 kB of comments and a reset', [...comments, ''], { ...free502, script: { breakAfter: 700, breakBy: 'destroy' } }),
  streamed('70 kB of comments before the answer', [...comments, ...words, stop, bill(rightBill), done], {
    status: 200,
    says: ' word99',
    billed: [100, 100],
  }),
  streamed('an opening and an end', [chunk({ role: 'assistant', content: '' })], free502),
  streamed('an opening and [DONE]', [chunk({ role: 'assistant', content: '' }), done], free502),
  streamed('empty lists that say nothing', [chunk({ content: [], tool_calls: [], refusal: null }), done], free502),
  streamed('a bill and nothing else', [bill(rightBill), done], free502),
  streamed('an empty answer with its finish', [stop, bill({ prompt_tokens: 10, completion_tokens: 0 }), done], {
    status: 200,
    says: '[DONE]',
    billed: [0, 0],
  }),
  streamed('no [DONE] before the end', [...words, stop], { status: 200, says: '[DONE]', billed: counted }),
  streamed('no [DONE], and silence', [...words, stop, bill(rightBill), ''], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
    script: { breakAfter: 102, breakBy: 'hang' },
  }),
  streamed('no [DONE], and comments for ever', [...words, stop, ...Array.from({ length: 100 }, () => ': on')], {
    status: 200,
    says: '[DONE]',
    billed: counted,
    script: { paceMs: 25 },
  }),
  streamed('a reset in its middle', [...words, ''], {
    status: 200,
    says: '"error"',
    billed: counted,
    script: { breakAfter: 100, breakBy: 'destroy' },
  }),
  streamed('an end in its middle', words, { status: 200, says: '"error"', billed: counted }),
  streamed('an error in its middle', [...words, data({ error: { message: 'no', type: 'server_error' } })], {
    status: 200,
    says: '"error"',
    billed: counted,
  }),
  streamed('half a frame at its end', [...words, 'data: {"choices":[{"ind'], { status: 200, says: '"error"', billed: counted }),
  streamed('an error of its own at its beginning', [data({ error: { message: 'no', type: 'server_error' } })], {
    status: 500,
    isBlamed: true,
  }),
  streamed('an error of the caller at its beginning', [data({ error: { message: 'no', type: 'invalid_request_error' } })], { status: 400 }),
  streamed('a filter at its beginning', [data({ error: { message: 'no', code: 'content_filter' } })], { status: 400 }),
  streamed('a rate limit at its beginning', [data({ error: { message: 'no', type: 'rate_limit_error' } })], {
    status: 429,
    isBlamed: true,
  }),
  streamed(
    'comments that drip for ever',
    Array.from({ length: forEver }, () => ': on'),
    { status: 504, isBlamed: true, script: { paceMs: 25 } },
  ),
  streamed('an answer, then comments that drip for ever', [...words, ...Array.from({ length: forEver }, () => ': on')], {
    status: 200,
    says: '"error"',
    billed: counted,
    script: { paceMs: 25 },
  }),
  streamed(
    'two ends of one choice of two, and a reset',
    [choice(0, { content: hundred.join('') }), choice(0, {}, 'stop'), choice(0, {}, 'stop'), choice(1, { content: 'half' }), ''],
    {
      status: 200,
      says: '"error"',
      billed: counted,
      request: { n: 2 },
      script: { breakAfter: 4, breakBy: 'destroy' },
    },
  ),
  streamed(
    'both of two choices, and a reset',
    [choice(0, { content: hundred.join('') }), choice(0, {}, 'stop'), choice(1, { content: 'b' }, 'stop'), ''],
    {
      status: 200,
      says: '[DONE]',
      billed: counted,
      request: { n: 2 },
      script: { breakAfter: 3, breakBy: 'destroy' },
    },
  ),
  streamed('a byte order mark', [`\uFEFF${words[0]}`, ...words.slice(1), stop, done], { status: 200, billed: counted }),
  streamed('lines that end as on Windows', [`${[...words, stop, bill(rightBill), done].join('\r\n\r\n')}\r\n`], {
    status: 200,
    billed: [100, 100],
  }),
  streamed('lines that end with CR alone', [], { ...rightRaw, script: { raw: rawStream().replaceAll('\n\n', '\r\r') } }),
  streamed('lines that no blank one sets apart', [], { ...rightRaw, script: { raw: inLines([...words, stop, bill(rightBill), done]) } }),
  ...['', 'text/plain; charset=utf-8', 'application/json'].map((type) =>
    streamed(`a content type of ${type || 'its own: none'}`, [], { ...rightRaw, script: { raw: rawStream(type) } }),
  ),
  streamed('a whole answer without a content type', [], { ...rightRaw, script: { raw: raw('', rightWhole) } }),
  streamed('a page without a content type', [], { ...free502, script: { raw: raw('', '<html>data: no</html>') } }),
  streamed(
    'text, lists and numbers between its chunks',
    ['data: hello', 'data: [1]', 'data: 5', data(null), data({ choices: [null, 5] }), ...words, stop, bill(rightBill), done],
    {
      status: 200,
      billed: [100, 100],
    },
  ),
  streamed('finish reasons that are empty', [...hundred.map((content) => chunk({ content }, {}, '')), stop, bill(rightBill), done], {
    status: 200,
    billed: [100, 100],
  }),
  streamed('words after [DONE]', [chunk({ content: 'yes' }), stop, done, ...words], { status: 200, billed: [1, 5] }),
  streamed('a content type in capitals', [...words, stop, done], {
    status: 200,
    says: 'data: ',
    billed: counted,
    script: { headers: { 'content-type': 'TEXT/Event-Stream' } },
  }),
  streamed('gzip', [], { status: 200, says: ' word99', billed: [100, 100], script: packed(gzipSync, 'gzip') }),
  streamed('brotli', [], { status: 200, says: ' word99', billed: [100, 100], script: packed(brotliCompressSync, 'br') }),
  streamed('gzip that is none', [], { ...free502, script: packed((bytes) => bytes, 'gzip') }),
  streamed('a coding nobody knows', [], { ...free502, script: packed((bytes) => bytes, 'pack200') }),
  streamed('a whole answer', [], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
    script: { json: wholeChat({ content: hundred.join('') }, rightBill) },
  }),
  streamed('an HTML page', [], { ...free502, script: { text: '<html>' } }),
  streamed('an unasked 100 Continue', [], {
    status: 200,
    billed: [100, 100],
    script: { raw: `HTTP/1.1 100 Continue\r\n\r\n${rawStream()}` },
  }),
  streamed('early hints', [], {
    status: 200,
    billed: [100, 100],
    script: { raw: `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${rawStream()}` },
  }),
  streamed('an answer of HTTP 1.0', [], { status: 200, billed: [100, 100], script: { raw: rawStream().replace('HTTP/1.1', 'HTTP/1.0') } }),
];

function packed(pack: (bytes: Buffer) => Buffer, coding: string): FakeScript {
  const body = Buffer.from([...words, stop, bill(rightBill), done].map((frame) => `${frame}\n\n`).join(''));
  return {
    frames: undefined,
    bytes: pack(body).toString('base64'),
    contentType: 'text/event-stream',
    headers: { 'content-encoding': coding },
  };
}

function rawStream(contentType = 'text/event-stream'): string {
  return raw(contentType, [...words, stop, bill(rightBill), done].map((frame) => `${frame}\n\n`).join(''));
}

function inLines(frames: string[]): string {
  return raw('text/event-stream', `${frames.join('\n')}\n`);
}

function raw(contentType: string, body: string): string {
  const type = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
  return `HTTP/1.1 200 OK\r\n${type}Connection: close\r\n\r\n${body}`;
}

function wholeChat(message: object, usage?: unknown): object {
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage,
  };
}

function whole(title: string, script: FakeScript, expected: Expected): OddAnswer {
  return { title: `whole: ${title}`, type: 1, script, ...expected };
}

const statuses: [status: number, expected: Expected][] = [
  [201, free502],
  [204, free502],
  [206, free502],
  [301, free502],
  [304, free502],
  [400, { status: 400 }],
  [401, free502],
  [402, free502],
  [403, { status: 403 }],
  [404, { status: 404 }],
  [408, { status: 408, isBlamed: true }],
  [413, { status: 413 }],
  [422, { status: 422 }],
  [429, { status: 429, isBlamed: true }],
  [500, { status: 500, isBlamed: true }],
  [503, { status: 503, isBlamed: true }],
  [529, { status: 529, isBlamed: true }],
  [999, free502],
];

const openAiWholes: OddAnswer[] = [
  ...billsOfStreams.map(([title, usage, billed]) =>
    whole(title, { json: wholeChat({ content: hundred.join('') }, usage) }, { status: 200, says: ' word99', billed }),
  ),
  ...statuses.map(([status, expected]) => whole(`status ${status}`, { status, json: { error: { message: 'no' } } }, expected)),
  whole('no bill', { json: wholeChat({ content: hundred.join('') }) }, { status: 200, billed: counted }),
  whole('content in parts', { json: wholeChat({ content: [{ type: 'text', text: hundred.join('') }] }) }, { status: 200, billed: counted }),
  whole('a refusal', { json: wholeChat({ content: null, refusal: hundred.join('') }) }, { status: 200, billed: counted }),
  whole(
    'reasoning beside an empty content',
    { json: wholeChat({ content: '', reasoning: hundred.join('') }) },
    { status: 200, billed: counted },
  ),
  whole('no choices', { json: { ...head, choices: [], usage: rightBill } }, free502),
  whole('choices of null', { json: { ...head, choices: null, usage: rightBill } }, free502),
  whole('an empty object', { json: {} }, free502),
  whole('an HTML page', { text: '<html>' }, free502),
  whole('half a JSON', { text: rightWhole.slice(0, 300), contentType: 'application/json' }, free502),
  whole('no byte', { text: '' }, free502),
  whole('a stream', { frames: [...words, stop, done] }, { status: 200, says: ' word99', billed: counted }),
  whole('a stream with a right bill', { frames: [...words, stop, bill(rightBill), done] }, rightRaw),
  whole('a stream that is not said to be one', { raw: rawStream('') }, rightRaw),
  whole(
    'a stream that stays open',
    { frames: [...words, stop, done, ''], breakAfter: 102, breakBy: 'hang' },
    { status: 200, billed: counted },
  ),
  whole('a stream that breaks off', { frames: words }, free502),
  whole('a stream of one of two choices', { frames: [choice(0, { content: 'a' }, 'stop')] }, { ...free502, request: { n: 2 } }),
  whole('a stream of [DONE] alone', { frames: [done] }, free502),
  whole(
    'a stream that is an error',
    { frames: [...words, data({ error: { message: 'no', type: 'server_error' } })] },
    {
      status: 500,
      isBlamed: true,
    },
  ),
  whole(
    'a stream of calls and likelihoods',
    { frames: [...calling, stop, done] },
    {
      status: 200,
      says: JSON.stringify({
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            { type: 'function', id: 'call_a', function: { name: 'f', arguments: '{"a":1}' } },
            { type: 'function', id: 'call_b', function: { name: 'g', arguments: '{}' } },
          ],
          refusal: null,
        },
        logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
        finish_reason: 'tool_calls',
      }).slice(1),
      billed: [1, 30],
    },
  ),
  whole(
    'a stream of a text that goes on',
    { frames: [...hundred.map((text) => textChunk(text)), textChunk('', 'stop'), done] },
    {
      status: 200,
      says: ' word98 word99","logprobs":null,"finish_reason":"stop"',
      billed: counted,
      door: { path: '/v1/completions', body: { prompt: 'Hi' } },
    },
  ),
  whole('a byte order mark', { text: `\uFEFF${rightWhole}`, contentType: 'application/json' }, { status: 200, billed: [100, 100] }),
  whole(
    'gzip',
    { bytes: gzipSync(rightWhole).toString('base64'), headers: { 'content-encoding': 'GZIP' } },
    { status: 200, billed: [100, 100] },
  ),
  whole(
    'gzip that unpacks to more than an answer may be',
    { bytes: gzipSync(Buffer.alloc(8 << 20, ' ')).toString('base64'), headers: { 'content-encoding': 'gzip' } },
    free502,
  ),
  whole('more than an answer may be', { text: ' '.repeat(5 << 20), contentType: 'application/json' }, free502),
  whole(
    'fewer bytes than it says',
    { raw: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n${rightWhole}` },
    free502,
  ),
  whole('no answer but a closed line', { refuseBy: 'destroy' }, free502),
  whole('no HTTP', { raw: 'SSH-2.0-OpenSSH_9.6\r\n' }, free502),
  whole(
    'two unasked 100 Continue',
    { raw: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${rawWhole(rightWhole)}` },
    { status: 200, billed: [100, 100] },
  ),
  whole('an error of the caller with status 200', { json: { error: { message: 'no', type: 'invalid_request_error' } } }, { status: 400 }),
  whole('an empty account with status 200', { json: { error: { message: 'no', code: 'insufficient_quota' } } }, free502),
  whole('an error of its own with status 200', { json: { error: 'no' } }, { status: 500, isBlamed: true }),
  whole(
    'spaces that drip for ever',
    { text: ' '.repeat(forEver), contentType: 'application/json', chunkBytes: 1, paceMs: 25 },
    { status: 504, isBlamed: true },
  ),
];

function rawWhole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

// Anthropic

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
const start = (usage: unknown) => data({ type: 'message_start', message: { ...message, content: [], usage } });
export const opening = [
  start({ input_tokens: 10, output_tokens: 1 }),
  data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
];
export const deltas = hundred.map((text) => data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }));
export const ending = (usage: unknown) => data({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
export const messageStop = data({ type: 'message_stop' });
const anthropic = (title: string, frames: string[], expected: Expected & { script?: FakeScript }): OddAnswer => ({
  ...streamed(title, frames, expected),
  title: `Anthropic stream: ${title}`,
  type: 14,
});
const anthropicWhole = (title: string, json: object, expected: Expected): OddAnswer => ({
  ...whole(title, { json: { ...message, stop_reason: 'end_turn', ...json } }, expected),
  title: `Anthropic whole: ${title}`,
  type: 14,
});
const said = [{ type: 'text', text: hundred.join('') }];

const anthropics: OddAnswer[] = [
  anthropic('a right bill', [...opening, ...deltas, ending({ output_tokens: 100 }), messageStop], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
  }),
  anthropic('lines that no blank one sets apart', [], {
    ...rightRaw,
    script: { raw: inLines([...opening, ...deltas, ending({ output_tokens: 100 }), messageStop]) },
  }),
  anthropic('a message_delta without a bill', [...opening, ...deltas, ending(undefined), messageStop], { status: 200, billed: counted }),
  anthropic('a message_delta with an empty bill', [...opening, ...deltas, ending({}), messageStop], { status: 200, billed: counted }),
  anthropic('a message_delta that names inputs alone', [...opening, ...deltas, ending({ input_tokens: 12 }), messageStop], {
    status: 200,
    billed: counted,
  }),
  anthropic('a bill of 0', [...opening, ...deltas, ending({ output_tokens: 0 }), messageStop], { status: 200, billed: counted }),
  anthropic('no bill at all', [start(undefined), ...opening.slice(1), ...deltas, ending(undefined), messageStop], {
    status: 200,
    billed: counted,
  }),
  anthropic(
    'a bill in its end alone',
    [start(undefined), ...opening.slice(1), ...deltas, ending({ input_tokens: 10, output_tokens: 100 }), messageStop],
    { status: 200, billed: [100, 100] },
  ),
  anthropic('a negative bill', [...opening, ...deltas, ending({ output_tokens: -5 }), messageStop], { status: 200, billed: counted }),
  anthropic('no message_stop', [...opening, ...deltas, ending({ output_tokens: 100 })], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
  }),
  anthropic('no message_stop, and silence', [...opening, ...deltas, ending({ output_tokens: 100 }), ''], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
    script: { breakAfter: 103, breakBy: 'hang' },
  }),
  anthropic('a beginning and an end', [opening[0] as string, messageStop], free502),
  anthropic('message_stop alone', [messageStop], free502),
  anthropic('an empty answer with its reason', [...opening, ending({ output_tokens: 2 }), messageStop], { status: 200, billed: [0, 2] }),
  anthropic('overloaded at its beginning', [data({ type: 'error', error: { type: 'overloaded_error', message: 'no' } })], {
    status: 503,
    isBlamed: true,
  }),
  anthropic('an error of the caller', [data({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } })], { status: 400 }),
  anthropic(
    'overloaded in its middle',
    [...opening, ...deltas, data({ type: 'error', error: { type: 'overloaded_error', message: 'no' } })],
    {
      status: 200,
      says: '"error"',
      billed: counted,
    },
  ),
  anthropic('a reset in its middle', [...opening, ...deltas, ''], {
    status: 200,
    says: '"error"',
    billed: counted,
    script: { breakAfter: 102, breakBy: 'destroy' },
  }),
  anthropic('pings for ever', [opening[0] as string, ...Array.from({ length: forEver }, () => data({ type: 'ping' }))], {
    status: 504,
    isBlamed: true,
    script: { paceMs: 25 },
  }),
  anthropic('a known event of unknown shape', [data({ type: 'content_block_delta', index: 'x' })], free502),
  anthropic(
    'unknown events between',
    [opening[0] as string, data({ type: 'later' }), ...opening.slice(1), ...deltas, ending({ output_tokens: 100 }), messageStop],
    { status: 200, billed: [100, 100] },
  ),
  anthropic(
    'thinking alone',
    [
      opening[0] as string,
      ...hundred.map((thinking) => data({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } })),
      ending(undefined),
      messageStop,
    ],
    {
      status: 200,
      billed: counted,
    },
  ),
  anthropicWhole('a right bill', { content: said, usage: { input_tokens: 10, output_tokens: 100 } }, { status: 200, billed: [100, 100] }),
  {
    ...whole('a stream', { frames: [...opening, ...deltas, ending({ output_tokens: 100 }), messageStop] }, rightRaw),
    title: 'Anthropic whole: a stream',
    type: 14,
  },
  {
    ...whole('a broken stream', { frames: [...opening, ...deltas] }, free502),
    title: 'Anthropic whole: a stream that breaks off',
    type: 14,
  },
  anthropicWhole('no bill', { content: said }, { status: 200, billed: counted }),
  anthropicWhole('a bill of the prompt alone', { content: said, usage: { input_tokens: 10 } }, { status: 200, billed: counted }),
  anthropicWhole('a bill of one token', { content: said, usage: { input_tokens: 10, output_tokens: 1 } }, { status: 200, billed: counted }),
  anthropicWhole('an empty answer', { content: [], usage: { input_tokens: 10, output_tokens: 1 } }, { status: 200, billed: [0, 1] }),
  anthropicWhole('no content', { usage: { input_tokens: 10, output_tokens: 1 } }, free502),
  anthropicWhole(
    'an error with status 200',
    { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
    { status: 503, isBlamed: true },
  ),
];

// Gemini

const part = (text: string, more: object = {}, last: object = {}) =>
  data({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }], ...last });
const parts = hundred.map((text) => part(text));
const finish = (usageMetadata?: unknown) => part('', { finishReason: 'STOP' }, { usageMetadata });
const gemini = (title: string, frames: string[], expected: Expected & { script?: FakeScript }): OddAnswer => ({
  ...streamed(title, frames, expected),
  title: `Gemini stream: ${title}`,
  type: 24,
});
const geminiWhole = (title: string, json: unknown, expected: Expected): OddAnswer => ({
  ...whole(title, { json }, expected),
  title: `Gemini whole: ${title}`,
  type: 24,
});
const candidates = [{ content: { parts: [{ text: hundred.join('') }] }, finishReason: 'STOP' }];

const geminis: OddAnswer[] = [
  gemini('a right bill', [...parts, finish({ promptTokenCount: 10, candidatesTokenCount: 100 })], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
  }),
  gemini('a bill without candidates', [...parts, finish({ promptTokenCount: 10 })], { status: 200, billed: counted }),
  gemini('a bill of thoughts without candidates', [...parts, finish({ promptTokenCount: 10, thoughtsTokenCount: 500 })], {
    status: 200,
    billed: [600, 760],
  }),
  gemini('a total without candidates', [...parts, finish({ promptTokenCount: 10, totalTokenCount: 110 })], {
    status: 200,
    billed: [100, 100],
  }),
  gemini(
    'a bill before the answer',
    [part(' ', {}, { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1 } }), ...parts, finish()],
    { status: 200, billed: counted },
  ),
  gemini('no bill', [...parts, finish()], { status: 200, billed: counted }),
  gemini('a negative bill', [...parts, finish({ promptTokenCount: 10, candidatesTokenCount: -1 })], { status: 200, billed: counted }),
  gemini('no finish', parts, { status: 200, says: '"error"', billed: counted }),
  gemini('a finish, and silence', [...parts, finish({ promptTokenCount: 10, candidatesTokenCount: 100 }), ''], {
    status: 200,
    says: '[DONE]',
    billed: [100, 100],
    script: { breakAfter: 101, breakBy: 'hang' },
  }),
  gemini('a reset in its middle', [...parts, ''], {
    status: 200,
    says: '"error"',
    billed: counted,
    script: { breakAfter: 100, breakBy: 'destroy' },
  }),
  gemini(
    'one of two candidates, and a reset',
    [part(hundred.join('')), data({ candidates: [{ index: 1, content: { parts: [{ text: 'b' }] } }] }), finish(), ''],
    {
      status: 200,
      says: '"error"',
      billed: counted,
      script: { breakAfter: 3, breakBy: 'destroy' },
    },
  ),
  gemini('a blocked prompt', [data({ promptFeedback: { blockReason: 'SAFETY' } })], { status: 400 }),
  gemini(
    'a filter in its middle',
    [...parts, part('', { finishReason: 'SAFETY' }, { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 } })],
    {
      status: 200,
      says: 'content_filter',
      billed: [100, 100],
    },
  ),
  gemini(
    'a call that it could not write, and nothing else',
    [
      data({
        candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }],
        usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
      }),
    ],
    free502,
  ),
  gemini(
    'words before a call that it could not write',
    [
      ...parts,
      part('', { finishReason: 'MALFORMED_FUNCTION_CALL' }, { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 } }),
    ],
    { status: 200, says: '"finish_reason":"length"', billed: [100, 100] },
  ),
  gemini('nothing but a bill', [data({ usageMetadata: { promptTokenCount: 10 } })], free502),
  gemini('an error at its beginning', [data({ error: { code: 503, message: 'no', status: 'UNAVAILABLE' } })], {
    status: 503,
    isBlamed: true,
  }),
  gemini(
    'a picture',
    [
      data({
        candidates: [
          { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(50_000) } }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1290 },
      }),
    ],
    {
      status: 200,
      billed: [1290, 1290],
    },
  ),
  geminiWhole(
    'a right bill',
    { candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 } },
    { status: 200, billed: [100, 100] },
  ),
  geminiWhole('a bill without candidates', { candidates, usageMetadata: { promptTokenCount: 10 } }, { status: 200, billed: counted }),
  {
    ...geminiWhole('a stream', {}, rightRaw),
    script: { frames: [...parts, finish({ promptTokenCount: 10, candidatesTokenCount: 100 })] },
  },
  geminiWhole('no bill', { candidates }, { status: 200, billed: counted }),
  geminiWhole('no candidates', { usageMetadata: { promptTokenCount: 10 } }, free502),
  geminiWhole('a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, { status: 400 }),
  geminiWhole('a call that it could not write, and nothing else', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }, free502),
  geminiWhole(
    'words before a call that it could not write',
    {
      candidates: [{ ...candidates[0], finishReason: 'MALFORMED_FUNCTION_CALL' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 100 },
    },
    { status: 200, says: '"finish_reason":"length"', billed: [100, 100] },
  ),
  geminiWhole('an error in a list', [{ error: { code: 500, message: 'no' } }], { status: 500, isBlamed: true }),
];

// What may come of each of them alike

export const usual: Expected = { status: 200, says: '"error"', billed: counted };
export const goodEnd: Expected = { status: 200, says: '[DONE]', billed: counted };
export const manyCalls = Array.from({ length: 200 }, () => texts(300).join(''));
export const many: Expected = { status: 200, says: '"error"', billed: [60_000, 180_000] };
export const toolUse = (input: string, index: number) => [
  data({ type: 'content_block_start', index, content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'f', input: {} } }),
  data({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } }),
  data({ type: 'content_block_stop', index }),
];
const functionCall = (said: string) =>
  data({ candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'f', args: { said } } }] } }] });
const anthropicEnd = ending({ output_tokens: 100 });
const geminiEnd = finish({ promptTokenCount: 10, candidatesTokenCount: 100 });
export const wholeStreams = {
  openai: [...words, stop, done],
  anthropic: [...opening, ...deltas, anthropicEnd, messageStop],
  gemini: [...parts, geminiEnd],
};

const alike: OddAnswer[] = [
  streamed('the frames of Anthropic', wholeStreams.anthropic, free502),
  streamed('the frames of Gemini', wholeStreams.gemini, free502),
  streamed('the frames of Anthropic in its middle', [...words, ...wholeStreams.anthropic], usual),
  streamed('no reason at its end but [DONE]', [...words, done], goodEnd),
  anthropic('the frames of OpenAI', wholeStreams.openai, free502),
  anthropic('the frames of Gemini', wholeStreams.gemini, free502),
  anthropic('the frames of OpenAI in its middle', [...opening, ...deltas, ...wholeStreams.openai], usual),
  anthropic('half a frame at its end', [...opening, ...deltas, 'data: {"type":"content_block_del'], usual),
  anthropic('a bill in words', [...opening, ...deltas, ending({ output_tokens: '100' }), messageStop], goodEnd),
  anthropic('a bill beyond all bounds', [...opening, ...deltas, ending({ output_tokens: 1e15 }), messageStop], goodEnd),
  anthropic(
    'no reason at its end but message_stop',
    [...opening, ...deltas, data({ type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 100 } }), messageStop],
    { ...goodEnd, billed: [100, 100] },
  ),
  anthropic('far more calls of tools at once than anything was held for', [opening[0] as string, ...manyCalls.flatMap(toolUse)], many),
  gemini('the frames of OpenAI', wholeStreams.openai, free502),
  gemini('the frames of Anthropic', wholeStreams.anthropic, free502),
  gemini('the frames of OpenAI in its middle', [...parts, ...wholeStreams.openai], usual),
  gemini('half a frame at its end', [...parts, 'data: {"candidates":[{"conte'], usual),
  gemini('a bill in words', [...parts, finish({ promptTokenCount: '10', candidatesTokenCount: '100' })], goodEnd),
  gemini('a bill beyond all bounds', [...parts, finish({ promptTokenCount: 10, candidatesTokenCount: 1e15 })], goodEnd),
  gemini('an error in its middle', [...parts, data({ error: { code: 503, message: 'no', status: 'UNAVAILABLE' } })], usual),
  gemini('far more calls of tools at once than anything was held for', manyCalls.map(functionCall), many),
];

export const oddAnswers: OddAnswer[] = [...openAiStreams, ...openAiWholes, ...anthropics, ...geminis, ...alike];
