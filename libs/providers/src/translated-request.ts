import { hash } from 'node:crypto';
import { checkedMessages } from './checked-messages.ts';
import { mendedCalls } from './mended-calls.ts';
import type { AnyRequest, ChatRequest } from './openai/types.ts';
import { withTakenNames } from './tool-names.ts';

/** Longer ids of end users are refused: OpenAI takes 64 characters, OpenRouter, Zhipu and Doubao 128. Source: https://platform.openai.com/docs/guides/safety-best-practices */
const longestUser = 64;

export interface TranslatedRequest<Request> {
  request: Request;
  /** Fields of which something was changed. */
  changed: string[];
  /** The caller's names of tools, by those that the provider gets, where they differ. */
  toolNames?: ReadonlyMap<string, string>;
}

/**
 * A request of the canonical format that is about to be translated, in a form that every provider takes: a short id of the end user, names of tools
 * within the model's limits, and calls of tools with their results. Throws: RequestRefused for messages that no provider takes.
 */
export function translatedRequest<Request extends AnyRequest>(sent: Request, model: string): TranslatedRequest<Request> {
  if (!Array.isArray(sent.messages)) return { request: sent, changed: [] };
  const changed: string[] = [];
  let request = sent as unknown as ChatRequest;
  const { user } = request;
  if (typeof user === 'string' && user.length > longestUser) {
    request = { ...request, user: hash('sha256', user) };
    changed.push('user');
  }
  const checked = checkedMessages(request);
  const mended = mendedCalls(checked);
  if (mended !== undefined || checked !== request.messages) {
    request = { ...request, messages: mended ?? checked };
    changed.push('messages');
  }
  const named = withTakenNames(request, model);
  return { request: (named?.request ?? request) as unknown as Request, changed, ...(named && { toolNames: named.original }) };
}
