import { type AnyDialect, type JsonObject, providerOf } from '@tollgate/providers';
import { dialectOf } from './four-corners.ts';
import * as streams from './full-streams.ts';

const signed = { google: { thought_signature: 'c2ln' } };
const called = { index: 0, id: 'call_a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: signed };
const cited = { type: 'url_citation', url_citation: { url: 'https://a.example.com', title: 't', start_index: 0, end_index: 1 } };

/** All that somebody who speaks OpenAI's dialect may say in a message or a piece of one. */
const said: JsonObject = {
  role: 'assistant',
  content: 'c',
  refusal: 'r',
  reasoning_content: 'h',
  reasoning: 'h',
  annotations: [cited],
  thinking_blocks: [{ type: 'thinking', thinking: 'h', signature: 's' }],
  extra_content: signed,
  tool_calls: [called],
  images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }],
  function_call: { name: 'f', arguments: '{}' },
  audio: { id: 'a', data: 'QUJD', transcript: 't' },
  reasoning_details: [{ type: 'reasoning.text', text: 'h' }],
};
const inParts: JsonObject = {
  content: [
    { type: 'text', text: 't' },
    { type: 'thinking', thinking: [{ text: 'h' }] },
  ],
  tool_calls: [called],
};
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } };
const chat = (message: JsonObject) => ({
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage,
  service_tier: 'default',
  choices: [{ index: 0, message, logprobs: { content: [] }, finish_reason: 'stop' }],
});
const message = {
  type: 'message',
  id: 'msg_a',
  model: 'm',
  role: 'assistant',
  stop_reason: 'tool_use',
  stop_sequence: null,
  content: [
    { type: 'thinking', thinking: 'h', signature: 's' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'text', text: 't' },
    { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
  ],
  usage: { input_tokens: 1, output_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 0 } },
};
const content = {
  candidates: [
    {
      index: 0,
      content: {
        parts: [{ text: 'h', thought: true }, { text: 't', thoughtSignature: 's' }, { functionCall: { id: 'i', name: 'f', args: {} } }],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 1, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 1 }], cachedContentTokenCount: 1 },
  promptFeedback: { blockReason: 'OTHER' },
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'incomplete',
  incomplete_details: { reason: 'content_filter' },
  output: [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'h' }], encrypted_content: 'e' },
    { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 't', annotations: [] }] },
    { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'f', arguments: '{}' },
  ],
  usage: { input_tokens: 10, output_tokens: 0, total_tokens: 10 },
};

const nativeDialect = () => providerOf(1)?.responses as AnyDialect;
const of = (type: number, model?: string) => dialectOf(type, 'chat', model);

/** Whole answers that say all that their dialects know. */
export function richAnswers(): { title: string; dialect: AnyDialect; answer: JsonObject }[] {
  return [
    { title: 'OpenAI', dialect: of(1), answer: chat(said) },
    { title: 'OpenAI, in parts', dialect: of(1), answer: chat(inParts) },
    { title: 'Mistral', dialect: of(42), answer: chat(inParts) },
    { title: 'OpenRouter', dialect: of(20), answer: chat(said) },
    { title: 'Anthropic', dialect: of(14), answer: message },
    { title: 'Gemini', dialect: of(24), answer: content },
    { title: 'Responses', dialect: nativeDialect(), answer: response },
  ];
}

function openai(...deltas: JsonObject[]): Buffer {
  const head = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunks = deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
  return Buffer.from([...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
}

function responses(): Buffer {
  const piece = { output_index: 0, content_index: 0 };
  const [, , call] = response.output;
  const events: (JsonObject & { type: string })[] = [
    { type: 'response.created', response: { ...response, output: [] } },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', ...piece, delta: 'h' },
    { type: 'response.output_text.delta', item_id: 'msg_1', ...piece, delta: 't' },
    { type: 'response.output_item.added', output_index: 1, item: call },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{}' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.completed', response },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

/** The same as streams. */
export function richEvents(): { title: string; dialect: AnyDialect; bytes: Buffer }[] {
  return [
    { title: 'OpenAI', dialect: of(1), bytes: openai(said, inParts) },
    { title: 'OpenAI, two calls', dialect: of(1), bytes: streams.openaiStream() },
    { title: 'Mistral', dialect: of(42), bytes: openai(inParts) },
    { title: 'Anthropic', dialect: of(14), bytes: streams.anthropicStream() },
    { title: 'Bedrock', dialect: of(33, 'claude-sonnet-4-20250514'), bytes: streams.bedrockStream() },
    { title: 'Gemini', dialect: of(24), bytes: streams.geminiStream() },
    { title: 'Cohere', dialect: of(34), bytes: streams.cohereStream() },
    { title: 'Tencent', dialect: of(23), bytes: streams.tencentStream() },
    { title: 'Baidu', dialect: of(15), bytes: streams.baiduStream() },
    { title: 'Responses', dialect: nativeDialect(), bytes: responses() },
  ];
}
