import { messageParts, outputLimitOf } from '../openai/message-text.ts';
import { stopsOf } from '../openai/stops.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

const contentTypes = new Set(['text', 'image_url']);

/**
 * A chat request as Cohere's. Its messages and tools have OpenAI's form; whose question it is, is
 * left out. Throws: RequestRefused for content that it cannot take.
 */
export function encodeRequest(sent: ChatRequest, target: Target): JsonObject {
  const request = translatedRequest(sent);
  const { tools } = request;
  return {
    model: target.model,
    messages: request.messages.map(toMessage),
    stream: request.stream === true,
    max_tokens: outputLimitOf(request),
    temperature: request.temperature ?? undefined,
    p: request.top_p ?? undefined,
    k: request.top_k ?? undefined,
    seed: request.seed ?? undefined,
    frequency_penalty: request.frequency_penalty ?? undefined,
    presence_penalty: request.presence_penalty ?? undefined,
    stop_sequences: stopsOf(request),
    response_format: toResponseFormat(request),
    tools: tools && tools.length > 0 ? tools : undefined,
    tool_choice: toToolChoice(request),
    safety_mode: typeof request.safety_mode === 'string' ? request.safety_mode : undefined,
  };
}

function toMessage(message: ChatMessage): JsonObject {
  for (const { type } of messageParts(message)) {
    if (!contentTypes.has(type)) throw new RequestRefused(`Content of type ${type} cannot be sent to this model`, 'messages');
  }
  const role = message.role === 'developer' ? 'system' : message.role;
  const { content, tool_calls, tool_call_id } = message;
  return { role, content: content ?? undefined, tool_calls: tool_calls ?? undefined, tool_call_id: tool_call_id ?? undefined };
}

function toResponseFormat({ response_format: format }: ChatRequest): JsonObject | undefined {
  if (format?.type === 'json_object') return { type: 'json_object' };
  return format?.type === 'json_schema' ? { type: 'json_object', schema: format.json_schema?.schema } : undefined;
}

/** It knows only "some tool" and "none"; one by name is asked for as "some", of that one alone. */
function toToolChoice({ tool_choice: choice, tools }: ChatRequest): string | undefined {
  if (choice === 'none') return 'NONE';
  if (choice === 'required') return 'REQUIRED';
  if (typeof choice !== 'object' || choice === null) return undefined;
  if (tools?.length === 1 && tools[0]?.function?.name === choice.function?.name) return 'REQUIRED';
  throw new RequestRefused('This model cannot be told which of several tools to use', 'tool_choice');
}
