import type { Usage } from '@tollgate/contracts';
import { completionTokensOf } from '@tollgate/contracts';
import { patchJson } from './json-bytes.ts';
import { toOpenAiUsage } from './openai/usage.ts';
import type { Delivered } from './output-meter.ts';
import type { ChatTranslation, Dialect, JsonObject, UsageReading } from './provider.ts';
import { readWhole, type WholeOptions, type WholeReading } from './whole-reading.ts';

/** One whole answer, read. */
export interface WholeAnswer {
  /** The provider's own bill. */
  usage: UsageReading | undefined;
  /** Our count of the output; units: tokens. */
  counted(): Delivered;
  /** What the caller gets; the provider's own bytes where nothing has to change. `usage` is what will be charged. */
  bytes(usage: Usage): Buffer;
}

/** Reads a provider's answer that came with status 200, for a caller who speaks OpenAI's dialect. Throws as `readWhole` does. */
export function readAnswer<Request, Response>(
  dialect: Dialect<Request, Response> | ChatTranslation,
  body: Buffer,
  options: WholeOptions,
): WholeAnswer {
  const reading = readWhole(dialect, body, options);
  const { usage, counted } = reading;
  return { usage, counted, bytes: (charged) => written(reading, charged) };
}

/** The caller sees what he is charged: the provider's own words stand where they say just that. */
function written({ body, answer, usage }: WholeReading, charged: Usage): Buffer {
  const isStated = usage?.trusted === true && usage.usage === charged && Boolean(answer.usage);
  if (body !== undefined) return isStated ? body : patchJson(body, { set: { usage: usageFor(answer, charged) } });
  return Buffer.from(JSON.stringify(isStated ? answer : { ...answer, usage: usageFor(answer, charged) }));
}

/** Embeddings have no output to count, and OpenAI's embedding answers do not mention any. */
function usageFor(answer: JsonObject, usage: Usage): JsonObject {
  const stated = toOpenAiUsage(usage);
  if (answer.object !== 'list' || completionTokensOf(usage) > 0) return stated as unknown as JsonObject;
  return { prompt_tokens: stated.prompt_tokens, total_tokens: stated.total_tokens };
}
