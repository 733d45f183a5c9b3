import { expect } from 'chai';
import { type ChatRequest, estimateChat, type JsonObject, RequestRefused, UpstreamError } from '../src/index.ts';
import { askedOf, playedBack, streamed } from './corners.ts';

const request: JsonObject = {
  model: 'm',
  messages: [
    { role: 'system', content: 'S' },
    {
      role: 'user',
      name: 'n',
      content: [
        { type: 'text', text: 't' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'low' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '{"t":1}' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } } },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  stop: ['x'],
  temperature: 1,
  top_p: 1,
  reasoning_effort: 'low',
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  stream: true,
  stream_options: { include_usage: true },
};

const chatAnswers: [type: number, answer: JsonObject][] = [
  [
    1,
    {
      id: 'a',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { content: 'c', tool_calls: [{ function: { name: 'f', arguments: '' } }] },
          delta: { content: 'c' },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 1 } },
    },
  ],
  [
    14,
    {
      type: 'message_delta',
      id: 'a',
      content: [
        { type: 'text', text: 't' },
        { type: 'tool_use', id: 'x', name: 'f', input: {} },
      ],
      delta: { stop_reason: 'end_turn' },
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 0 } },
    },
  ],
  [
    24,
    {
      candidates: [{ index: 0, content: { parts: [{ text: 't' }, { functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 1 }] },
    },
  ],
  [
    42,
    {
      choices: [
        {
          index: 0,
          message: { content: [{ type: 'thinking', thinking: [{ text: 't' }] }], tool_calls: [{ function: { name: 'f' } }] },
          delta: { content: [] },
        },
      ],
    },
  ],
  [20, { choices: [{ index: 0, message: { reasoning: 'r' }, delta: { reasoning: 'r' } }] }],
  [48, { choices: [{ index: 0, message: { content: 'c' } }], usage: { prompt_tokens: 1, total_tokens: 5 } }],
];

const garbage: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  [],
  [null],
  [[]],
  {},
  { length: 1e9 },
  { toString: 1, valueOf: null },
  { constructor: {} },
];

/** Every copy of `value` with one of its inner values replaced by one piece of garbage. */
function* spoiled(value: unknown): Generator<unknown> {
  yield* garbage;
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) for (const bad of spoiled(inner)) yield value.with(index, bad);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) for (const bad of spoiled(inner)) yield { ...value, [key]: bad };
  }
}

describe('hostile input', () => {
  for (const type of [1, 14, 24, 42]) {
    it(`in a caller's request to type ${type} is refused by name or sent on, and breaks nothing`, () => {
      let refused = 0;
      for (const bad of spoiled(request)) {
        const spoiledRequest = bad as ChatRequest;
        // The relay checks these before anything is sent.
        if (
          typeof spoiledRequest?.model !== 'string' ||
          !Array.isArray(spoiledRequest.messages) ||
          !spoiledRequest.messages.every(isMessage)
        )
          continue;
        try {
          expect(estimateChat(spoiledRequest).textInput).to.be.greaterThan(0);
          askedOf(type, 'chat', Buffer.from(JSON.stringify(bad)), { includeUsage: true });
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw Object.assign(error as Error, { input: JSON.stringify(bad) });
          refused += 1;
        }
      }
      if (type === 14 || type === 24) expect(refused).to.be.greaterThan(50);
    });
  }

  for (const [type, answer] of chatAnswers) {
    it(`in an answer of type ${type} is an UpstreamError or no news, whole and streamed`, () => {
      for (const bad of spoiled(answer)) {
        const text = JSON.stringify(bad);
        try {
          playedBack(type, 'chat', Buffer.from(text));
        } catch (error) {
          if (!(error instanceof UpstreamError)) throw Object.assign(error as Error, { input: text });
        }
        const bytes = Buffer.from(`data: ${text}\n\n`);
        streamed(type, 'chat', bytes); // throws what is no UpstreamError
      }
    });
  }
});

function isMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false;
  const { role, content, tool_calls } = message as JsonObject;
  const isContent = typeof content === 'string' || !content || (Array.isArray(content) && content.every(isObject));
  return typeof role === 'string' && isContent && (tool_calls === undefined || (Array.isArray(tool_calls) && tool_calls.every(isObject)));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
