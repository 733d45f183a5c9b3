import type { Usage } from '@tollgate/contracts';
import { completionTokensOf } from '@tollgate/contracts';
import { errorFrom, statedError } from './error-text.ts';
import { OutputMeter } from './estimate.ts';
import { type JsonMember, membersOf, patchJson } from './json-bytes.ts';
import { holdsFloats, withBase64 } from './openai/embedding-format.ts';
import { toOpenAiUsage } from './openai/usage.ts';
import type { ChatTranslation, Dialect, JsonObject, Stamp, UsageReading } from './provider.ts';
import { thinkingToWholeContent } from './thinking.ts';
import { UpstreamError } from './upstream-error.ts';
import { withinBound } from './usage-reading.ts';

export interface WholeOptions {
  stamp: Stamp;
  thinkingToContent?: boolean;
  usageBound?: number;
  /** The `encoding_format` that an embeddings request asks for. */
  encodingFormat?: string | null;
}

/** One whole answer, read. */
export interface WholeAnswer {
  /** The provider's own bill. */
  usage: UsageReading | undefined;
  /** Our count of the output; units: tokens. */
  counted(): { textOutput: number; reasoningOutput: number };
  /** What the caller gets; the provider's own bytes where nothing has to change. `usage` is what will be charged. */
  bytes(usage: Usage): Buffer;
}

const smallBody = 32 * 1024;

/**
 * Reads a provider's answer that came with status 200.
 * Throws: UpstreamError when it is an error all the same, or no answer at all (HTML, half a JSON).
 */
export function readAnswer<Request, Response>(
  dialect: Dialect<Request, Response> | ChatTranslation,
  body: Buffer,
  options: WholeOptions,
): WholeAnswer {
  // A pass-through body of megabytes (embeddings) is not parsed: its usage stands at the top.
  const asBase64 = options.encodingFormat === 'base64' && holdsFloats(body);
  const isParsed = dialect.speaks !== 'openai' || dialect.repair !== undefined || body.length <= smallBody || asBase64;
  const stated = isParsed ? parsed(body) : withoutData(body);
  const error = dialect.errorIn(stated) ?? errorInstead(stated, dialect.speaks);
  if (error !== undefined) throw error;
  const usage = withinBound(dialect.usageIn(stated), options.usageBound);
  if (dialect.speaks === 'openai') {
    let answer = dialect.repair?.(stated, { stamp: options.stamp, isChunk: false }) ?? stated;
    if (options.thinkingToContent) answer = thinkingToWholeContent(answer);
    if (asBase64) answer = withBase64(answer);
    const isUntouched = answer === stated;
    return {
      usage,
      counted: () => counted(answer),
      bytes: (charged) => {
        if (!isUntouched) return toBytes(answer, usage?.trusted === true && answer.usage ? undefined : charged);
        return usage?.trusted && stated.usage ? body : patchJson(body, { set: { usage: usageFor(stated, charged) } });
      },
    };
  }
  let answer = dialect.decodeResponse(stated, options.stamp) as JsonObject;
  if (options.thinkingToContent) answer = thinkingToWholeContent(answer);
  if (options.encodingFormat === 'base64') answer = withBase64(answer);
  return { usage, counted: () => counted(answer), bytes: (charged) => toBytes(answer, charged) };
}

function toBytes(answer: JsonObject, charged: Usage | undefined): Buffer {
  return Buffer.from(JSON.stringify(charged === undefined ? answer : { ...answer, usage: usageFor(answer, charged) }));
}

/** Embeddings have no output to count, and OpenAI's embedding answers do not mention any. */
function usageFor(answer: JsonObject, usage: Usage): JsonObject {
  const stated = toOpenAiUsage(usage);
  if (answer.object !== 'list' || completionTokensOf(usage) > 0) return stated as unknown as JsonObject;
  return { prompt_tokens: stated.prompt_tokens, total_tokens: stated.total_tokens };
}

function counted(answer: JsonObject): { textOutput: number; reasoningOutput: number } {
  const meter = new OutputMeter();
  for (const choice of Array.isArray(answer.choices) ? (answer.choices as JsonObject[]) : []) {
    meter.add((choice?.message ?? choice ?? {}) as JsonObject);
  }
  return meter.tokens;
}

/** JSON that is no answer: an error in a shape of its own, or something else altogether. */
function errorInstead(stated: JsonObject, speaks: string): UpstreamError | undefined {
  if (speaks !== 'openai' || 'choices' in stated || 'data' in stated) return undefined;
  const words = statedError(stated);
  return words.message === undefined ? unreadable() : errorFrom(words, { status: 200 });
}

function parsed(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadable();
  }
  if (typeof value !== 'object' || value === null) throw unreadable();
  return value as JsonObject;
}

function withoutData(body: Buffer): JsonObject {
  try {
    const read = (member: JsonMember): unknown =>
      member.key === 'data' ? [] : JSON.parse(body.toString('utf8', member.valueStart, member.valueEnd));
    return Object.fromEntries(membersOf(body).map((member) => [member.key, read(member)]));
  } catch {
    throw unreadable();
  }
}

function unreadable(): UpstreamError {
  return new UpstreamError({
    kind: 'unreadable',
    status: 502,
    message: 'The upstream provider sent an answer that cannot be read',
    code: 'upstream_bad_answer',
  });
}
