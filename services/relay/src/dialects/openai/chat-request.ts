import { type ChatRequest, type CompletionRequest, type EmbeddingsRequest, isObject, patchJson } from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { checkChoices, checkModel, checkNames, checkObjects, checkStream, checkTokens, type JsonObject, wrong } from '../fields.ts';

/** The fields of OpenAI's requests at their top level. */
const knownFields = new Set([
  ...['model', 'messages', 'prompt', 'suffix', 'input', 'dimensions', 'encoding_format', 'stream', 'stream_options', 'n', 'best_of'],
  ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'seed', 'user', 'echo', 'group', 'metadata'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'response_format', 'modalities', 'audio'],
  ...['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'service_tier', 'web_search_options', 'prediction', 'store'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'verbosity', 'plugins', 'extra_body'],
  ...['moderation', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
]);

/** Checks what we read of a chat request; all else travels on unread. Throws: AppError `invalid_request` that names the field. */
export function chatRequest(body: JsonObject): ChatRequest {
  checkNames(body, knownFields);
  checkModel(body);
  checkStream(body);
  checkChoices(body, 'n');
  checkTokens(body, 'max_tokens', 1);
  checkTokens(body, 'max_completion_tokens', 1);
  checkObjects(body, 'tools');
  const { messages } = body;
  if (!Array.isArray(messages)) throw wrong('messages is required: a list of messages', 'messages');
  if (messages.length === 0) throw wrong('messages must not be empty', 'messages');
  for (let at = 0; at < messages.length; at += 1) checkMessage(messages[at], `messages[${at}]`);
  return body as unknown as ChatRequest;
}

function checkMessage(message: unknown, param: string): void {
  if (!isObject(message)) throw wrong(`${param} must be an object`, param);
  if (typeof message.role !== 'string' || message.role === '') throw wrong(`${param}.role is required`, `${param}.role`);
  const { content } = message;
  if (Array.isArray(content)) {
    if (!content.every(isObject)) throw wrong(`${param}.content must be a text or a list of parts`, `${param}.content`);
  } else if (content !== undefined && content !== null && typeof content !== 'string') {
    throw wrong(`${param}.content must be a text or a list of parts`, `${param}.content`);
  }
  if (message.tool_calls !== undefined) checkObjects(message, 'tool_calls', `${param}.tool_calls`);
}

/** Checks what we read of a completion request. Throws: AppError `invalid_request` that names the field. */
export function completionRequest(body: JsonObject): CompletionRequest {
  checkNames(body, knownFields);
  checkModel(body);
  checkStream(body);
  checkChoices(body, 'n');
  checkChoices(body, 'best_of');
  checkTokens(body, 'max_tokens', 0);
  checkInput(body, 'prompt');
  return body as unknown as CompletionRequest;
}

/**
 * A request to fill in the middle, as Mistral's clients send it. Throws: AppError `invalid_request` that names the field.
 * Source: https://docs.mistral.ai/api/endpoint/fim
 */
export function fillInRequest(sent: SentRequest): CompletionRequest {
  const { suffix, random_seed: seed } = sent.json;
  const set = { ...(typeof suffix !== 'string' && { suffix: '' }), ...(seed !== undefined && { seed }) };
  sent.bytes = patchJson(sent.bytes, { set, remove: seed === undefined ? [] : ['random_seed'] });
  const { random_seed: _seed, ...rest } = sent.json;
  sent.json = { ...rest, ...set };
  return completionRequest(sent.json);
}

/** Checks what we read of an embeddings request. Throws: AppError `invalid_request` that names the field. */
export function embeddingsRequest(body: JsonObject): EmbeddingsRequest {
  checkNames(body, knownFields);
  checkModel(body);
  checkInput(body, 'input');
  return body as unknown as EmbeddingsRequest;
}

/** A text, texts, token numbers, or lists of token numbers; never nothing. */
function checkInput(body: JsonObject, field: 'prompt' | 'input'): void {
  const input = body[field];
  if (input === undefined || input === null || input === '') throw wrong(`${field} is required`, field);
  if (typeof input === 'string') return;
  if (!Array.isArray(input) || input.length === 0) throw wrong(`${field} must be a text or a list that is not empty`, field);
  const isUniform = input.every((item) => typeof item === 'string') || isTokenList(input) || input.every((item) => isTokenList(item));
  if (!isUniform) throw wrong(`${field} must hold texts, or token numbers`, field);
}

function isTokenList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
