import { OutputMeter } from './output-meter.ts';
import type { JsonObject } from './provider.ts';
import { UpstreamError } from './upstream-error.ts';

/** Whether a choice ends with `error`: OpenRouter's word for an answer that was given up, as which providers' own words for it are read. */
export function isGivenUp({ choices }: JsonObject): boolean {
  return Array.isArray(choices) && choices.some((choice: JsonObject | null) => choice?.finish_reason === 'error');
}

/** What there is of such an answer, told as what it is, cut short: no caller's dialect has a word for more. */
export function asCutShort(answer: JsonObject): JsonObject {
  const choices = answer.choices as (JsonObject | null)[];
  return {
    ...answer,
    choices: choices.map((choice) => (choice?.finish_reason === 'error' ? { ...choice, finish_reason: 'length' } : choice)),
  };
}

/** The same of a whole answer. Throws: UpstreamError when nothing was said. */
export function whatIsLeftOf(answer: JsonObject): JsonObject {
  const meter = new OutputMeter(() => 0);
  const choices = answer.choices as (JsonObject | null)[];
  if (choices.every((choice) => !meter.add((choice?.message ?? choice ?? {}) as JsonObject))) throw givenUp();
  return asCutShort(answer);
}

/** Nothing came of it: another channel may do better. */
export function givenUp(): UpstreamError {
  const message = 'The upstream provider gave its answer up before it said anything';
  return new UpstreamError({ kind: 'server', status: 502, message, code: 'upstream_bad_answer' });
}
