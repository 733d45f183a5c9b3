import { noUsage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';
import { providerOf, readWhole } from '@tollgate/providers';
import { expect } from 'chai';
import { dialectOf } from './four-corners.ts';
import { type CallerName, routes } from './next-turn.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'm' };
const sse = (events: readonly (JsonObject & { type?: string })[]) =>
  events.map((event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('');

/** What a caller gets who asked for the whole and whose channel, of the same dialect, streams all the same. */
function wholeOf(caller: CallerName, type: number, body: string): JsonObject {
  const dialect = caller === 'responses' ? providerOf(type)?.responses : dialectOf(type, 'chat', 'm');
  if (dialect === undefined) throw new Error(`type ${type} has no responses`);
  const reading = readWhole(dialect, Buffer.from(body), { stamp, speaks: routes[caller].dialect.name, contentType: 'text/event-stream' });
  const usage = reading.usage?.trusted ? reading.usage.usage : noUsage;
  return JSON.parse(routes[caller].whole(reading, usage, {}).toString()) as JsonObject;
}

const block = (index: number, content_block: JsonObject, ...deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const citation = { type: 'web_search_result_location', url: 'https://a.example.com/', title: 'A', cited_text: 'x', encrypted_index: 'i' };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 's',
  content: [{ type: 'web_search_result', url: citation.url, encrypted_content: 'e' }],
};
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' };

describe('a whole answer that comes as a stream of the caller’s own dialect', () => {
  it('is the message that Anthropic would have sent, tools that ran there included', () => {
    const usage = { input_tokens: 20, cache_read_input_tokens: 3, output_tokens: 1 };
    const body = sse([
      { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } },
      { type: 'ping' },
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'H' },
        { type: 'thinking_delta', thinking: 'm' },
        { type: 'signature_delta', signature: 'c2ln' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'ZGF0YQ' }),
      ...block(
        2,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":' },
        { type: 'input_json_delta', partial_json: '"x"}' },
      ),
      ...block(3, found),
      ...block(
        4,
        { type: 'text', text: '' },
        { type: 'citations_delta', citation },
        { type: 'text_delta', text: 'Sun' },
        { type: 'text_delta', text: 'ny.' },
      ),
      ...block(5, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      {
        type: 'message_delta',
        delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
        usage: { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
      },
      { type: 'message_stop' },
    ]);
    expect(wholeOf('anthropic', 14, body)).to.deep.equal({
      ...head,
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ' },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
        found,
        { type: 'text', text: 'Sunny.', citations: [citation] },
        { type: 'tool_use', id: 't', name: 'f', input: {} },
      ],
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
      usage: { input_tokens: 20, cache_read_input_tokens: 3, output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
    });
  });

  it('is the response that the last event holds', () => {
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'm',
      status: 'completed',
      output: [
        { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Sunny.', annotations: [], logprobs: [] }],
        },
      ],
      usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29 },
    };
    const body = sse([
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'Sunny.' },
      { type: 'response.completed', response },
    ]);
    expect(wholeOf('responses', 1, body)).to.deep.equal(response);
  });

  it('is the answer that Gemini would have given, with all of its parts', () => {
    const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 };
    const ratings = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }];
    const event = (parts: object[], more: object = {}, beside: object = {}) => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
      modelVersion: 'gemini',
      responseId: 'r',
      ...beside,
    });
    const code = { executableCode: { language: 'PYTHON', code: '1' } };
    const body = sse([
      event([{ text: 'H', thought: true }]),
      event([{ text: 'm', thought: true }, code]),
      event([{ text: 'Sun' }]),
      event([{ text: 'ny.' }, { text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP', safetyRatings: ratings }, { usageMetadata }),
    ]);
    const parts = [{ text: 'Hm', thought: true }, code, { text: 'Sunny.' }, { text: '', thoughtSignature: 'c2ln' }];
    expect(wholeOf('gemini', 24, body)).to.deep.equal(event(parts, { finishReason: 'STOP', safetyRatings: ratings }, { usageMetadata }));
  });

  it('is told from the hub’s words where its events say none, or not why it ended', () => {
    const unended = { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 1 } } };
    const ofNoReason = sse([unended, ...block(0, { type: 'text', text: 'Hi' }), { type: 'message_stop' }]);
    expect(wholeOf('anthropic', 14, ofNoReason)).to.deep.include({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' });
    const body = sse([
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    ]);
    expect(wholeOf('anthropic', 14, body)).to.deep.include({
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    });
  });
});
