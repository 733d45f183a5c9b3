import { isObject, objectsIn } from '../objects.ts';
import type { JsonObject, Stamp } from '../provider.ts';
import { endOf } from './chunk.ts';
import type { FinishReason } from './types.ts';

/** Texts that come piece by piece; any other is said again whole, if at all. */
const piecewise = new Set(['content', 'reasoning_content', 'reasoning', 'refusal', 'text', 'arguments', 'data', 'transcript']);
/** Objects within a piece that are pieces themselves: speech, the function of a call, likelihoods. What is deeper is told whole. */
const mostDepth = 4;

interface Choice {
  index: number;
  /** What its pieces say together. */
  said: JsonObject;
  calls: JsonObject[];
  /** Which call a number, or an id, stands for now. */
  numbered: Map<unknown, JsonObject>;
  logprobs?: JsonObject;
  finishReason: FinishReason;
}

/**
 * The answer that the chunks of a stream say together, put together as they come: of a conversation, or of a text that is gone on with. What
 * stands beside its choices is told as it was told last.
 */
export class WholeOfChunks {
  readonly #choices = new Map<number, Choice>();
  readonly #beside = new Map<string, unknown>();
  #isText = false;

  add({ choices, obfuscation: _padding, ...more }: JsonObject): void {
    for (const [key, value] of Object.entries(more)) if (value !== null) this.#beside.set(key, value);
    for (const piece of objectsIn(choices)) {
      this.#isText ||= 'text' in piece;
      addTo(choiceAt(this.#choices, piece), piece);
    }
  }

  answer(head: Stamp): JsonObject {
    const all = [...this.#choices.values()].sort((a, b) => a.index - b.index);
    return {
      ...Object.fromEntries(this.#beside),
      id: head.id,
      object: this.#isText ? 'text_completion' : 'chat.completion',
      created: head.createdSeconds,
      model: head.model,
      choices: all.map(this.#isText ? textChoice : chatChoice),
    };
  }
}

function choiceAt(choices: Map<number, Choice>, { index }: JsonObject): Choice {
  const at = typeof index === 'number' ? index : 0;
  const known: Choice = choices.get(at) ?? { index: at, said: empty(), calls: [], numbered: new Map(), finishReason: 'stop' };
  choices.set(at, known);
  return known;
}

function addTo(choice: Choice, { delta, text, logprobs, finish_reason: reason }: JsonObject): void {
  if (isObject(delta)) {
    const { tool_calls: calls, ...said } = delta;
    add(choice.said, said);
    for (const call of objectsIn(calls)) addCall(choice, call);
  }
  if (typeof text === 'string') add(choice.said, { text });
  if (isObject(logprobs)) {
    choice.logprobs ??= empty();
    add(choice.logprobs, logprobs);
  }
  if (typeof reason === 'string' && reason !== '') choice.finishReason = reason as FinishReason;
}

function chatChoice({ index, said, calls, logprobs, finishReason }: Choice): JsonObject {
  const { role: _role, content = '', ...more } = said;
  const told = calls.map(({ index: _index, ...call }) => ({ type: 'function', ...call }));
  const message = {
    role: 'assistant',
    content: content === '' && (told.length > 0 || more.refusal) ? null : content,
    ...more,
    ...(told.length > 0 && { tool_calls: told }),
  };
  return { index, message, logprobs: logprobs ?? null, finish_reason: endOf(finishReason, told.length > 0) };
}

function textChoice({ index, said, logprobs, finishReason }: Choice): JsonObject {
  return { index, text: said.text ?? '', logprobs: logprobs ?? null, finish_reason: finishReason };
}

/** Adds what a piece says to what the pieces before it said. */
function add(said: JsonObject, piece: JsonObject, depth = 0): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = said[key];
    if (value === null || value === undefined) continue;
    if (Array.isArray(value)) said[key] = withParts(before, value);
    else if (isObject(value) && depth < mostDepth) said[key] = added(before, value, depth + 1);
    else if (piecewise.has(key) && typeof value === 'string') said[key] = withText(before, value);
    else if (value !== '' || before === undefined) said[key] = value;
  }
}

function added(before: unknown, piece: JsonObject, depth: number): JsonObject {
  const said = isObject(before) ? before : empty();
  add(said, piece, depth);
  return said;
}

function withText(before: unknown, text: string): unknown {
  if (Array.isArray(before)) return text === '' ? before : withParts(before, [{ type: 'text', text }]);
  return typeof before === 'string' ? before + text : text;
}

/** Lists go on. Some providers say content in parts, behind an empty text. */
function withParts(before: unknown, parts: unknown[]): unknown[] {
  const list = Array.isArray(before) ? before : [];
  if (typeof before === 'string' && before !== '') list.push({ type: 'text', text: before });
  for (const part of parts) list.push(part);
  return list;
}

/** Not every provider numbers its calls, and some give all the same number: there one with a name and an id of its own is another call. */
function addCall({ calls, numbered }: Choice, piece: JsonObject): void {
  const last = calls.at(-1);
  const known = piece.index === undefined && !piece.id ? last : numbered.get(piece.index ?? piece.id);
  const isAnother = known === undefined || (piece.id && piece.id !== known.id && nameOf(piece) && known.id);
  const call = isAnother ? empty() : known;
  if (isAnother) {
    calls.push(call);
    numbered.set(piece.index ?? piece.id, call);
  }
  const { name, ...called } = isObject(piece.function) ? piece.function : {};
  add(call, { ...piece, function: nameOf(call) === '' ? { name, ...called } : called });
}

function nameOf({ function: called }: JsonObject): unknown {
  return (isObject(called) && called.name) || '';
}

/** Its keys are a provider's, whatever they are. */
function empty(): JsonObject {
  return Object.create(null) as JsonObject;
}
