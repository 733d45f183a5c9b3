import { RequestRefused } from '../upstream-error.ts';
import { searchOf, webSearch } from '../web-search.ts';
import { messageParts } from './message-text.ts';
import { readChatRequest } from './request-schema.ts';
import type { ChatMessage, ChatRequest, Tool } from './types.ts';

/**
 * A request that is about to be told in a dialect of functions alone: tools of other kinds are refused, save where the provider has some
 * of its own (`ownTools`), several answers where it gives one (`choices`), and how likely words were where it does not tell (`likelihoods`). Of several tools that may be called only those are
 * told. Throws: RequestRefused that names the field.
 */
export function translatedRequest(
  sent: ChatRequest,
  { ownTools = false, choices = false, draws = false, likelihoods = false } = {},
): ChatRequest {
  const request = { ...saidInWords(readChatRequest(sent), { draws, likelihoods }), [webSearch]: searchOf(sent) };
  if (!choices && (request.n ?? 1) > 1) throw new RequestRefused('This model gives one answer', 'n');
  const unknown = request.tools?.find((tool) => !tool.function && (!ownTools || tool.custom));
  if (unknown !== undefined) throw new RequestRefused(`Tools of type ${unknown.type} cannot be told to this model`, 'tools');
  return withAllowedTools(request);
}

/**
 * The same without what only OpenAI's own models know. What the answer would miss is refused: what is likely, judged or spoken in it, and which tokens it
 * may not have, whose numbers mean others elsewhere. How much it is to say is asked for in words. Throws: RequestRefused that names the field.
 */
export function saidInWords(request: ChatRequest, { draws = false, likelihoods = false } = {}): ChatRequest {
  if (!likelihoods && (request.logprobs === true || Number(request.top_logprobs ?? 0) > 0))
    throw refusedField('logprobs', 'does not tell how likely its words were');
  if (isSomething(request.logit_bias)) throw refusedField('logit_bias', 'has tokens of its own');
  if (isSomething(request.moderation)) throw refusedField('moderation', 'does not judge its answers');
  const wanted: unknown[] = Array.isArray(request.modalities) ? request.modalities : [];
  if (wanted.some((one) => one !== 'text' && !(draws && one === 'image'))) throw refusedField('modalities', 'cannot be told to answer so');
  if (isSomething(request.audio)) throw refusedField('audio', 'does not speak');
  const words = verbosities.get(request.verbosity);
  const messages = request.messages.map(inPlainWords);
  return { ...request, messages: words === undefined ? messages : instructed(messages, words) };
}

/** What a model refused to say is what it said. The sound of an earlier answer is known by its id to who spoke it alone. */
function inPlainWords(message: ChatMessage): ChatMessage {
  const { content, refusal, audio } = message;
  if (Array.isArray(content)) {
    return content.some((part) => part?.type === 'refusal') ? { ...message, content: messageParts(message) } : message;
  }
  if (typeof content === 'string') return message;
  if (typeof refusal === 'string') return { ...message, content: refusal };
  if (isSomething(audio))
    throw new RequestRefused('An earlier answer that was spoken needs its transcript as content for this model', 'messages');
  return message;
}

const verbosities = new Map<unknown, string>([
  ['low', 'Answer briefly.'],
  ['high', 'Answer in detail.'],
]);

/** With a sentence at the end of the first instruction. */
function instructed(messages: ChatMessage[], words: string): ChatMessage[] {
  const at = messages.findIndex(({ role }) => role === 'system' || role === 'developer');
  const found = messages[at];
  if (found === undefined) return [{ role: 'system', content: words }, ...messages];
  const { content } = found;
  const told = typeof content === 'string' ? `${content}\n${words}` : [...(content ?? []), { type: 'text', text: words }];
  return messages.map((message) => (message === found ? { ...found, content: told } : message));
}

function isSomething(value: unknown): boolean {
  return typeof value === 'object' ? value !== null && Object.keys(value).length > 0 : value !== undefined;
}

function refusedField(field: string, why: string): RequestRefused {
  return new RequestRefused(`This model ${why}: ${field} cannot be told to it`, field);
}

/** Source: https://platform.openai.com/docs/guides/function-calling (allowed tools) */
function withAllowedTools(request: ChatRequest): ChatRequest {
  const choice = request.tool_choice;
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return request;
  const { mode, tools } = (choice.allowed_tools ?? {}) as { mode?: unknown; tools?: unknown };
  if ((mode !== 'auto' && mode !== 'required') || !Array.isArray(tools)) throw refusedChoice();
  const names = new Set(tools.map((tool: Tool | null) => tool?.function?.name));
  const allowed = (request.tools ?? []).filter((tool) => names.has(tool.function?.name));
  if (allowed.length < names.size) throw refusedChoice();
  return { ...request, tools: allowed, tool_choice: mode };
}

function refusedChoice(): RequestRefused {
  return new RequestRefused('tool_choice.allowed_tools must have a mode, auto or required, and name functions of tools', 'tool_choice');
}
