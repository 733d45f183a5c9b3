import { hash } from 'node:crypto';
import type { ToldTools } from './callers-calls.ts';
import { checkedMessages, isPlain } from './checked-messages.ts';
import { hasOtherTools, withFunctionTools } from './function-tools.ts';
import { mendedCalls } from './mended-calls.ts';
import type { AnyRequest, ChatRequest } from './openai/types.ts';
import { withTakenNames } from './tool-names.ts';

/** Longer ids of end users are refused: OpenAI takes 64 characters, OpenRouter, Zhipu and Doubao 128. Source: https://platform.openai.com/docs/guides/safety-best-practices */
const longestUser = 64;

export interface TranslatedRequest<Request> {
  request: Request;
  /** Fields of which something was changed. */
  changed: readonly string[];
  /** How the caller has its tools; undefined where the provider got them as they are. */
  tools?: ToldTools;
}

const nothing: readonly string[] = [];
const noNames: ReadonlySet<string> = new Set();

/**
 * A request of the canonical format that is about to be translated, in a form that every provider takes: a short id of the end user, tools as
 * functions with names within the model's limits, and calls of tools with their results. `keepsFreeText`: the provider has tools of free text itself.
 * Throws: RequestRefused for messages that no provider takes.
 */
export function translatedRequest<Request extends AnyRequest>(
  sent: Request,
  { model, keepsFreeText = false }: { model: string; keepsFreeText?: boolean },
): TranslatedRequest<Request> {
  if (!Array.isArray(sent.messages)) return { request: sent, changed: nothing };
  const hasLongUser = typeof sent.user === 'string' && sent.user.length > longestUser;
  if (!hasLongUser && isPlain(sent as unknown as ChatRequest)) return { request: sent, changed: nothing };
  const changed: string[] = [];
  let request = sent as unknown as ChatRequest;
  if (hasLongUser) {
    request = { ...request, user: hash('sha256', request.user as string) };
    changed.push('user');
  }
  const told = hasOtherTools(request) ? withFunctionTools(request, { keepsFreeText }) : undefined;
  if (told !== undefined) request = told.request;
  const checked = checkedMessages(request);
  const mended = mendedCalls(checked);
  if (mended !== undefined || checked !== request.messages) {
    request = { ...request, messages: mended ?? checked };
    changed.push('messages');
  }
  const named = withTakenNames(request, model);
  const { freeText = noNames, isLegacy = false } = told ?? {};
  const isOther = named !== undefined || isLegacy || freeText.size > 0;
  return {
    request: (named?.request ?? request) as unknown as Request,
    changed,
    ...(isOther && { tools: { names: named?.original ?? new Map(), freeText, isLegacy } }),
  };
}
