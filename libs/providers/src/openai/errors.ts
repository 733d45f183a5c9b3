import { errorFrom, statedError } from '../error-text.ts';
import type { JsonObject } from '../provider.ts';
import type { UpstreamError } from '../upstream-error.ts';

/** An error that came with status 200: at the top, or (OpenRouter) inside a choice. An empty `error` key is none. */
export function openAiErrorIn(answer: JsonObject): UpstreamError | undefined {
  const error = answer.error ?? errorOfChoice(answer.choices);
  if (!error) return undefined;
  const stated = statedError({ error });
  return stated.message === undefined && stated.type === undefined ? undefined : errorFrom(stated, { status: 200 });
}

function errorOfChoice(choices: unknown): unknown {
  if (!Array.isArray(choices)) return undefined;
  return choices.find((choice: JsonObject | null) => choice?.error)?.error;
}
