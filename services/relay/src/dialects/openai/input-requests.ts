import type { CompletionRequest, EmbeddingsRequest } from '@tollgate/providers';
import { checkChoices, checkModel, checkNames, checkStream, checkTokens, type JsonObject, wrong } from '../fields.ts';
import { knownFields } from './known-fields.ts';

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
