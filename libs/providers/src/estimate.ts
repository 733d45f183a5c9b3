import { noUsage, type Usage } from '@tollgate/contracts';
import { imageTokens } from './image-tokens.ts';
import { rulesOf } from './model-rules.ts';
import { carriedDetails } from './openai/reasoning-details.ts';
import type { ChatRequest, CompletionRequest, ContentPart, EmbeddingsRequest } from './openai/types.ts';
import { thoughtIn } from './output-meter.ts';
import type { JsonObject } from './provider.ts';
import { asItStands, type TextMeasure } from './text-tokens.ts';
import { weighableJson } from './weighable-json.ts';

/** A token stands for 100 ms, unless the model's rules say otherwise. Source: https://platform.openai.com/docs/guides/audio */
const usualMsPerToken = 100;
/** No clip weighs less. */
const leastTokens = 100;
/** Packed sound of speech, at 32 kbit/s; what is packed less lasts shorter. */
const packedBytesPerSecond = 4000;

/** What the sound of a part weighs, in input tokens, by its length; 0 when it has none. */
function audioTokens(part: ContentPart, model: string, { length }: Pick<TextMeasure, 'length'>): number {
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

const tokensPerMessage = 4;
const tokensPerName = 1;
const tokensOfReplyStart = 3;
const tokensPerTool = 8;
const bytesPerFileToken = 100;

/** What the prompt of a chat request is likely to weigh, before anyone has counted it. The outputs are zero. */
export function estimateChat(request: ChatRequest, measure: TextMeasure = asItStands): Usage {
  let text = tokensOfReplyStart;
  let images = 0;
  let audio = 0;
  let written: 'textInput' | 'cacheWrite5m' | 'cacheWrite1h' = 'textInput';
  for (const message of request.messages) {
    text += tokensPerMessage;
    if (typeof message.name === 'string') text += tokensPerName + measure.tokens(message.name);
    if (typeof message.content === 'string') text += measure.tokens(message.content);
    else if (Array.isArray(message.content)) {
      for (const part of message.content) {
        if (typeof part?.text === 'string') text += measure.tokens(part.text);
        text += fileTokens(part, measure);
        images += imageTokens(part, request.model);
        audio += audioTokens(part, request.model, measure);
        written = cacheClass(part, written);
      }
    }
    for (const block of listOf(message.thinking_blocks as JsonObject[] | null)) {
      if (typeof block?.thinking === 'string') text += measure.tokens(block.thinking);
    }
    const { extra_content: extra } = message;
    const thought = thoughtIn(message) || (extra === undefined ? '' : thoughtIn({ reasoning_details: carriedDetails(extra) }));
    if (thought !== '') text += measure.tokens(thought);
    for (const call of listOf(message.tool_calls)) text += tokensPerTool + jsonTokens(call?.function, measure);
  }
  for (const tool of listOf(request.tools)) {
    text += tokensPerTool + jsonTokens(tool?.function ?? tool, measure);
    written = cacheClass(tool, written);
  }
  if (request.functions) text += jsonTokens(request.functions, measure);
  if (request.response_format?.json_schema) text += jsonTokens(request.response_format.json_schema, measure);
  return { ...noUsage, [written]: Math.ceil(text), imageInput: images, audioInput: audio };
}

/** What a predicted output weighs: the tokens of it that do not come true are paid for as output. */
export function predictedTokens({ prediction }: ChatRequest, measure: TextMeasure = asItStands): number {
  const content = (prediction as { content?: unknown } | null | undefined)?.content;
  if (typeof content === 'string') return Math.ceil(measure.tokens(content));
  return content === undefined || content === null ? 0 : Math.ceil(jsonTokens(content, measure));
}

/** The same for a completion or an embedding: texts, or tokens that the caller made himself. */
export function estimateInput(input: CompletionRequest['prompt'] | EmbeddingsRequest['input'], measure: TextMeasure = asItStands): Usage {
  return { ...noUsage, textInput: Math.max(1, Math.ceil(inputTokens(input, measure))) };
}

/** The same for an embedding that pictures, sound or files are part of. */
export function estimateEmbeddings({ input, media, model }: EmbeddingsRequest, measure: TextMeasure = asItStands): Usage {
  const usage = estimateInput(input, measure);
  if (media === undefined) return usage;
  for (const part of media) {
    usage.imageInput += imageTokens(part, model);
    usage.audioInput += audioTokens(part, model, measure);
    usage.textInput += Math.ceil(fileTokens(part, measure));
  }
  return usage;
}

function inputTokens(input: unknown, measure: TextMeasure): number {
  if (typeof input === 'string') return measure.tokens(input);
  if (!Array.isArray(input)) return input === undefined || input === null ? 0 : jsonTokens(input, measure);
  let tokens = 0;
  for (const item of input as unknown[]) tokens += typeof item === 'number' ? 1 : inputTokens(item, measure);
  return tokens;
}

/** What a caller sends may be anything; what is no list has no items. */
function listOf<T>(value: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

function jsonTokens(value: unknown, measure: TextMeasure): number {
  if (value === undefined) return 0;
  const { text, dataTokens } = weighableJson(value, measure.length);
  return measure.tokens(text) + dataTokens;
}

/** A prompt that is to be cached is written, at the price of the longest life that it asks for. */
function cacheClass<Class extends string>(part: JsonObject | null | undefined, soFar: Class): Class | 'cacheWrite5m' | 'cacheWrite1h' {
  const cache = part?.cache_control as { ttl?: unknown } | null | undefined;
  if (!cache || soFar === 'cacheWrite1h') return soFar;
  return cache.ttl === '1h' ? 'cacheWrite1h' : 'cacheWrite5m';
}

function fileTokens(part: ContentPart, measure: TextMeasure): number {
  const data = part?.file?.file_data;
  return typeof data === 'string' ? measure.length(data) / bytesPerFileToken : 0;
}
