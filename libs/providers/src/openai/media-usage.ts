import { noUsage, type Usage } from '@tollgate/contracts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { usageReading } from '../usage-reading.ts';
import { openAiUsageIn } from './usage.ts';

/** The bill of drawn pictures: what was put out is pictures, save what is told to be text. */
export function imagesUsageIn(answer: JsonObject): UsageReading | undefined {
  const reading = openAiUsageIn(answer);
  if (reading === undefined || !reading.trusted) return reading;
  const { textOutput, imageOutput = 0, ...rest } = reading.usage;
  const told = (answer.usage as JsonObject).output_tokens_details as { text_tokens?: unknown } | null | undefined;
  const stated = usageReading((count) => ({ ...noUsage, textOutput: count('text_tokens', told?.text_tokens) }));
  if (stated?.trusted === false) return stated;
  const text = Math.min(stated?.usage.textOutput ?? 0, textOutput);
  return { trusted: true, usage: { ...rest, textOutput: text, imageOutput: imageOutput + textOutput - text } };
}

/** The bill of speech, as the last event of its stream tells it: what was put out is sound. */
export function speechUsageIn(answer: JsonObject): UsageReading | undefined {
  const reading = openAiUsageIn(answer);
  if (reading === undefined || !reading.trusted) return reading;
  const { textOutput, audioOutput, ...rest } = reading.usage;
  return { trusted: true, usage: { ...rest, textOutput: 0, audioOutput: audioOutput + textOutput } };
}

/**
 * The bill of a transcript: tokens, or the seconds that were heard. Source: https://platform.openai.com/docs/api-reference/audio
 */
export function transcriptionUsageIn(answer: JsonObject): UsageReading | undefined {
  const stated = answer.usage as JsonObject | null | undefined;
  if (typeof stated !== 'object' || stated === null) return secondsRead(answer.duration);
  if (stated.type === 'duration' || stated.seconds !== undefined) return secondsRead(stated.seconds);
  const details = stated.input_token_details ?? stated.input_tokens_details ?? stated.prompt_tokens_details;
  return openAiUsageIn({ usage: { ...stated, input_tokens_details: details } });
}

/** Seconds come as fractions, and from some as text; begun ones are paid whole. */
function secondsRead(value: unknown): UsageReading | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,7}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  const whole = typeof seconds === 'number' && Number.isFinite(seconds) ? Math.ceil(seconds) : seconds;
  return usageReading((count): Usage => ({ ...noUsage, seconds: count('seconds', whole) }));
}

/** The bill of a ranking: tokens of whichever kind of provider, else the searches that it counts. */
export function rerankUsageIn(answer: JsonObject): UsageReading | undefined {
  if (answer.usage) return openAiUsageIn(answer);
  const { billed_units: billed, tokens } = (answer.meta ?? {}) as Record<string, JsonObject | null | undefined>;
  return usageReading((count) => {
    const textInput = count('input_tokens', tokens?.input_tokens ?? billed?.input_tokens);
    const searches = count('search_units', billed?.search_units);
    return { ...noUsage, textInput, ...(searches > 0 && { searches }) };
  });
}
