import type { FakeScript } from '@tollgate/testing';
import { awsFrame, awsFrames, eventFrame, exceptionFrame, prelude, words32 } from './aws-frames.ts';
import {
  counted,
  data,
  deltas,
  type Expected,
  ending,
  free502,
  goodEnd,
  many,
  manyCalls,
  messageStop,
  type OddAnswer,
  opening,
  toolUse,
  usual,
  wholeStreams,
} from './odd-answers.ts';

// Bedrock: the events of Anthropic's models in frames of Amazon's own.

const eventOf = (frame: string) => frame.slice('data: '.length);
const framed = (events: string[]) => events.map((event) => eventFrame(eventOf(event)));
const head = framed(opening);
const middle = [...head, ...framed(deltas)];
const finish = framed([ending({ output_tokens: 100 }), messageStop]);
const messages = {
  path: '/v1/messages',
  body: { max_tokens: 1000, messages: [{ role: 'user', content: 'Hello there' }] },
};

function bedrock(title: string, frames: Buffer[], { script, ...expected }: Expected & { script?: FakeScript }): OddAnswer {
  return {
    title: `Bedrock: ${title}`,
    type: 33,
    channel: { key: 'AKIDEMO|demosecret|us-east-1' },
    script: { bytes: Buffer.concat(frames).toString('base64'), contentType: awsFrames, ...script },
    request: { stream: true },
    ...expected,
  };
}

/** In the middle of its answer; heard by who speaks another dialect, and by who is told the events as they come. */
function broken(title: string, frames: Buffer[], script?: (bytesBefore: number) => FakeScript): OddAnswer[] {
  const told = { script: script?.(Buffer.concat(middle).length), billed: counted };
  return [
    bedrock(`${title}, to OpenAI’s caller`, [...middle, ...frames], { ...usual, ...told }),
    bedrock(`${title}, to Anthropic’s caller`, [...middle, ...frames], { status: 200, says: 'event: error', door: messages, ...told }),
  ];
}

/** The same frame with one byte of it turned round. */
function spoiled(frame: Buffer, at: number): Buffer {
  const copy = Buffer.from(frame);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

const oneWord = eventFrame(eventOf(deltas[0] ?? ''));
const withHeaders = (frameBytes: number, headerBytes: number) => Buffer.concat([prelude(frameBytes, headerBytes), oneWord]);
const plainJson = { ':event-type': 'chunk', ':message-type': 'event' };
const metrics = { inputTokenCount: 10, outputTokenCount: 100 };
const bare = data({ type: 'message_start', message: { role: 'assistant', content: [] } });
const counting = data({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': metrics });

const whole = [...middle, ...finish.slice(0, 1)];

/** Behind the last word of its answer, before `message_stop`; heard by the same two. */
function spoiledTail(title: string, tail: Buffer): OddAnswer[] {
  const told = { ...goodEnd, billed: [100, 100] as [number, number] };
  return [
    bedrock(`a whole answer, then ${title}, to OpenAI’s caller`, [...whole, tail], told),
    bedrock(`a whole answer, then ${title}, to Anthropic’s caller`, [...whole, tail], { ...told, says: 'message_stop', door: messages }),
    bedrock(`a whole answer, and later ${title}`, [...whole, tail], { ...told, script: { chunkBytes: Buffer.concat(whole).length } }),
  ];
}

/** So much of the bytes is sent, and then the line breaks. */
const after = (bytes: number, breakBy: FakeScript['breakBy']): FakeScript => ({ chunkBytes: bytes, breakAfter: 1, breakBy });

const exceptions: [type: string, expected: Expected][] = [
  ['throttlingException', { status: 429, isBlamed: true }],
  ['internalServerException', { status: 500, isBlamed: true }],
  ['serviceUnavailableException', { status: 503, isBlamed: true }],
  ['modelStreamErrorException', { status: 502, isBlamed: true }],
  ['modelTimeoutException', { status: 408, isBlamed: true }],
  ['validationException', { status: 400 }],
  ['anotherException', { status: 500, isBlamed: true }],
];

export const oddFrames: OddAnswer[] = [
  bedrock('a right bill', [...middle, ...finish], { ...goodEnd, billed: [100, 100] }),
  bedrock('Amazon’s bill alone', framed([bare, ...opening.slice(1), ...deltas, ending(undefined), counting]), {
    ...goodEnd,
    billed: [100, 100],
  }),
  bedrock('no bill', framed([bare, ...opening.slice(1), ...deltas, ending(undefined), messageStop]), goodEnd),
  bedrock('no message_stop', [...middle, ...finish.slice(0, 1)], { ...goodEnd, billed: [100, 100] }),
  bedrock('no message_stop, and silence', [...middle, ...finish], {
    ...goodEnd,
    billed: [100, 100],
    script: after(Buffer.concat([...middle, ...finish.slice(0, 1)]).length, 'hang'),
  }),
  bedrock(
    'events of other kinds between',
    [...middle, awsFrame(plainJson, 'no JSON'), awsFrame(plainJson, '{"bytes":7}'), awsFrame(plainJson, '{"bytes":"7"}'), ...finish],
    { ...goodEnd, billed: [100, 100] },
  ),

  ...broken('a wrong checksum', [spoiled(oneWord, oneWord.length - 1), ...finish]),
  ...broken('a byte that is another', [spoiled(oneWord, oneWord.length - 20), ...finish]),
  ...broken('a length that is another', [spoiled(oneWord, 2), ...finish]),
  ...broken('a length that is none', [Buffer.concat([prelude(3, 0), oneWord]), ...finish]),
  ...broken('a length of gigabytes', [withHeaders(0xff_ff_ff_ff, 0), ...finish]),
  ...broken('headers that are longer than all', [withHeaders(200, 0xff_ff_ff), ...finish]),
  ...broken('lengths without a right checksum', [words32(oneWord.length, 0, 0), ...finish]),
  ...broken('server-sent events', [Buffer.from(`${deltas.join('\n\n')}\n\n`), ...finish]),
  ...broken('an exception', [exceptionFrame('throttlingException', 'Slow down'), ...finish]),
  ...broken('an error that is no exception', [
    awsFrame({ ':message-type': 'error', ':error-code': 'internalServerException', ':error-message': 'It broke' }, ''),
    ...finish,
  ]),
  ...broken('an event of Anthropic’s that is an error', [
    eventFrame(JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } })),
  ]),
  ...broken('a known event of unknown shape', [eventFrame('{"type":"message_delta","delta":7}'), ...finish]),
  ...broken('an end', []),
  ...broken('half a frame and an end', [oneWord.subarray(0, 50)]),
  ...broken('half a frame and a reset', [oneWord], (bytes) => after(bytes + 50, 'destroy')),
  ...broken('half a frame and silence', [oneWord], (bytes) => after(bytes + 50, 'hang')),
  ...broken('silence', [oneWord], (bytes) => after(bytes, 'hang')),
  ...broken('a long frame that is never sent', [prelude(9 << 20, 0), oneWord], (bytes) => after(bytes + 12, 'hang')),

  ...spoiledTail('a wrong checksum', spoiled(oneWord, oneWord.length - 1)),
  ...spoiledTail('a length of gigabytes', withHeaders(0xff_ff_ff_ff, 0)),
  ...spoiledTail('an event of unknown shape', eventFrame('{"type":"content_block_delta","delta":7}')),
  bedrock('an exception behind the last word', [...whole, exceptionFrame('throttlingException', 'Slow down')], usual),

  bedrock('a wrong checksum at its beginning', [spoiled(head[0] ?? oneWord, 100), ...middle, ...finish], free502),
  bedrock('half a frame and no more', [oneWord.subarray(0, 50)], free502),
  bedrock('no byte', [], free502),
  bedrock('message_stop alone', framed([messageStop]), free502),
  bedrock('the chunks of OpenAI in its frames', framed(wholeStreams.openai.slice(0, -1)), free502),
  bedrock('the events of Gemini in its frames', framed(wholeStreams.gemini), free502),
  bedrock('server-sent events that are said to be frames', [Buffer.from(wholeStreams.anthropic.join('\n\n'))], free502),
  bedrock('frames that are said to be JSON', [...middle, ...finish], { ...free502, script: { contentType: 'application/json' } }),
  bedrock('an HTML page', [], { ...free502, script: { bytes: undefined, text: '<html>' } }),
  bedrock('far more calls of tools at once than anything was held for', framed([opening[0] ?? '', ...manyCalls.flatMap(toolUse)]), many),
  bedrock('a model that failed before it began', [], {
    ...free502,
    script: { bytes: undefined, status: 424, json: { message: 'No' }, headers: { 'x-amzn-errortype': 'ModelErrorException' } },
  }),
  ...exceptions.map(([type, expected]) => bedrock(`${type} at its beginning`, [exceptionFrame(type, 'No')], expected)),
];
