import type { ChatRequest } from '@tollgate/providers';
import {
  checkChoices,
  checkModel,
  checkNames,
  checkObjects,
  checkStream,
  checkTokens,
  isObject,
  type JsonObject,
  wrong,
} from '../fields.ts';
import { knownFields } from './known-fields.ts';

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
