import { instructionText, messageText, outputLimitOf } from '../openai/message-text.ts';
import { stopsOf } from '../openai/stops.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest } from '../openai/types.ts';
import { assertNoMedia } from '../plain-texts.ts';
import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

/** Stands where a turn must be and nothing was said. */
const filler = '...';
const leastOutput = 2;
const mostStops = 4;

interface Turn {
  role: 'user' | 'assistant' | 'function';
  content: string;
  name?: string;
  function_call?: JsonObject;
}

/**
 * A chat request as Wenxin wants it: an odd number of turns, which alternate and begin and end with the user's.
 * Source: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
 */
export function encodeRequest(sent: ChatRequest): JsonObject {
  const request = translatedRequest(sent);
  assertNoMedia(request);
  const { temperature, top_p: topP, frequency_penalty: penalty, tools, tool_choice: choice, response_format: format } = request;
  if (format?.type === 'json_schema') throw new RequestRefused('This model cannot be bound to a JSON schema', 'response_format');
  if (choice === 'required') throw new RequestRefused('This model cannot be made to call any of its tools', 'tool_choice');
  const limit = outputLimitOf(request);
  const forced = typeof choice === 'object' ? choice?.function?.name : undefined;
  return {
    messages: turnsOf(request.messages),
    system: systemOf(request.messages),
    temperature: typeof temperature === 'number' ? Math.min(1, Math.max(0.01, temperature)) : undefined,
    top_p: topP ?? undefined,
    penalty_score: typeof penalty === 'number' ? Math.min(2, Math.max(1, penalty)) : undefined,
    stream: request.stream === true ? true : undefined,
    max_output_tokens: limit === undefined ? undefined : Math.max(leastOutput, limit),
    stop: stopsOf(request, { most: mostStops }),
    user_id: request.user ?? undefined,
    response_format: format?.type === 'json_object' ? 'json_object' : undefined,
    functions:
      choice === 'none' || !tools?.length ? undefined : tools.flatMap((tool) => (tool.function ? [functionOf(tool.function)] : [])),
    tool_choice: forced === undefined ? undefined : { type: 'function', function: { name: forced } },
  };
}

function functionOf({ name, description, parameters }: NonNullable<NonNullable<ChatRequest['tools']>[number]['function']>): JsonObject {
  return { name, description: description || name, parameters: parameters ?? { type: 'object', properties: {} } };
}

function systemOf(messages: ChatMessage[]): string | undefined {
  const instructions = messages.filter(isSystem);
  return instructions.length === 0 ? undefined : instructionText(instructions);
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function turnsOf(messages: ChatMessage[]): Turn[] {
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    if (isSystem(message)) continue;
    for (const call of message.tool_calls ?? []) names.set(call.id ?? '', call.function?.name ?? '');
    for (const turn of turnsIn(message, names)) add(turns, turn);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: filler });
  if (turns.at(-1)?.role === 'assistant') turns.push({ role: 'user', content: filler });
  return turns;
}

function turnsIn(message: ChatMessage, names: ReadonlyMap<string, string>): Turn[] {
  const content = messageText(message);
  if (message.role === 'tool' || message.role === 'function') {
    const name = message.name || names.get(message.tool_call_id ?? '') || '';
    return [{ role: 'function', name, content: content || filler }];
  }
  if (message.role !== 'assistant') return [{ role: 'user', content: content || filler }];
  const calls = message.tool_calls ?? [];
  if (calls.length > 1) throw new RequestRefused('This model makes one tool call at a time', 'messages');
  const [call] = calls;
  if (call === undefined) return [{ role: 'assistant', content: content || filler }];
  return [{ role: 'assistant', content, function_call: { name: call.function.name, arguments: call.function.arguments ?? '{}' } }];
}

/** Neighbours of one side are joined. What a function gave stands on the user's side, before what he says. */
function add(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  const isPlain = turn.function_call === undefined && last?.function_call === undefined;
  if (last !== undefined && last.role === turn.role && turn.role !== 'function' && isPlain) {
    last.content = `${last.content}\n${turn.content}`;
    return;
  }
  const isUsers = (role: Turn['role'] | undefined) => role === 'user' || role === 'function';
  if (last !== undefined && isUsers(last.role) === isUsers(turn.role)) {
    turns.push({ role: isUsers(turn.role) ? 'assistant' : 'user', content: filler });
  }
  turns.push(turn);
}
