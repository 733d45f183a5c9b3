import { objectOf } from '../objects.ts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { textTokens } from '../text-tokens.ts';
import { readOpenAiUsage } from './usage.ts';

/**
 * The bill in `response.done`. Its details overlap: what was cached is part of the text, the sound and the pictures, and is told apart in
 * `cached_tokens_details`; a provider who does not tell has cached texts first.
 * Source: https://platform.openai.com/docs/api-reference/realtime-server-events/response/done
 */
export function realtimeUsageIn(event: JsonObject): UsageReading | undefined {
  const usage = objectOf(objectOf(event.response).usage);
  const details = objectOf(usage.input_token_details ?? usage.input_tokens_details);
  const cached = numberOf(details.cached_tokens);
  const told = details.cached_tokens_details;
  const guessed = { audio_tokens: Math.max(0, cached - numberOf(details.text_tokens, cached)) };
  return readOpenAiUsage({
    ...usage,
    input_tokens_details: { ...details, cached_tokens_details: told ?? guessed },
    output_tokens_details: usage.output_token_details ?? usage.output_tokens_details,
  });
}

/** How many tokens of sound the conversation has after an answer, cached or not, of what was heard and of what was said. */
export function spokenTokensIn(event: JsonObject): number {
  const usage = objectOf(objectOf(event.response).usage);
  const heard = numberOf(objectOf(usage.input_token_details ?? usage.input_tokens_details).audio_tokens);
  const said = numberOf(objectOf(usage.output_token_details ?? usage.output_tokens_details).audio_tokens);
  return heard + said;
}

/** A token stands for 100 ms that were heard, and for 50 ms that were said. Source: https://platform.openai.com/docs/guides/realtime-costs */
const heardPerSecond = 10;
const saidPerSecond = 20;
/** 16-bit samples at 24 kHz, and telephone's 8 kHz. */
const plainBytesPerSecond = 48_000;
const telephoneBytesPerSecond = 8_000;

/** How long a piece of sound of so many characters of base64 lasts, in seconds. */
export function secondsOfSound(base64Length: number, format: string): number {
  return secondsOfBytes(base64Length * 0.75, format);
}

/** The same by its bytes. */
export function secondsOfBytes(bytes: number, format: string): number {
  const isTelephone = /g711|pcmu|pcma/i.test(format);
  return bytes / (isTelephone ? telephoneBytesPerSecond : plainBytesPerSecond);
}

/** What sound weighs as a prompt, in tokens; not rounded. */
export function heardTokens(seconds: number): number {
  return seconds * heardPerSecond;
}

/** What an answer has delivered so far. Units: tokens, not rounded; `characters` of its texts. */
export interface SaidSoFar {
  text: number;
  sound: number;
  characters: number;
}

/** The pieces that have a part of an answer in them, by their events; GA's names, and those of the beta. */
const texts = new Set([
  ...['response.output_text.delta', 'response.text.delta', 'response.function_call_arguments.delta', 'response.mcp_call_arguments.delta'],
  ...['response.output_audio_transcript.delta', 'response.audio_transcript.delta'],
]);
const sounds = new Set(['response.output_audio.delta', 'response.audio.delta']);

/** Counts what an event delivers of an answer; false when it delivers nothing. */
export function addSaid(said: SaidSoFar, event: JsonObject, format: string): boolean {
  const { type, delta } = event;
  if (typeof type !== 'string' || typeof delta !== 'string' || delta === '') return false;
  if (sounds.has(type)) {
    said.sound += secondsOfSound(delta.length, format) * saidPerSecond;
    return true;
  }
  if (!texts.has(type)) return false;
  said.text += textTokens(delta);
  said.characters += delta.length;
  return true;
}

/** A count, or what stands for one that is not told. */
function numberOf(value: unknown, missing = 0): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : missing;
}
