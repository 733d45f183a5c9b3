import { isObject } from './objects.ts';
import type { Tool } from './openai/types.ts';
import type { JsonObject } from './provider.ts';

/** The only argument of a function that replaces a free-text tool. */
const textField = 'input';
/** Characters of a `\uXXXX`, of which the last may be missing. */
const longestEscape = 5;
const parameters = {
  type: 'object',
  properties: { [textField]: { type: 'string', description: 'The input of the tool, as plain text' } },
  required: [textField],
  additionalProperties: false,
};

export interface FreeTextTool {
  name: string;
  description?: unknown;
  /** The grammar that the text must follow, as Responses states it. */
  grammar?: { syntax?: unknown; definition?: unknown } | undefined;
}

/** A tool of free text as the function of one string argument, for providers that have functions alone. A grammar goes into its description. */
export function freeTextFunction({ name, description, grammar }: FreeTextTool): NonNullable<Tool['function']> {
  const described = typeof description === 'string' ? description : '';
  const syntax = typeof grammar?.syntax === 'string' ? grammar.syntax.slice(0, 64) : 'given';
  const rule = typeof grammar?.definition === 'string' ? `\n\nThe input keeps to this ${syntax} grammar:\n${grammar.definition}` : '';
  return { name, description: described + rule, parameters };
}

/** The arguments that carry a free text. */
export function freeTextArguments(input: string): string {
  return JSON.stringify({ [textField]: input });
}

/** The free text in the arguments of a call; a model that wrote no such object meant the text itself. */
export function freeTextIn(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (isObject(value) && typeof value[textField] === 'string') return value[textField];
  } catch {
    // a model may answer in plain words
  }
  return args;
}

/** The free text in arguments that break off, as far as it has come. */
export function freeTextSoFar(args: string): string {
  const begins = /^\s*\{\s*"input"\s*:\s*"/.exec(args)?.[0];
  if (begins === undefined) return freeTextIn(args);
  const text = args.slice(begins.length);
  for (let cut = 0; cut <= Math.min(longestEscape, text.length); cut += 1) {
    try {
      return JSON.parse(`"${cut === 0 ? text : text.slice(0, -cut)}"`) as string;
    } catch {
      // it ends in the middle of an escape, or behind the text
    }
  }
  return freeTextIn(args);
}

/** A call of free text (`custom`) of chat completions as the call of its function. */
export function functionCallOf({ custom, ...call }: JsonObject): JsonObject {
  const { name, input } = isObject(custom) ? custom : {};
  return { ...call, type: 'function', function: { name, arguments: freeTextArguments(typeof input === 'string' ? input : '') } };
}
