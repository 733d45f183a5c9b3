import { noUsage, type Usage } from '@tollgate/contracts';
import {
  type ChatDialect,
  type ChatRequest,
  type Delivered,
  type Dialect,
  errorEvent,
  type JsonObject,
  notBelow,
  type Outgoing,
  openAnswerStream,
  outgoing,
  providerOf,
  readAnswer,
  SseReader,
  type Target,
  UpstreamError,
  type UsageReading,
} from '../src/index.ts';

export type Mode = 'chat' | 'completions' | 'embeddings';

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

export function targetOf(type: number, model: string): Target {
  // A custom channel's base URL is the whole URL.
  return { baseUrl: type === 8 ? 'https://up.example.com/v1/chat/completions' : 'https://up.example.com', key: 'test-key', model };
}

export function dialectOf(type: number, mode: Mode): Dialect<ChatRequest, unknown> | ChatDialect {
  const dialect = providerOf(type)?.[mode];
  if (dialect === undefined) throw new Error(`type ${type} has no ${mode}`);
  return dialect as unknown as ChatDialect;
}

/** The second corner: what the provider gets for a caller's request. */
export function askedOf(
  type: number,
  mode: Mode,
  bytes: Buffer,
  { other, ...options }: { includeUsage?: boolean; outputLimit?: number; other?: string } = {},
): Outgoing {
  const request = JSON.parse(bytes.toString()) as ChatRequest;
  return outgoing(dialectOf(type, mode), { bytes, request, target: { ...targetOf(type, request.model), other }, ...options });
}

/** The fourth corner of a whole answer. */
export function playedBack(type: number, mode: Mode, bytes: Buffer) {
  const answer = readAnswer(dialectOf(type, mode), bytes, { stamp });
  const { usage, source } = charged(answer.usage, answer.counted());
  const json = JSON.parse(answer.bytes(usage).toString()) as JsonObject;
  return { json, source, counted: usage as unknown as JsonObject, shownUsage: json.usage as JsonObject | undefined };
}

/** The fourth corner of a stream whose bytes arrive in pieces of `size`. */
export function streamed(
  type: number,
  mode: Mode,
  arrival: { bytes: Buffer; size: number; wantsUsage?: boolean; thinkingToContent?: boolean },
) {
  const { bytes, size, wantsUsage = true, thinkingToContent } = arrival;
  const reader = new SseReader();
  const stream = openAnswerStream(dialectOf(type, mode) as ChatDialect, { stamp, wantsUsage, thinkingToContent });
  let text = '';
  let error: UpstreamError | undefined;
  const settle = () => charged(stream.usage, stream.delivered, { isComplete: stream.isComplete, isLast: stream.isUsageLast });
  try {
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.push(bytes.subarray(at, at + size))) text += stream.push(frame) ?? '';
    }
    const last = reader.end();
    if (last !== undefined) text += stream.push(last) ?? '';
    text += stream.isComplete ? stream.end(settle().usage) : errorEvent({ message: 'broke off', type: 'upstream_error', code: null });
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
    isComplete: stream.isComplete,
    hasContent: stream.hasContent,
    counted: usage as unknown as JsonObject,
    shownUsage: chunks.findLast((chunk) => chunk.usage)?.usage as JsonObject | undefined,
    message: assembled(chunks),
  };
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
