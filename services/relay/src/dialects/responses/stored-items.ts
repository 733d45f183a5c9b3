import { randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '@tollgate/providers';
import { wrong } from '../fields.ts';

/** An input as items: a text is one message of the user's. Throws: AppError `invalid_request`. */
export function itemsOf(input: unknown, param = 'input'): JsonObject[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  if (!Array.isArray(input)) throw wrong(`${param} must be a text or a list of items`, param);
  for (const [at, item] of input.entries()) if (!isObject(item)) throw wrong(`${param}[${at}] must be an object`, `${param}[${at}]`);
  return input as JsonObject[];
}

/** Whether an item only names one that was stored. The type may be left out. */
export function isReference({ type, id, role }: JsonObject): boolean {
  return type === 'item_reference' || ((type === undefined || type === null) && typeof id === 'string' && role === undefined);
}

/** What the ids of items begin with, by their types. */
const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
};

/** The id of a new object or item. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(20).toString('hex')}`;

/** A new id for an item. */
export const newItemId = ({ type = 'message' }: JsonObject): string => newId(prefixes[String(type)] ?? 'item');

/** An item as lists of items show it: messages have a status, and their content is a list. */
export function shownItem(item: JsonObject, id: string): JsonObject {
  const { type = 'message', role, content } = item;
  if (type !== 'message') return { ...item, id };
  const kind = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type: kind, text: content, ...(kind === 'output_text' && { annotations: [] }) }] : content;
  return { type, status: 'completed', ...item, id, content: parts };
}

/** One page of a list as `order`, `after` and `limit` of a query select it. Throws: AppError `invalid_request`. */
export function pageOf<Item extends { id?: unknown }>(all: readonly Item[], query: URLSearchParams): JsonObject & { data: Item[] } {
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw wrong('order must be asc or desc', 'order');
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw wrong('limit must be an integer from 1 to 100', 'limit');
  const sorted = order === 'asc' ? all : [...all].reverse();
  const after = query.get('after');
  const at = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== null && at === 0) throw wrong(`after: no item has the id ${after}`, 'after');
  const data = sorted.slice(at, at + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: at + limit < sorted.length,
  };
}
