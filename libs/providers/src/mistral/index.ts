import type { ChannelTypeInfo } from '@tollgate/contracts';
import { factsOf, nearestEffort } from '@tollgate/contracts/catalog';
import { asText } from '../completions-by-chat.ts';
import type { JsonEdits } from '../json-bytes.ts';
import { withChangedPieces } from '../openai/changed-pieces.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { outputLimitOf } from '../openai/message-text.ts';
import { readChatRequest } from '../openai/request-schema.ts';
import { saidInWords } from '../openai/told-request.ts';
import type { ChatRequest, CompletionRequest } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { JsonObject, PassThrough, Provider, Target } from '../provider.ts';
import { toMistralMessages } from './messages.ts';

const knownFields = new Set([
  ...['model', 'messages', 'temperature', 'top_p', 'max_tokens', 'stream', 'stop', 'random_seed', 'tools', 'tool_choice'],
  ...['parallel_tool_calls', 'response_format', 'presence_penalty', 'frequency_penalty', 'n', 'safe_prompt', 'prompt_mode'],
  ...['reasoning_effort', 'prompt_cache_key', 'prediction', 'metadata', 'document_image_limit', 'document_page_limit'],
]);

/** Mistral: OpenAI's dialect with strict validation, ids of its own form, and thinking as parts of the content. */
export function mistral(info: ChannelTypeInfo): Provider {
  const provider = openaiCompatible(info, { extraModes: ['embeddings'], chatEdits, repair });
  return { ...provider, fillIn: provider.chat?.speaks === 'openai' ? fillIn(provider.chat) : undefined };
}

/** Fill-in-the-middle: answers are those of a chat. Source: https://docs.mistral.ai/api/endpoint/fim */
function fillIn(chat: PassThrough<ChatRequest>): PassThrough<CompletionRequest> {
  return {
    speaks: 'openai',
    streamUsage: chat.streamUsage,
    answersAt: ['choices'],
    url: (_request, { baseUrl }) => joinUrl(baseUrl, '/v1/fim/completions'),
    edits: (request) => ({
      set: {
        prompt: Array.isArray(request.prompt) && request.prompt.length === 1 ? request.prompt[0] : undefined,
        random_seed: typeof request.seed === 'number' ? request.seed : undefined,
      },
      remove: Object.keys(request).filter((field) => !filledFields.has(field)),
      changed: Object.keys(request).filter((field) => !filledFields.has(field) && field !== 'seed' && Boolean(request[field])),
    }),
    usageIn: chat.usageIn,
    errorIn: chat.errorIn,
    repair: (answer, context) => (Array.isArray(answer.choices) ? asText(repair(answer)) : (chat.repair?.(answer, context) ?? answer)),
  };
}

const filledFields = new Set([
  ...['model', 'prompt', 'suffix', 'max_tokens', 'min_tokens', 'temperature', 'top_p', 'stop', 'stream', 'metadata'],
]);

/** Mistral refuses what it does not know with 422, so only what it knows is sent. */
function chatEdits(sent: ChatRequest, { model }: Target): JsonEdits {
  const request = saidInWords(readChatRequest(sent));
  const effort = effortFor(request, model);
  const remove = Object.keys(request).filter((field) => !knownFields.has(field) || (field === 'reasoning_effort' && effort === undefined));
  return {
    set: {
      messages: toMistralMessages(request.messages),
      max_tokens: outputLimitOf(request),
      random_seed: typeof request.seed === 'number' ? request.seed : undefined,
      tool_choice: request.tool_choice === 'required' ? 'any' : undefined,
      reasoning_effort: effort,
    },
    remove,
    changed: remove.filter((field) => !renamed.has(field) && Boolean(request[field])),
  };
}

/** These are sent under another name, or say nothing to the model. */
const renamed = new Set(['seed', 'max_completion_tokens', 'stream_options']);

/** The nearest level that the model has; none goes out to a known model without levels. */
function effortFor({ reasoning_effort: wanted }: ChatRequest, model: string): string | undefined {
  if (typeof wanted !== 'string') return undefined;
  const facts = factsOf(model);
  if (facts === undefined) return wanted;
  const { reasoning } = facts.rules ?? {};
  return reasoning?.efforts === undefined ? undefined : nearestEffort(wanted, reasoning);
}

function repair(answer: JsonObject): JsonObject {
  return withChangedPieces(answer, repairPiece, (choice) => ({
    ...choice,
    finish_reason: finishReasons.get(choice.finish_reason) ?? choice.finish_reason,
  }));
}

const finishReasons = new Map<unknown, string>([['model_length', 'length']]);

/** Whole tool calls lack index and type; thinking is a part of the content. */
function repairPiece(piece: JsonObject): JsonObject {
  const repaired = { ...piece };
  if (Array.isArray(piece.tool_calls)) {
    repaired.tool_calls = piece.tool_calls.map((call: JsonObject | null, index) => ({ index, type: 'function', ...call }));
  }
  if (!Array.isArray(piece.content)) return repaired;
  const parts = piece.content as JsonObject[];
  repaired.content = textsOf(parts.filter((part) => part?.type === 'text'));
  const reasoning = textsOf(
    parts
      .filter((part) => part?.type === 'thinking')
      .flatMap((part) => (Array.isArray(part.thinking) ? (part.thinking as JsonObject[]) : [])),
  );
  if (reasoning !== '') repaired.reasoning_content = reasoning;
  return repaired;
}

function textsOf(parts: JsonObject[]): string {
  return parts.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
