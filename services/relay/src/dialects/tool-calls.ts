import { randomUUID } from 'node:crypto';
import { hasLostDigits, type JsonObject, objectsIn, parseExact } from '@tollgate/providers';
import type { SentRequest } from '../context/route.ts';

/** A call of a tool as callers hear it: it has an id, with which its result comes back, and its arguments are a text. */
export interface StatedToolCall {
  id: string;
  name: string;
  args: string;
  /** As the provider told it, under that id. */
  call: JsonObject;
}

/** The calls of a whole answer. */
export function toolCallsIn(calls: unknown): StatedToolCall[] {
  return objectsIn(calls).map((call) => toToolCall(call));
}

/** A piece of a call; pieces of one call have one key. */
export interface CallPiece extends StatedToolCall {
  key: number;
}

/**
 * Tells apart the calls whose pieces a stream brings. Not every provider numbers them: some leave the number out, some give all the
 * same one. There a piece that has a name begins another call, unless it has the id of the one before.
 */
export class CallPieces {
  /** The call that each number stands for now, and the one that came last. */
  readonly #calls = new Map<unknown, { key: number; id: string; stated: string }>();
  #last: unknown;
  #count = 0;

  piecesIn(calls: unknown): CallPiece[] {
    return objectsIn(calls).map((call) => {
      const stated = typeof call.id === 'string' ? call.id : '';
      const number = call.index ?? (stated || this.#last);
      const known = this.#calls.get(number);
      if (known !== undefined && !beginsAnother(call, { stated, before: known.stated }))
        return { ...toToolCall(call, known.id), key: known.key };
      const told = toToolCall(call);
      const key = this.#count++;
      this.#calls.set(number, { key, id: told.id, stated });
      this.#last = number;
      return { ...told, key };
    });
  }
}

function beginsAnother(call: JsonObject, { stated, before }: { stated: string; before: string }): boolean {
  if (nameOf(call) === '') return false;
  return stated === '' ? typeof call.index !== 'number' : before !== '' && stated !== before;
}

function toToolCall(call: JsonObject, id = typeof call.id === 'string' && call.id !== '' ? call.id : madeId()): StatedToolCall {
  const { arguments: stated } = (call.function ?? {}) as JsonObject;
  return { id, name: nameOf(call), args: argumentsOf(stated), call: call.id === id ? call : { ...call, id } };
}

function nameOf({ function: called }: JsonObject): string {
  const { name } = (called ?? {}) as JsonObject;
  return typeof name === 'string' ? name : '';
}

/** Some providers tell the object itself. */
function argumentsOf(stated: unknown): string {
  if (typeof stated === 'string') return stated;
  return typeof stated === 'object' && stated !== null ? JSON.stringify(stated) : '';
}

function madeId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}

/** A request, parsed again with all digits of its integers where arguments of calls, or their results, have lost some: they are told on as text. */
export function withDigits(sent: SentRequest, argumentsIn: (json: JsonObject) => unknown[]): JsonObject {
  if (argumentsIn(sent.json).some(hasLostDigits)) sent.json = parseExact(sent.bytes.toString('utf8')) as JsonObject;
  return sent.json;
}

/** A text of an answer, or the texts of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/** The addresses of pictures that were drawn into an answer. Source: https://openrouter.ai/docs/features/multimodal/image-generation */
export function picturesIn(images: unknown): string[] {
  return objectsIn(images).flatMap(({ image_url: image }) => {
    const url = objectsIn([image])[0]?.url ?? image;
    return typeof url === 'string' ? [url] : [];
  });
}

/** The same for who has no word for them: as words, as Markdown has it. */
export function drawnIn(images: unknown): string {
  return picturesIn(images)
    .map((url) => `![image](${url})`)
    .join('');
}
