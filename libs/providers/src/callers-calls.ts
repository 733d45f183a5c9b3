import { freeTextIn, freeTextSoFar } from './free-text-tools.ts';
import { isObject } from './objects.ts';
import type { JsonObject } from './provider.ts';

/** In which form a caller has the tools that its provider got as functions with names of the provider's rules. */
export interface ToldTools {
  /** The caller's own names by those that the provider got, where they differ. */
  names: ReadonlyMap<string, string>;
  /** The caller's own names of its tools of free text. */
  freeText: ReadonlySet<string>;
  /** The caller uses `functions`: an answer has one `function_call`. */
  isLegacy: boolean;
}

/** A call of free text of which the arguments are still coming. */
interface OpenCall {
  choice: unknown;
  index: unknown;
  args: string;
}

/** Calls of tools in the caller's own form: of a whole answer, or of one stream, chunk by chunk. */
export class CallersCalls {
  readonly #tools: ToldTools;
  /** By choice and index. */
  readonly #open = new Map<string, OpenCall>();
  #last: JsonObject = {};

  constructor(tools: ToldTools) {
    this.#tools = tools;
  }

  get keptBytes(): number {
    let bytes = 0;
    for (const { args } of this.#open.values()) bytes += args.length;
    return bytes;
  }

  whole(answer: JsonObject): JsonObject {
    return withPieces(answer, 'message', (choice, message) => {
      const calls = (message.tool_calls as JsonObject[]).map((call) => this.#whole(this.#named(call)));
      if (!this.#tools.isLegacy) return { ...choice, message: { ...message, tool_calls: calls } };
      const { tool_calls: _calls, ...rest } = message;
      return legacyEnd({ ...choice, message: { ...rest, function_call: calls[0]?.function } });
    });
  }

  chunk(chunk: JsonObject): JsonObject {
    const { choices } = chunk;
    if (!Array.isArray(choices) || choices.length === 0) return chunk;
    const told = withPieces(chunk, 'delta', (choice, delta) => {
      const calls = (delta.tool_calls as JsonObject[]).flatMap((call) => this.#piece(choice.index ?? 0, this.#named(call)));
      if (!this.#tools.isLegacy) return { ...choice, delta: { ...delta, tool_calls: calls } };
      const { tool_calls: _calls, ...rest } = delta;
      const [first] = calls.filter(({ index }) => (index ?? 0) === 0);
      return { ...choice, delta: { ...rest, ...(first && { function_call: first.function }) } };
    });
    if (this.#tools.isLegacy) return { ...told, choices: (told.choices as JsonObject[]).map(legacyEnd) };
    if (this.#tools.freeText.size === 0) return told;
    this.#last = chunk;
    return { ...told, choices: (told.choices as JsonObject[]).map((choice) => this.#ended(choice)) };
  }

  /** The free text that has come of calls whose end has not, as a chunk; undefined for none. */
  rest(): JsonObject | undefined {
    const open = [...this.#open.values()];
    this.#open.clear();
    if (open.length === 0) return undefined;
    const choices = open.map(({ choice, index, args }) => ({
      index: choice,
      delta: { tool_calls: [{ index, custom: { input: freeTextSoFar(args) } }] },
      finish_reason: null,
    }));
    return { ...this.#last, choices };
  }

  #named(call: JsonObject): JsonObject {
    const called = call?.function;
    const name = isObject(called) ? this.#tools.names.get(called.name as string) : undefined;
    return name === undefined ? call : { ...call, function: { ...(called as JsonObject), name } };
  }

  #whole(call: JsonObject): JsonObject {
    const { function: called, ...rest } = call;
    if (!isObject(called) || !this.#tools.freeText.has(called.name as string)) return call;
    return { ...rest, type: 'custom', custom: { name: called.name, input: freeTextIn(String(called.arguments ?? '')) } };
  }

  #piece(choice: unknown, call: JsonObject): JsonObject[] {
    const { function: called, ...rest } = call;
    const { name, arguments: args } = isObject(called) ? called : {};
    const index = call.index ?? 0;
    const key = `${choice} ${index}`;
    const open = this.#open.get(key);
    const piece = typeof args === 'string' ? args : '';
    if (open !== undefined && (name === undefined || name === '')) {
      open.args += piece;
      return [];
    }
    if (typeof name !== 'string' || !this.#tools.freeText.has(name)) return [call];
    this.#open.set(key, { choice, index, args: piece });
    return [{ ...rest, type: 'custom', custom: { name, input: '' } }];
  }

  /** The choice with the input of its calls before its end. */
  #ended(choice: JsonObject): JsonObject {
    if (!choice.finish_reason) return choice;
    const inputs: JsonObject[] = [];
    for (const [key, open] of this.#open) {
      if (open.choice !== (choice.index ?? 0)) continue;
      this.#open.delete(key);
      inputs.push({ index: open.index, custom: { input: freeTextIn(open.args) } });
    }
    if (inputs.length === 0) return choice;
    const delta = isObject(choice.delta) ? choice.delta : {};
    return { ...choice, delta: { ...delta, tool_calls: [...((delta.tool_calls as JsonObject[]) ?? []), ...inputs] } };
  }
}

/** A piece without calls stays as it is. */
function withPieces(
  answer: JsonObject,
  place: 'message' | 'delta',
  changed: (choice: JsonObject, piece: JsonObject) => JsonObject,
): JsonObject {
  if (!Array.isArray(answer.choices)) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice: JsonObject | null) => {
      const piece = choice?.[place];
      return isObject(piece) && Array.isArray(piece.tool_calls) && piece.tool_calls.length > 0
        ? changed(choice as JsonObject, piece)
        : choice;
    }),
  };
}

function legacyEnd(choice: JsonObject): JsonObject {
  return choice?.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'function_call' } : choice;
}
