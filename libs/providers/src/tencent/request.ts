import { imageUrlOf, instructionText, messageParts, messageText } from '../openai/message-text.ts';
import { stopsOf } from '../openai/stops.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest, ContentPart, Tool, ToolCall } from '../openai/types.ts';
import { assertNoMedia, assertPlainFormat } from '../plain-texts.ts';
import type { JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

/** A chat request as ChatCompletions wants it. It knows no output limit. Source: https://cloud.tencent.com/document/api/1729/105701 */
export function encodeRequest(sent: ChatRequest, { model }: Target): JsonObject {
  const request = translatedRequest(sent);
  assertPlainFormat(request);
  const { temperature, top_p: topP, seed, tools } = request;
  return {
    Model: model,
    Messages: toTurns(request.messages),
    Stream: request.stream === true,
    TopP: typeof topP === 'number' ? Math.min(1, Math.max(0, topP)) : undefined,
    Temperature: typeof temperature === 'number' ? Math.min(2, Math.max(0, temperature)) : undefined,
    Seed: typeof seed === 'number' ? seed : undefined,
    Stop: stopsOf(request),
    ...(tools && tools.length > 0 && toTools(tools, request)),
  };
}

/** The system speaks first and once. */
function toTurns(messages: ChatMessage[]): JsonObject[] {
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
  const system = instructionText(messages.filter(isSystem));
  const turns = messages.filter((message) => !isSystem(message)).map(toTurn);
  return system === '' ? turns : [{ Role: 'system', Content: system }, ...turns];
}

function toTurn(message: ChatMessage): JsonObject {
  if (message.role === 'tool' || message.role === 'function') {
    assertNoMedia({ messages: [message] });
    return { Role: 'tool', ToolCallId: message.tool_call_id ?? '', Content: messageText(message) };
  }
  const parts = messageParts(message);
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const content = parts.some((part) => part.type !== 'text') ? { Contents: parts.map(toPart) } : { Content: messageText(message) };
  return { Role: message.role, ...content, ...(calls.length > 0 && { ToolCalls: calls.map(toCall) }) };
}

function toPart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { Type: 'text', Text: part.text ?? '' };
  if (part.type === 'image_url') return { Type: 'image_url', ImageUrl: { Url: imageUrlOf(part) } };
  throw new RequestRefused(`Content of type ${part.type} cannot be sent to this model`, 'messages');
}

function toCall({ id, function: called }: ToolCall, index: number): JsonObject {
  return { Id: id ?? '', Type: 'function', Index: index, Function: { Name: called.name, Arguments: called.arguments ?? '{}' } };
}

function toTools(tools: Tool[], { tool_choice: choice }: ChatRequest): JsonObject {
  const functions = tools.flatMap((tool) => (tool.function ? [tool.function] : [])).map(toTool);
  if (choice === 'required') throw new RequestRefused('This model cannot be made to call any of its tools', 'tool_choice');
  if (typeof choice !== 'object' || choice === null) return { Tools: functions, ToolChoice: choice ?? 'auto' };
  const custom = functions.find((tool) => tool.Function.Name === choice.function?.name);
  if (custom === undefined) throw new RequestRefused('The tool that is to be called is none of the tools', 'tool_choice');
  return { Tools: functions, ToolChoice: 'custom', CustomTool: custom };
}

function toTool({ name, description, parameters }: NonNullable<Tool['function']>) {
  const Parameters = JSON.stringify(parameters ?? { type: 'object', properties: {} });
  return { Type: 'function', Function: { Name: name, Description: description, Parameters } };
}
