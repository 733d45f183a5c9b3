import { rulesOf } from './model-rules.ts';
import { isObject } from './objects.ts';
import { hashOfId } from './openai/call-ids.ts';
import type { ChatRequest } from './openai/types.ts';
import type { JsonObject } from './provider.ts';

/** The shortest limit that providers have, for a model of which none is known. Source: https://platform.openai.com/docs/api-reference/chat/create */
const usualLongest = 64;
/** Taken by OpenAI, Anthropic and Google alike. Source: https://ai.google.dev/api/caching#FunctionDeclaration */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Names as the provider gets them, and the caller's own names of those that differ. */
export interface ToolNames {
  request: ChatRequest;
  /** By the names that the provider gets. */
  original: ReadonlyMap<string, string>;
}

/** The request with names of tools that the model's provider takes; undefined where it takes all of them as they are. */
export function withTakenNames(request: ChatRequest, model: string): ToolNames | undefined {
  const longest = rulesOf(model).tools?.longestName ?? usualLongest;
  const taken = new Map<string, string>();
  eachName(request, (name) => {
    if (name.length > longest || !plainName.test(name)) taken.set(name, takenName(name, longest));
  });
  if (taken.size === 0) return undefined;
  return {
    request: renamed(request, (name) => taken.get(name) ?? name),
    original: new Map([...taken].map(([name, other]) => [other, name])),
  };
}

function takenName(name: string, longest: number): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
  return `${plain.slice(0, longest - 10)}_${hashOfId(name).slice(0, 9)}`;
}

function eachName({ tools, tool_choice: choice, messages }: ChatRequest, visit: (name: string) => void): void {
  const visitIn = (holder: unknown) => {
    const name = (holder as { function?: { name?: unknown } | null } | null | undefined)?.function?.name;
    if (typeof name === 'string' && name !== '') visit(name);
  };
  if (Array.isArray(tools)) for (const tool of tools) visitIn(tool);
  visitIn(choice);
  for (const message of messages) {
    const calls = message?.tool_calls;
    if (Array.isArray(calls)) for (const call of calls) visitIn(call);
  }
}

function renamed(request: ChatRequest, to: (name: string) => string): ChatRequest {
  const { tools, tool_choice: choice, messages } = request;
  const renamedChoice = isObject(choice) ? allowedNamed(named(choice, to) as JsonObject, to) : choice;
  return {
    ...request,
    ...(Array.isArray(tools) && { tools: tools.map((tool) => named(tool, to)) }),
    ...(choice !== undefined && { tool_choice: renamedChoice }),
    messages: messages.map((message) => {
      const called = typeof message?.name === 'string' && message.role === 'tool' ? { ...message, name: to(message.name) } : message;
      return Array.isArray(called?.tool_calls) ? { ...called, tool_calls: called.tool_calls.map((call) => named(call, to)) } : called;
    }),
  } as ChatRequest;
}

function named<Value>(value: Value, to: (name: string) => string): Value {
  const called = (value as JsonObject | null)?.function;
  return isObject(called) && typeof called.name === 'string' ? { ...value, function: { ...called, name: to(called.name) } } : value;
}

function allowedNamed(choice: JsonObject, to: (name: string) => string): JsonObject {
  const allowed = choice.allowed_tools;
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) return choice;
  return { ...choice, allowed_tools: { ...allowed, tools: allowed.tools.map((tool: unknown) => named(tool, to)) } };
}
