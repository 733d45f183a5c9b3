import { noUsage, type Usage } from '@tollgate/contracts';
import {
  type AnyDialect,
  type ChatRequest,
  type Delivered,
  type JsonObject,
  notBelow,
  type Outgoing,
  openStreamReading,
  outgoing,
  providerOf,
  readWhole,
  type StreamOptions,
  serverSentEvents,
  spokenBy,
  type Target,
  UpstreamError,
  type UsageReading,
} from '@tollgate/providers';
import { type WireSample, wireBytes } from '@tollgate/testing';
import { toClientError } from '../../src/context/errors.ts';
import type { RelayRoute } from '../../src/context/route.ts';
import { imagesRoute, rerankRoute, transcriptionRoute } from '../../src/dialects/openai/media-answers.ts';
import { chatRoute, completionsRoute, embeddingsRoute } from '../../src/dialects/openai/routes.ts';

export type Mode = 'chat' | 'completions' | 'embeddings' | 'images' | 'transcription' | 'rerank';

const stamp = { id: 'chatcmpl-test', createdSeconds: 1_741_000_000, model: 'stamped-model' };
/** What the relay would have estimated. */
const prompt = { ...noUsage, textInput: 5 };

/** What the relay charges: the provider's bill, never less than what was delivered, else our count. */
function charged(
  reading: UsageReading | undefined,
  delivered: Delivered,
  { isComplete = true, isLast = true }: { isComplete?: boolean; isLast?: boolean } = {},
): { usage: Usage; source: string } {
  if (reading?.trusted) {
    const usage = notBelow(delivered, reading.usage, { isLast: isComplete && isLast });
    return { usage, source: usage === reading.usage ? 'upstream' : 'estimated' };
  }
  const { textOutput, reasoningOutput } = delivered;
  return { usage: { ...prompt, textOutput, reasoningOutput }, source: isComplete && reading === undefined ? 'counted' : 'estimated' };
}

const serviceAccount = JSON.stringify({
  type: 'service_account',
  project_id: 'demo-project-1',
  private_key: '-----BEGIN PRIVATE KEY-----\\nnone\\n-----END PRIVATE KEY-----\\n',
  client_email: 'demo@demo-project-1.example.com',
});

/** What only some types want otherwise: keys in a form, a token for the key, a region. */
const needs = new Map<number, Partial<Target>>([
  [8, { baseUrl: 'https://up.example.com/v1/chat/completions' }], // a custom channel's base URL is the whole URL
  [15, { key: 'ak-demo|sk-demo', token: '24.demo-token' }],
  [16, { key: 'demoid0000.demosecret0000' }],
  [18, { key: 'abcd1234|demosecret0000|demoapikey0000', baseUrl: 'wss://spark-api.xf-yun.com' }],
  [23, { key: '1250000000|AKIDdemo0000|secretdemo0000' }],
  [26, { key: 'demoid0000.demosecret0000' }],
  [33, { key: 'AKIDEMO|demosecret|us-east-1' }],
  [41, { key: serviceAccount, token: 'ya29.demo-token-0001', other: 'us-central1' }],
]);

export function targetOf(type: number, model: string): Target {
  return { baseUrl: 'https://up.example.com', key: 'test-key', model, ...needs.get(type) };
}

/** The model that an exchange is about; '' where it does not say. */
export function modelOf({ client, request: { path } }: WireSample): string {
  if (client !== undefined) return (JSON.parse(wireBytes(client).toString()) as { model?: string }).model ?? '';
  return /\/models\/([^:/]+):/.exec(path)?.[1] ?? '';
}

const routes: Record<Mode, RelayRoute> = {
  chat: chatRoute,
  completions: completionsRoute,
  embeddings: embeddingsRoute,
  images: imagesRoute,
  transcription: transcriptionRoute,
  rerank: rerankRoute,
};

export function dialectOf(type: number, mode: Mode, model = ''): AnyDialect {
  const provider = providerOf(type);
  const dialect = provider && routes[mode].rules.dialectOf(spokenBy(provider, model));
  if (dialect === undefined) throw new Error(`type ${type} has no ${mode}`);
  return dialect;
}

/** A stream of a provider, read and written for a caller of OpenAI's dialect. */
export function openStream(
  type: number,
  mode: Mode,
  { wantsUsage, model, ...options }: Partial<StreamOptions> & { wantsUsage: boolean; model?: string },
) {
  const dialect = dialectOf(type, mode, model);
  const reading = openStreamReading(dialect, { stamp, ...options });
  const request = { model: 'm', stream_options: { include_usage: wantsUsage } };
  const words = routes[mode].writer(reading, { request, sent: {}, isSame: dialect.speaks === 'openai' });
  const push = (frame: Parameters<typeof reading.read>[0]) => words.frame(frame, reading.read(frame))?.toString();
  return { reader: (dialect.framing ?? serverSentEvents).open(), reading, words, push };
}

/** A whole answer of a provider, read for a caller of OpenAI's dialect. */
export function readAnswer(type: number, mode: Mode, bytes: Buffer, encodingFormat?: string, model?: string) {
  const whole = readWhole(dialectOf(type, mode, model), bytes, { stamp, speaks: 'openai', encodingFormat });
  return { ...whole, bytes: (usage: Usage) => routes[mode].whole(whole, usage, {}) };
}

/** The second corner: what the provider gets for a caller's request. */
export function askedOf(
  type: number,
  mode: Mode,
  bytes: Buffer,
  { other, ...options }: { includeUsage?: boolean; outputLimit?: number; other?: string } = {},
): Outgoing {
  const request = JSON.parse(bytes.toString()) as ChatRequest;
  const target = targetOf(type, request.model);
  return outgoing(dialectOf(type, mode, request.model), {
    speaks: 'openai',
    bytes,
    request,
    target: { ...target, other: other ?? target.other },
    ...options,
  });
}

/** The fourth corner of a whole answer. */
export function playedBack(type: number, mode: Mode, bytes: Buffer, model?: string) {
  const answer = readAnswer(type, mode, bytes, undefined, model);
  const { usage, source } = charged(answer.usage, answer.counted());
  const json = JSON.parse(answer.bytes(usage).toString()) as JsonObject;
  return { json, source, counted: usage as unknown as JsonObject, shownUsage: json.usage as JsonObject | undefined };
}

/** The fourth corner of a stream whose bytes arrive in pieces of `size`. */
export function streamed(
  type: number,
  mode: Mode,
  arrival: { bytes: Buffer; size: number; wantsUsage?: boolean; thinkingToContent?: boolean; model?: string },
) {
  const { bytes, size, wantsUsage = true, thinkingToContent, model } = arrival;
  const { reader, reading, words, push } = openStream(type, mode, { wantsUsage, thinkingToContent, model });
  let text = '';
  let error: UpstreamError | undefined;
  const settle = () => charged(reading.usage, reading.delivered, { isComplete: reading.isComplete, isLast: reading.isUsageLast });
  try {
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.push(bytes.subarray(at, at + size))) text += push(frame) ?? '';
    }
    for (const frame of reader.end()) text += push(frame) ?? '';
    text += reading.isComplete ? words.end(settle().usage) : errorEvent(new Error('broke off'));
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError)) throw thrown;
    error = thrown;
    text += errorEvent(error);
  }
  const { usage, source } = settle();
  const chunks = chunksOf(text);
  return {
    text,
    error,
    source,
    isComplete: reading.isComplete,
    hasContent: reading.hasContent,
    counted: usage as unknown as JsonObject,
    shownUsage: chunks.findLast((chunk) => chunk.usage)?.usage as JsonObject | undefined,
    message: assembled(chunks),
  };
}

function errorEvent(error: Error): string {
  return chatRoute.dialect.errorEvent(toClientError(error, { id: 'test', language: 'en' }));
}

export function chunksOf(text: string): JsonObject[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data:') && !line.includes('[DONE]'));
  return lines.flatMap((line) => {
    if (!/^data: ?\{/.test(line)) return [];
    const chunk = JSON.parse(line.slice(5)) as JsonObject;
    return Array.isArray(chunk.choices) ? [chunk] : [];
  });
}

/** What an OpenAI client makes of chunks. */
function assembled(chunks: JsonObject[]) {
  const told = {
    content: '',
    reasoning: '',
    finishReason: null as string | null,
    toolCalls: [] as { id: string; name: string; arguments: string }[],
  };
  for (const choice of chunks.flatMap((chunk) => chunk.choices as JsonObject[])) {
    if (typeof choice !== 'object' || choice === null) continue;
    const delta = (choice.delta ?? choice) as JsonObject;
    told.content += textOf(delta.content ?? delta.text);
    told.reasoning += textOf(delta.reasoning_content);
    told.finishReason = (choice.finish_reason as string | null | undefined) ?? told.finishReason;
    if (!Array.isArray(delta.tool_calls)) continue;
    for (const call of delta.tool_calls as { index: number; id?: string; function: { name?: string; arguments?: string } }[]) {
      if (typeof call?.index !== 'number' || !call.function) continue;
      told.toolCalls[call.index] ??= { id: '', name: '', arguments: '' };
      const known = told.toolCalls[call.index] as { id: string; name: string; arguments: string };
      known.id ||= call.id ?? '';
      known.name ||= call.function.name ?? '';
      known.arguments += call.function.arguments ?? '';
    }
  }
  return told;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole chat answer or completion in the same terms. */
export function wholeChat(answer: JsonObject) {
  const [choice] = answer.choices as JsonObject[];
  const message = (choice?.message ?? choice ?? {}) as JsonObject;
  const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return {
    content: (message.content ?? message.text ?? null) as string | null,
    reasoning: (message.reasoning_content ?? '') as string,
    finishReason: (choice?.finish_reason ?? null) as string | null,
    toolCalls: calls.map((call) => ({ id: call.id, ...call.function })),
  };
}
