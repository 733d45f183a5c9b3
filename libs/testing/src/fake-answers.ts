import { wireBytes, wireSample } from './wire-samples.ts';

/**
 * How the fake provider answers a call. All of it is JSON, so that a provider in another process can be told too. Without
 * `case`, `json`, `text`, `bytes`, `raw` or `frames` an answer in the dialect of the called path is made up, streamed if the request says so.
 */
export interface FakeScript {
  /** A recorded exchange, such as `anthropic/chat-stream`. */
  case?: string;
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  /** With `contentType`, say an HTML page. */
  text?: string;
  contentType?: string;
  /** The body as base64, say a packed one. */
  bytes?: string;
  /** The whole answer as it stands on the line, status and headers included; the connection ends with it. */
  raw?: string;
  /** Event-stream frames as they are, without their blank lines. */
  frames?: string[];
  /** A made-up answer has this many content frames of one word and one token each; 5 by default. */
  words?: number;
  promptTokens?: number;
  completionTokens?: number;
  /** Hidden reasoning: so many tokens are thought before the words, but never more in all than the request's own limit allows. */
  reasoningTokens?: number;
  /** Stands in the place of the usage object, whatever it is; null leaves it out. */
  usage?: unknown;
  /** One content frame of this many bytes goes ahead of the words. */
  bigFrameBytes?: number;
  noDone?: boolean;
  /** Cuts the body into pieces of this size, each a write of its own. */
  chunkBytes?: number;
  /** Between two frames or pieces. */
  paceMs?: number;
  /** Before the headers. */
  delayMs?: number;
  /** Before the headers it falls silent, or cuts the line. */
  refuseBy?: 'hang' | 'destroy';
  /** After so many pieces (content frames included) it falls silent, cuts the line, ends cleanly though unfinished, or says an error. */
  breakAfter?: number;
  breakBy?: 'hang' | 'destroy' | 'end' | 'error';
}

export type FakeDialect = 'chat' | 'completions' | 'embeddings' | 'models' | 'anthropic' | 'gemini' | 'gemini-embeddings';

/** What the request asked for, as far as an answer depends on it. */
export interface FakeQuestion {
  dialect: FakeDialect;
  model: string;
  isStream: boolean;
  wantsUsage: boolean;
  inputs: number;
  /** The output limit, in the field that a model of this dialect keeps to. */
  outputLimit: number;
}

export interface FakeAnswer {
  status: number;
  headers: Record<string, string>;
  /** The body in the pieces that are written one by one. */
  pieces: (Buffer | string)[];
  /** How many completion tokens each piece carries; missing for none. */
  tokens: number[];
  promptTokens: number;
  completionTokens: number;
}

const created = 1_741_000_000;

/** The whole answer to a question, by the script. */
export function fakeAnswer(script: FakeScript, question: FakeQuestion): FakeAnswer {
  const answer = plainAnswer(script, question);
  if (script.headers) Object.assign(answer.headers, script.headers);
  if (script.chunkBytes === undefined) return answer;
  const whole = Buffer.concat(answer.pieces.map((piece) => Buffer.from(piece)));
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += script.chunkBytes) pieces.push(whole.subarray(at, at + script.chunkBytes));
  return { ...answer, pieces, tokens: [] };
}

function plainAnswer(script: FakeScript, question: FakeQuestion): FakeAnswer {
  if (script.case !== undefined) {
    const { response } = wireSample(script.case);
    return fixed(wireBytes(response.bodyFile), response.contentType, script, { status: response.status, headers: response.headers });
  }
  if (script.json !== undefined) return fixed(JSON.stringify(script.json), 'application/json', script);
  if (script.text !== undefined) return fixed(script.text, script.contentType ?? 'text/html', script);
  if (script.bytes !== undefined) return fixed(Buffer.from(script.bytes, 'base64'), script.contentType ?? 'application/json', script);
  if (script.frames !== undefined) {
    return { ...fixed('', 'text/event-stream', script), pieces: script.frames.map((frame) => `${frame}\n\n`) };
  }
  return madeUp(script, question);
}

function fixed(
  body: Buffer | string,
  contentType: string,
  script: FakeScript,
  sent: { status?: number; headers?: Record<string, string> } = {},
): FakeAnswer {
  return {
    status: script.status ?? sent.status ?? 200,
    headers: { 'content-type': contentType, ...sent.headers },
    pieces: [body],
    tokens: [],
    promptTokens: script.promptTokens ?? 0,
    completionTokens: script.completionTokens ?? 0,
  };
}

function madeUp(script: FakeScript, question: FakeQuestion): FakeAnswer {
  const reasoning = script.reasoningTokens === undefined ? 0 : Math.max(0, Math.min(script.reasoningTokens, question.outputLimit - 1));
  const wanted = question.dialect === 'embeddings' || question.dialect === 'gemini-embeddings' ? 0 : (script.words ?? 5);
  const words = script.reasoningTokens === undefined ? wanted : Math.min(wanted, question.outputLimit - reasoning);
  const counts = { prompt: script.promptTokens ?? 10, completion: script.completionTokens ?? words, reasoning };
  const texts = Array.from({ length: words }, (_, index) => ` w${index}`);
  if (script.bigFrameBytes) texts.unshift('x'.repeat(script.bigFrameBytes));
  const answer: FakeAnswer = {
    status: script.status ?? 200,
    headers: { 'content-type': question.isStream ? 'text/event-stream' : 'application/json' },
    pieces: [],
    tokens: [],
    promptTokens: counts.prompt,
    completionTokens: counts.completion + counts.reasoning,
  };
  const write = (value: unknown, event = '') => {
    if (!question.isStream) answer.pieces.push(JSON.stringify(value));
    else answer.pieces.push(`${event && `event: ${event}\n`}data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  };
  const word = (value: unknown, event = '') => {
    answer.tokens[answer.pieces.length] = 1;
    write(value, event);
  };
  dialects[question.dialect]({ script, question, texts, counts, write, word });
  return answer;
}

interface Writing {
  script: FakeScript;
  question: FakeQuestion;
  texts: string[];
  counts: { prompt: number; completion: number; reasoning: number };
  write(value: unknown, event?: string): void;
  word(value: unknown, event?: string): void;
}

function openAiUsage({ script, counts }: Writing): unknown {
  if (script.usage !== undefined) return script.usage;
  const completion = counts.completion + counts.reasoning;
  return {
    prompt_tokens: counts.prompt,
    completion_tokens: completion,
    total_tokens: counts.prompt + completion,
    ...(counts.reasoning > 0 && { completion_tokens_details: { reasoning_tokens: counts.reasoning } }),
  };
}

/** Chat and completions differ in the shape of a choice alone. */
function openAi(writing: Writing, kind: { id: string; object: string; choice(text: string, isStream: boolean): object }): void {
  const { script, question, texts, write, word } = writing;
  const head = { id: kind.id, object: kind.object, created, model: question.model };
  const usage = openAiUsage(writing);
  const choice = (text: string, finish: string | null) => ({ index: 0, ...kind.choice(text, question.isStream), finish_reason: finish });
  if (!question.isStream) {
    write({ ...head, choices: [choice(texts.join(''), 'stop')], ...(usage !== null && { usage }) });
    return;
  }
  for (const text of texts) word({ ...head, choices: [choice(text, null)] });
  write({ ...head, choices: [choice('', 'stop')] });
  if (usage !== null && (question.wantsUsage || script.usage !== undefined)) write({ ...head, choices: [], usage });
  if (!script.noDone) write('[DONE]');
}

const dialects: Record<FakeDialect, (writing: Writing) => void> = {
  chat: (writing) =>
    openAi(writing, {
      id: 'chatcmpl-fake',
      object: writing.question.isStream ? 'chat.completion.chunk' : 'chat.completion',
      choice: (content, isStream) => (isStream ? { delta: { role: 'assistant', content } } : { message: { role: 'assistant', content } }),
    }),
  completions: (writing) => openAi(writing, { id: 'cmpl-fake', object: 'text_completion', choice: (text) => ({ text, logprobs: null }) }),
  embeddings: ({ script, question, counts, write }) => {
    const data = Array.from({ length: question.inputs }, (_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2, 0.3] }));
    const usage = script.usage === undefined ? { prompt_tokens: counts.prompt, total_tokens: counts.prompt } : script.usage;
    write({ object: 'list', data, model: question.model, ...(usage !== null && { usage }) });
  },
  models: ({ write }) => write({ object: 'list', data: [{ id: 'fake-model', object: 'model', created, owned_by: 'fake' }] }),
  anthropic: ({ script, question, texts, counts, write, word }) => {
    const stated = { input_tokens: counts.prompt, output_tokens: counts.completion + counts.reasoning };
    const usage = script.usage === undefined ? stated : script.usage;
    const message = { id: 'msg_fake', type: 'message', role: 'assistant', model: question.model };
    if (!question.isStream) {
      write({ ...message, content: [{ type: 'text', text: texts.join('') }], stop_reason: 'end_turn', usage });
      return;
    }
    write(
      { type: 'message_start', message: { ...message, content: [], usage: { input_tokens: counts.prompt, output_tokens: 1 } } },
      'message_start',
    );
    write({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start');
    for (const text of texts) word({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, 'content_block_delta');
    write({ type: 'content_block_stop', index: 0 }, 'content_block_stop');
    write({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }, 'message_delta');
    if (!script.noDone) write({ type: 'message_stop' }, 'message_stop');
  },
  gemini: ({ script, question, texts, counts, write, word }) => {
    const usageMetadata =
      script.usage === undefined
        ? {
            promptTokenCount: counts.prompt,
            candidatesTokenCount: counts.completion,
            ...(counts.reasoning > 0 && { thoughtsTokenCount: counts.reasoning }),
            totalTokenCount: counts.prompt + counts.completion + counts.reasoning,
          }
        : script.usage;
    const part = (text: string, finishReason?: string) => ({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
      ...(finishReason && { usageMetadata }),
      modelVersion: question.model,
    });
    if (!question.isStream) {
      write(part(texts.join(''), 'STOP'));
      return;
    }
    for (const text of texts) word(part(text));
    write(part('', 'STOP'));
  },
  'gemini-embeddings': ({ question, write }) => {
    const values = [0.1, 0.2, 0.3];
    write(question.inputs === 1 ? { embedding: { values } } : { embeddings: Array.from({ length: question.inputs }, () => ({ values })) });
  },
};
