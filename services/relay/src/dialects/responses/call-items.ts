import { freeTextIn, type JsonObject } from '@tollgate/providers';
import type { StatedToolCall } from '../tool-calls.ts';
import type { CallersTool } from './callers-tools.ts';
import { added, done, type Ended, type OpenItem, type Place } from './open-items.ts';

/** What the ids of calls begin with. */
export const callIds = { function: 'fc', custom: 'ctc', tool_search: 'tsc' } as const;

type Status = 'in_progress' | 'completed' | 'incomplete';

/** A call of a tool of the caller's, in the words that he has for it. Source: https://platform.openai.com/docs/api-reference/responses/object */
export function callItem(
  id: string,
  { id: callId, args }: Pick<StatedToolCall, 'id' | 'args'>,
  { tool, status }: { tool: CallersTool; status: Status },
): JsonObject {
  const { kind, name, namespace } = tool;
  if (kind === 'tool_search')
    return { id, type: 'tool_search_call', status, call_id: callId, execution: 'client', arguments: searchIn(args) };
  const called = { status, call_id: callId, name, ...(namespace !== undefined && { namespace }) };
  if (kind === 'custom') return { id, type: 'custom_tool_call', ...called, input: args === '' ? '' : freeTextIn(args) };
  return { id, type: 'function_call', ...called, arguments: args };
}

function searchIn(args: string): unknown {
  try {
    return JSON.parse(args === '' ? '{}' : args);
  } catch {
    return { query: args };
  }
}

/** A call that is being told. What is not told as the arguments that come is told once it is whole. */
export class CallItem implements OpenItem {
  readonly #place: Place;
  readonly #callId: string;
  readonly #tool: CallersTool;
  #arguments = '';

  constructor(place: Place, { callId, tool }: { callId: string; tool: CallersTool }) {
    this.#place = place;
    this.#callId = callId;
    this.#tool = tool;
  }

  get index(): number {
    return this.#place.index;
  }

  begin(): JsonObject[] {
    return [added(this.#place, this.#whole('in_progress'))];
  }

  add(fragment: string): JsonObject[] {
    this.#arguments += fragment;
    return this.#tool.kind === 'function' ? [{ ...this.#at('response.function_call_arguments.delta'), delta: fragment }] : [];
  }

  end(status: 'completed' | 'incomplete'): Ended {
    const whole = this.#whole(status);
    return { events: [...this.#told(whole), done(this.#place, whole)], whole };
  }

  #told({ name, input }: JsonObject): JsonObject[] {
    if (this.#tool.kind === 'function') {
      return [{ ...this.#at('response.function_call_arguments.done'), name, arguments: this.#arguments }];
    }
    if (this.#tool.kind === 'tool_search') return [];
    return [
      { ...this.#at('response.custom_tool_call_input.delta'), delta: input },
      { ...this.#at('response.custom_tool_call_input.done'), input },
    ];
  }

  #at(type: string): JsonObject {
    return { type, item_id: this.#place.id, output_index: this.#place.index };
  }

  #whole(status: Status): JsonObject {
    return callItem(this.#place.id, { id: this.#callId, args: this.#arguments }, { tool: this.#tool, status });
  }
}
