import { crc32 } from 'node:zlib';
import type { JsonObject } from '@tollgate/providers';

/** All that a stream can say at once: a thought, words, two calls, what signs them, and the bill. */
export const told = {
  thought: 'Two cities.',
  words: 'I look.',
  calls: [
    { id: 'call_a', name: 'weather', args: { city: 'Oslo' } },
    { id: 'call_b', name: 'time', args: { city: 'Lima' } },
  ],
  signature: 'c2lnbmVk',
  usage: { input: 21, output: 34 },
} as const;
const [first, second] = told.calls;
const json = (value: unknown) => JSON.stringify(value);

function sse(events: readonly (JsonObject | string)[], isNamed = false): Buffer {
  const text = events.map((event) => {
    const name = isNamed && typeof event === 'object' ? `event: ${String(event.type)}\n` : '';
    return `${name}data: ${typeof event === 'string' ? event : json(event)}\n\n`;
  });
  return Buffer.from(text.join(''));
}

/** In OpenAI's words: the pieces of the two calls come mixed. */
export function openaiStream(): Buffer {
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const call = (index: number, piece: JsonObject) => chunk({ tool_calls: [{ index, ...piece }] });
  const begun = told.calls.map(({ id, name }, at) => call(at, { id, type: 'function', function: { name, arguments: '' } }));
  const pieces = (part: (text: string) => string) =>
    told.calls.map(({ args }, at) => call(at, { function: { arguments: part(json(args)) } }));
  return sse([
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: told.thought }),
    chunk({ content: told.words }),
    ...begun,
    ...pieces((text) => text.slice(0, 4)),
    ...pieces((text) => text.slice(4)),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 21, completion_tokens: 34, total_tokens: 55 } },
    '[DONE]',
  ]);
}

function anthropicEvents(): JsonObject[] {
  const block = (index: number, content_block: JsonObject, deltas: JsonObject[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const call = (at: number, { id, name, args }: (typeof told.calls)[number]) =>
    block(at, { type: 'tool_use', id, name, input: {} }, [{ type: 'input_json_delta', partial_json: json(args) }]);
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 21, output_tokens: 1 },
  };
  return [
    { type: 'message_start', message },
    ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: told.thought },
      { type: 'signature_delta', signature: told.signature },
    ]),
    ...block(1, { type: 'text', text: '' }, [{ type: 'text_delta', text: told.words }]),
    ...call(2, first),
    ...call(3, second),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 34 } },
    { type: 'message_stop' },
  ];
}

export function anthropicStream(): Buffer {
  return sse(anthropicEvents(), true);
}

/** The same in the binary frames of Bedrock. */
export function bedrockStream(): Buffer {
  return Buffer.concat(anthropicEvents().map((event) => awsFrame(json({ bytes: Buffer.from(json(event)).toString('base64') }))));
}

/** Without headers: lengths and their checksum, the body, and the checksum of it all. */
function awsFrame(body: string): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(Buffer.byteLength(body) + 16, 0);
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8);
  const frame = Buffer.concat([head, Buffer.from(body), Buffer.alloc(4)]);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

/** Gemini signs calls. */
export function geminiStream(): Buffer {
  const answer = (parts: JsonObject[], finish?: string) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finish && { finishReason: finish }) }],
    usageMetadata: { promptTokenCount: 21, candidatesTokenCount: 29, thoughtsTokenCount: 5, totalTokenCount: 55 },
    modelVersion: 'm',
    responseId: 'r',
  });
  return sse([
    answer([{ text: told.thought, thought: true }]),
    answer([{ text: told.words }]),
    answer([{ functionCall: first, thoughtSignature: told.signature }, { functionCall: second }], 'STOP'),
  ]);
}

export function cohereStream(): Buffer {
  const message = (type: string, said: JsonObject, index?: number) => ({
    type,
    ...(index !== undefined && { index }),
    delta: { message: said },
  });
  const call = (at: number, { id, name, args }: (typeof told.calls)[number]) => [
    message('tool-call-start', { tool_calls: { id, type: 'function', function: { name, arguments: '' } } }, at),
    message('tool-call-delta', { tool_calls: { function: { arguments: json(args) } } }, at),
    { type: 'tool-call-end', index: at },
  ];
  return sse(
    [
      { ...message('message-start', { role: 'assistant' }), id: 'c' },
      message('tool-plan-delta', { tool_plan: told.thought }),
      ...call(0, first),
      ...call(1, second),
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 21, output_tokens: 34 } } } },
    ],
    true,
  );
}

export function tencentStream(): Buffer {
  const piece = (Delta: JsonObject, FinishReason = '') => ({
    Id: 't',
    Created: 1,
    Choices: [{ Index: 0, Delta: { Role: 'assistant', ...Delta }, FinishReason }],
    Usage: { PromptTokens: 21, CompletionTokens: 34, TotalTokens: 55 },
  });
  const call = (Index: number, { id, name, args }: (typeof told.calls)[number]) =>
    piece({ ToolCalls: [{ Id: id, Type: 'function', Index, Function: { Name: name, Arguments: json(args) } }] });
  return sse([piece({ Content: told.words }), call(0, first), call(1, second), piece({ Content: '' }, 'tool_calls'), '[DONE]']);
}

export function baiduStream(): Buffer {
  const usage = { prompt_tokens: 21, completion_tokens: 34, total_tokens: 55 };
  return sse([
    { id: 'b', created: 1, sentence_id: 0, is_end: false, result: told.words, usage },
    {
      id: 'b',
      created: 1,
      sentence_id: 1,
      is_end: true,
      result: '',
      finish_reason: 'function_call',
      usage,
      function_call: { name: first.name, arguments: json(first.args) },
    },
  ]);
}
