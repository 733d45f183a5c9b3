import { createServer, type ServerResponse } from 'node:http';

// Answers at once and costs little: JSON from one buffer, streams frame by frame from one timer for all of them.
const tickMs = Number(process.env.TICK_MS ?? 20);
/** Before an answer that is no stream. */
const delayMs = Number(process.env.DELAY_MS ?? 0);
const framesPerStream = Number(process.env.FRAMES ?? 64);
/** A stream gets a frame at every so-manieth tick, so that very many streams do not get theirs all at once. */
const ticksPerFrame = Number(process.env.TICKS_PER_FRAME ?? 1);

const words = 'The quick brown fox jumps over the lazy dog while the gateway counts every token. '.repeat(9);
const usage = { prompt_tokens: 57, completion_tokens: 190, total_tokens: 247 };
const openAiAnswer = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: words }, logprobs: null, finish_reason: 'stop' }],
    usage,
  }),
);
const anthropicAnswer = Buffer.from(
  JSON.stringify({
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'claude-3-5-haiku-20241022',
    content: [{ type: 'text', text: words }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 57, output_tokens: 190 },
  }),
);

const frame = (data: object, event?: string): Buffer => Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'gpt-4o-mini',
  system_fingerprint: 'fp_bench',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
});

interface Script {
  first: Buffer[];
  again: Buffer;
  last: Buffer[];
}
const openAiStream: Script = {
  first: [frame(chunk({ role: 'assistant', content: '' }))],
  again: frame(chunk({ content: ' gateway' })),
  last: [frame(chunk({}, 'stop')), frame({ ...chunk({}), choices: [], usage }), Buffer.from('data: [DONE]\n\n')],
};
const anthropicStream: Script = {
  first: [
    frame(
      {
        type: 'message_start',
        message: {
          id: 'msg_bench',
          type: 'message',
          role: 'assistant',
          model: 'claude-3-5-haiku-20241022',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 57, output_tokens: 1 },
        },
      },
      'message_start',
    ),
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start'),
  ],
  again: frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' gateway' } }, 'content_block_delta'),
  last: [
    frame({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
    frame(
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 190 } },
      'message_delta',
    ),
    frame({ type: 'message_stop' }, 'message_stop'),
  ],
};

const response = (status: string, output: object[] = []): object => ({
  ...{ id: 'resp_bench', object: 'response', created_at: 1_700_000_000, model: 'gpt-5.1-codex', status, error: null, output },
  usage: status === 'completed' ? { input_tokens: 57, output_tokens: 190, total_tokens: 247 } : null,
});
const part = { type: 'output_text', text: '', annotations: [] };
const message = (status: string, content: object[]): object => ({ id: 'msg_bench', type: 'message', role: 'assistant', status, content });
const inPart = { item_id: 'msg_bench', output_index: 0, content_index: 0 };
const event = (type: string, data: object): Buffer => frame({ type, ...data, sequence_number: 4 }, type);
const responsesStream: Script = {
  first: [
    event('response.created', { response: response('in_progress') }),
    event('response.in_progress', { response: response('in_progress') }),
    event('response.output_item.added', { output_index: 0, item: message('in_progress', []) }),
    event('response.content_part.added', { ...inPart, part }),
  ],
  again: event('response.output_text.delta', { ...inPart, delta: ' gateway', logprobs: [] }),
  last: [
    event('response.output_text.done', { ...inPart, text: words }),
    event('response.content_part.done', { ...inPart, part: { ...part, text: words } }),
    event('response.output_item.done', { output_index: 0, item: message('completed', [{ ...part, text: words }]) }),
    event('response.completed', { response: response('completed', [message('completed', [{ ...part, text: words }])]) }),
  ],
};
const scripts: Record<string, Script> = { '/v1/messages': anthropicStream, '/v1/responses': responsesStream };

const turns = Array.from({ length: ticksPerFrame }, () => new Map<ServerResponse, { script: Script; left: number }>());
let tick = 0;
let streams = 0;
setInterval(() => {
  tick += 1;
  const open = turns[tick % ticksPerFrame] ?? new Map();
  for (const [response, stream] of open) {
    if (stream.left > 0) {
      stream.left -= 1;
      response.write(stream.script.again);
    } else {
      for (const last of stream.script.last) response.write(last);
      response.end();
      open.delete(response);
    }
  }
}, tickMs);

const server = createServer((request, response) => {
  let isStream = false;
  request.on('data', (part: Buffer) => {
    isStream ||= part.includes('"stream":true');
  });
  request.on('end', () => {
    const anthropic = request.url === '/v1/messages';
    if (!isStream) {
      const body = anthropic ? anthropicAnswer : openAiAnswer;
      const answer = () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
      if (delayMs > 0) setTimeout(answer, delayMs);
      else answer();
      return;
    }
    const script = scripts[request.url ?? ''] ?? openAiStream;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const first of script.first) response.write(first);
    streams += 1;
    const open = turns[streams % ticksPerFrame] ?? new Map();
    open.set(response, { script, left: framesPerStream });
    response.on('close', () => open.delete(response));
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env.PORT), '127.0.0.1', 8192, () => process.stdout.write('ready\n'));
process.on('disconnect', () => process.exit(0));
