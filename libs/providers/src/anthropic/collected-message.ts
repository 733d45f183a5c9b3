import { parseExact } from '../exact-json.ts';
import { isObject, objectOf } from '../objects.ts';
import type { OwnWhole } from '../own-whole.ts';
import type { JsonObject } from '../provider.ts';
import { mergedUsage } from './usage.ts';

interface OpenBlock {
  block: JsonObject;
  /** The input of a tool, as far as it has come. */
  input: string;
  citations: unknown[];
}

/** What each kind of delta goes on with; any other says what it says once. */
const pieces: readonly (readonly [kind: string, field: string])[] = [
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
];

/** The message that its events say, blocks of tools that ran at Anthropic included. Source: https://docs.anthropic.com/en/api/messages-streaming */
export function collectedMessage(): OwnWhole {
  let message: JsonObject | undefined;
  const open = new Map<unknown, OpenBlock>();
  const content: JsonObject[] = [];

  function addDelta({ index, delta: stated }: JsonObject): void {
    const its = open.get(index);
    const delta = objectOf(stated);
    if (its === undefined) return;
    const { block } = its;
    if (delta.type === 'input_json_delta') its.input += textOf(delta.partial_json);
    if (delta.type === 'citations_delta') its.citations.push(delta.citation);
    for (const [kind, field] of pieces) if (delta.type === kind) block[field] = textOf(block[field]) + textOf(delta[field]);
  }

  const handlers: Record<string, (event: JsonObject) => void> = {
    message_start({ message: begun }) {
      message = { ...objectOf(begun) };
    },
    content_block_start({ index, content_block: begun }) {
      const block = { ...objectOf(begun) };
      content.push(block);
      open.set(index, { block, input: '', citations: Array.isArray(block.citations) ? [...block.citations] : [] });
    },
    content_block_delta: addDelta,
    content_block_stop({ index }) {
      const its = open.get(index);
      open.delete(index);
      if (its !== undefined && its.input.trim() !== '') its.block.input = parsed(its.input);
      if (its !== undefined && its.citations.length > 0) its.block.citations = its.citations;
    },
    message_delta({ type: _type, delta, usage, ...more }) {
      if (message === undefined) return;
      const bill = isObject(usage) ? { usage: mergedUsage(objectOf(message.usage), usage) } : {};
      message = { ...message, ...objectOf(delta), ...more, ...bill };
    },
  };
  return {
    add({ data }) {
      const event = objectOf(parsed(data));
      if (typeof event.type === 'string' && Object.hasOwn(handlers, event.type)) handlers[event.type]?.(event);
    },
    get answer() {
      return typeof message?.stop_reason === 'string' ? { type: 'message', role: 'assistant', ...message, content } : undefined;
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What is no JSON is told as it is. */
function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return { arguments: text };
  }
}
