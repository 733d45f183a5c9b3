import { completionTokensOf, type Usage } from '@tollgate/contracts';
import { type JsonObject, patchJson, toOpenAiUsage, type WholeReading } from '@tollgate/providers';

/**
 * A whole answer as OpenAI writes it. The caller sees what he is charged: the provider's own words, and bytes, stand where
 * they say just that.
 */
export function wholeAnswer({ body, answer, usage }: WholeReading, charged: Usage): Buffer {
  const isStated = usage?.trusted === true && usage.usage === charged && Boolean(answer.usage);
  if (body !== undefined) return isStated ? body : patchJson(body, { set: { usage: usageFor(answer, charged) } });
  return Buffer.from(JSON.stringify(isStated ? answer : { ...answer, usage: usageFor(answer, charged) }));
}

/** Embeddings have no output to count, and OpenAI's embedding answers do not mention any. */
function usageFor(answer: JsonObject, usage: Usage): JsonObject {
  const stated = toOpenAiUsage(usage);
  if (answer.object !== 'list' || completionTokensOf(usage) > 0) return { ...stated };
  return { prompt_tokens: stated.prompt_tokens, total_tokens: stated.total_tokens };
}
