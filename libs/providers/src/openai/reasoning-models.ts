import type { JsonEdits } from '../json-bytes.ts';
import type { ChatRequest } from './types.ts';

const family = /^(?:o[134]|gpt-5)(?!-chat)(?:$|[-.])/;
const effortEnding = /-(high|medium|low)$/;
const refusedFields = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs'];

/** OpenAI's reasoning families, by the upstream name. They refuse sampling fields and the old name of the output limit. */
export function isReasoningModel(model: string): boolean {
  return family.test(model);
}

/** The name without the effort that operators may append: `o3-mini-high` is `o3-mini` at effort `high`. */
export function reasoningModelOf(model: string): string {
  return isReasoningModel(model) ? model.replace(effortEnding, '') : model;
}

/** The effort that is appended to a name; undefined for none. */
export function reasoningEndingOf(model: string): string | undefined {
  return isReasoningModel(model) ? effortEnding.exec(model)?.[1] : undefined;
}

/** What a reasoning model wants otherwise; undefined for every other model. Source: the API reference of chat completions. */
export function reasoningEdits(request: ChatRequest, model: string): JsonEdits | undefined {
  if (!isReasoningModel(model)) return undefined;
  const role = systemRoleOf(reasoningModelOf(model));
  const hasSystem = request.messages.some(isSystem);
  return {
    set: {
      reasoning_effort: reasoningEndingOf(model),
      max_completion_tokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      messages: hasSystem ? request.messages.map((message) => (isSystem(message) ? { ...message, role } : message)) : undefined,
    },
    remove: ['max_tokens', ...refusedFields],
  };
}

function isSystem(message: { role: string }): boolean {
  return message.role === 'system';
}

/** `o1-mini` and `o1-preview` know neither system nor developer messages. */
function systemRoleOf(model: string): string {
  return /^o1-(?:mini|preview)/.test(model) ? 'user' : 'developer';
}
