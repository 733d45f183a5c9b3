import { rulesOf } from './model-rules.ts';
import type { ContentPart } from './openai/types.ts';
import type { TextMeasure } from './text-tokens.ts';

/** A token stands for 100 ms, unless the model's rules say otherwise. Source: https://platform.openai.com/docs/guides/audio */
const usualMsPerToken = 100;
/** No clip weighs less. */
const leastTokens = 100;
/** Packed sound of speech, at 32 kbit/s; what is packed less lasts shorter. */
const packedBytesPerSecond = 4000;

/** What the sound of a part weighs, in input tokens, by its length; 0 when it has none. */
export function audioTokens(part: ContentPart, model: string, { length }: Pick<TextMeasure, 'length'>): number {
  const audio = part?.input_audio;
  if (!audio) return 0;
  const data = typeof audio.data === 'string' ? audio.data : '';
  const seconds = (length(data) * 0.75) / bytesPerSecond(data);
  return Math.max(leastTokens, Math.ceil((seconds * 1000) / (rulesOf(model).audioMsPerToken ?? usualMsPerToken)));
}

/** A WAV file says how many bytes a second of it has. Source: https://www.rfc-editor.org/rfc/rfc2361 */
function bytesPerSecond(data: string): number {
  const head = Buffer.from(data.slice(0, 64), 'base64');
  if (head.length < 32 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 12, 16) !== 'fmt ') {
    return packedBytesPerSecond;
  }
  const [samples, bytes] = [head.readUInt32LE(24), head.readUInt32LE(28)];
  return samples >= 4000 && samples <= 192_000 && bytes >= samples && bytes <= samples * 32 ? bytes : packedBytesPerSecond;
}
