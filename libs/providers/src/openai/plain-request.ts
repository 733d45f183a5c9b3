import { rulesOf } from '../model-rules.ts';
import type { JsonObject } from '../provider.ts';
import { searchField, searchOf } from '../web-search.ts';
import { isThinkingOff, withReasoning } from './earlier-reasoning.ts';
import type { AnyRequest, ChatRequest } from './types.ts';

/** What the hub says beyond OpenAI's dialect, for those who know it; those who speak OpenAI's dialect would refuse it. */
const beyond: readonly string[] = ['thinking_blocks', 'cache_control', 'extra_content', 'is_error'];

/**
 * A request of the hub in nothing but OpenAI's words. Thinking of earlier turns goes back as `reasoning_content` where the model wants it, else it is
 * left out, and so is a turn in which nothing else was said: OpenAI takes none without words and calls. `known`: fields beyond OpenAI's that the
 * provider takes all the same.
 */
export function plainRequest<Request extends AnyRequest>(request: Request, model: string, known: readonly string[] = []): Request {
  const unknown = beyond.filter((name) => !known.includes(name));
  const { thinking, messages, tools, ...rest } = request;
  const wantsReasoning = rulesOf(model).reasoning?.back === 'reasoning_content';
  const isOff = wantsReasoning && isThinkingOff(request as unknown as ChatRequest);
  const reasoned = wantsReasoning && Array.isArray(messages) ? messages.map((message) => withReasoning(message, { isOff })) : messages;
  return {
    ...rest,
    ...searchFor(model, request),
    ...effortFor(model, { thinking, effort: rest.reasoning_effort }),
    ...(messages !== undefined && { messages: plain(reasoned, unknown) }),
    ...(tools !== undefined && { tools: Array.isArray(tools) ? tools.map((tool) => without(tool as JsonObject, unknown)) : tools }),
  } as Request;
}

/** A search in the field that the model has for it. */
function searchFor(model: string, request: AnyRequest): JsonObject {
  const search = searchOf(request);
  const field = rulesOf(model).hosted?.search?.field;
  return search === undefined || field === undefined ? {} : { [field]: searchField(field, search) };
}

/** Thinking that is switched off, for a model that can do without it; levels that not all have, for a model of which no levels are known. */
function effortFor(model: string, { thinking, effort }: { thinking: unknown; effort: unknown }): { reasoning_effort?: string } {
  if (effort !== 'xhigh' && effort !== 'max' && !isDisabled(thinking)) return {};
  const { reasoning } = rulesOf(model);
  if (isDisabled(thinking)) return reasoning?.off === true || reasoning?.efforts?.includes('none') ? { reasoning_effort: 'none' } : {};
  return reasoning?.efforts === undefined ? { reasoning_effort: 'high' } : {};
}

function isDisabled(thinking: unknown): boolean {
  return (thinking as JsonObject | null | undefined)?.type === 'disabled';
}

function plain(messages: unknown, unknown: readonly string[]): unknown {
  if (!Array.isArray(messages)) return messages;
  return (messages as JsonObject[]).filter(isSaid).map((message) => {
    const { content, tool_calls: calls, ...rest } = without(message, unknown);
    return {
      ...rest,
      ...(content !== undefined && { content: plainContent(rest.role, content, unknown) }),
      ...(calls !== undefined && { tool_calls: Array.isArray(calls) ? calls.map((call) => without(call, unknown)) : calls }),
    };
  });
}

/** Stands for the result of a tool that gave nothing: Moonshot and other servers refuse an empty one. */
const noOutput = '(no output)';

/** A result that is text alone is one text, as strict servers want it. */
function plainContent(role: unknown, content: unknown, unknown: readonly string[]): unknown {
  if (role === 'tool' && content === '') return noOutput;
  if (!Array.isArray(content)) return content;
  const parts = content.map((part: JsonObject) => without(part, unknown));
  const isText = role === 'tool' && parts.every((part) => part.type === 'text' && part.cache_control === undefined);
  return isText ? parts.map(({ text }) => text).join('') || noOutput : parts;
}

function isSaid({ role, content, tool_calls: calls }: JsonObject): boolean {
  if (role !== 'assistant' || calls !== undefined) return true;
  return Array.isArray(content) ? content.some((part: JsonObject) => part.type !== 'text' || part.text !== '') : Boolean(content);
}

function without(value: JsonObject, unknown: readonly string[]): JsonObject {
  if (!Object.keys(value).some((name) => unknown.includes(name))) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !unknown.includes(name)));
}
