import { z } from 'zod';

export const argumentPiece = z.object({
  jsonPath: z.string().nullish(),
  stringValue: z.string().nullish(),
  numberValue: z.number().nullish(),
  boolValue: z.boolean().nullish(),
});
type ArgumentPiece = z.infer<typeof argumentPiece>;

/** A key of an object, or a place in a list. */
type Step = string | number;
type Holder = Record<Step, unknown>;

/**
 * The arguments of a call that come value by value, long texts in several pieces (`streamFunctionCallArguments`).
 * Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export class PiecedArguments {
  readonly #values: Holder = {};
  /** About what they take. */
  keptBytes = 0;

  add(pieces: readonly ArgumentPiece[]): void {
    for (const piece of pieces) {
      this.keptBytes += (piece.jsonPath?.length ?? 0) + (piece.stringValue?.length ?? 0);
      this.#put(stepsOf(piece.jsonPath ?? ''), piece);
    }
  }

  /** All of them, as JSON. */
  get text(): string {
    return JSON.stringify(this.#values);
  }

  #put(steps: readonly Step[], { stringValue, numberValue, boolValue }: ArgumentPiece): void {
    const last = steps.at(-1);
    if (last === undefined) return;
    let holder = this.#values;
    for (const [at, step] of steps.slice(0, -1).entries()) holder = holderIn(holder, step, typeof steps[at + 1] === 'number');
    const key = placeIn(holder, last);
    const before = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const text = typeof before === 'string' && typeof stringValue === 'string' ? before + stringValue : stringValue;
    own(holder, key, text ?? numberValue ?? boolValue ?? null);
  }
}

function holderIn(holder: Holder, step: Step, isList: boolean): Holder {
  const key = placeIn(holder, step);
  const found = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (typeof found === 'object' && found !== null) return found as Holder;
  const made = (isList ? [] : {}) as Holder;
  own(holder, key, made);
  return made;
}

/** A list has no gaps. */
function placeIn(holder: Holder, step: Step): Step {
  return Array.isArray(holder) && typeof step === 'number' ? Math.min(step, holder.length) : step;
}

/** As its own, whatever it is called. */
function own(holder: Holder, key: Step, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const mostSteps = 100;

/** `$.trip.stops[0]['name']` as its steps. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, key, at, quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d{1,6})\]|\[['"]([^'"]*)['"]\]/g)) {
    if (steps.length < mostSteps) steps.push(at === undefined ? (key ?? quoted ?? '') : Number(at));
  }
  return steps;
}
