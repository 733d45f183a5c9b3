import { noUsage } from '@tollgate/contracts';
import {
  type ChatDialect,
  type ChatRequest,
  type JsonObject,
  type Outgoing,
  openStreamReading,
  outgoing,
  providerOf,
  readWhole,
  SseReader,
  type Target,
  toOpenAiUsage,
  UpstreamError,
} from '../src/index.ts';

type Mode = 'chat' | 'completions' | 'embeddings';

const stamp = { id: 'chatcmpl-test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

export function targetOf(type: number, model: string): Target {
  // A custom channel's base URL is the whole URL.
  return { baseUrl: type === 8 ? 'https://up.example.com/v1/chat/completions' : 'https://up.example.com', key: 'test-key', model };
}

export function dialectOf(type: number, mode: Mode): ChatDialect {
  const dialect = providerOf(type)?.[mode];
  if (dialect === undefined) throw new Error(`type ${type} has no ${mode}`);
  return dialect as unknown as ChatDialect;
}

/** What the provider gets for the request of a caller who speaks OpenAI's dialect. */
export function askedOf(type: number, mode: Mode, bytes: Buffer, options: { includeUsage?: boolean; outputLimit?: number } = {}): Outgoing {
  const request = JSON.parse(bytes.toString()) as ChatRequest;
  return outgoing(dialectOf(type, mode), { speaks: 'openai', bytes, request, target: targetOf(type, request.model), ...options });
}

/** A whole answer in the hub's words, with the provider's own bill. */
export function playedBack(type: number, mode: Mode, bytes: Buffer) {
  const { answer, usage } = readWhole(dialectOf(type, mode), bytes, { stamp, speaks: 'openai' });
  const counted = usage?.trusted ? usage.usage : noUsage;
  return { json: answer, counted: { ...counted } as JsonObject, shownUsage: toOpenAiUsage(counted) };
}

/** The chunks of a stream in the hub's words, and the error that it ended in. */
export function streamed(type: number, mode: Mode, bytes: Buffer, choices = 1): { chunks: JsonObject[]; error: UpstreamError | undefined } {
  const reading = openStreamReading(dialectOf(type, mode), { stamp, choices });
  const chunks: JsonObject[] = [];
  try {
    for (const frame of new SseReader().push(bytes)) chunks.push(...structuredClone(reading.read(frame)));
  } catch (error) {
    if (error instanceof UpstreamError) return { chunks, error };
    throw error;
  }
  return { chunks, error: undefined };
}
