import { z } from 'zod';
import { withoutEndSlashes } from '../text-limits.ts';

/** Who may read an option: everyone (it is in `/api/status`), root only, or nobody (written, never answered). */
export type OptionAccess = 'public' | 'root' | 'secret';

/** The page section of an option, in the settings. */
export type OptionSection =
  | 'general'
  | 'drawing'
  | 'words'
  | 'log'
  | 'dashboard'
  | 'monitoring'
  | 'quota'
  | 'chat'
  | 'groups'
  | 'ratios'
  | 'ratelimit'
  | 'server'
  | 'payment'
  | 'login'
  | 'domains'
  | 'smtp'
  | 'oauth'
  | 'other';

export interface OptionDefinition<T = unknown> {
  section: OptionSection;
  access: OptionAccess;
  /** Reads the stored text; throws a ZodError that says what is wrong with it. */
  schema: z.ZodType<T, string>;
  /** The text that holds when nobody has set the option. */
  defaultText: string;
}

type Place = { section: OptionSection; access?: OptionAccess };

const asText = z.string().max(1_000_000);

export function flag(place: Place, initially: boolean): OptionDefinition<boolean> {
  const schema = z.enum(['true', 'false']).transform((text) => text === 'true');
  return { access: 'root', ...place, schema, defaultText: String(initially) };
}

export function number(
  place: Place,
  initially: number,
  range: { min?: number; max?: number; integer?: boolean } = {},
): OptionDefinition<number> {
  const { min = -1e15, max = 1e15, integer = false } = range;
  const value = integer ? z.int() : z.number();
  const schema = asText
    .regex(/^\s*-?\d+(\.\d+)?\s*$/, 'must be a number')
    .transform(Number)
    .pipe(value.min(min).max(max));
  return { access: 'root', ...place, schema, defaultText: String(initially) };
}

export function integer(place: Place, initially: number, range: { min?: number; max?: number } = {}): OptionDefinition<number> {
  return number(place, initially, { ...range, integer: true });
}

export function text(place: Place, initially = ''): OptionDefinition<string> {
  return { access: 'root', ...place, schema: asText, defaultText: initially };
}

/** An http(s) address without its trailing slashes, or nothing. */
export function address(place: Place, initially = ''): OptionDefinition<string> {
  const schema = asText
    .transform((text) => withoutEndSlashes(text.trim()))
    .refine((text) => text === '' || isHttpUrl(text), 'must be an http or https address');
  return { access: 'root', ...place, schema, defaultText: initially };
}

export function choice<const T extends string>(place: Place, values: readonly [T, ...T[]], initially: T): OptionDefinition<T> {
  return { access: 'root', ...place, schema: z.enum(values) as unknown as z.ZodType<T, string>, defaultText: initially };
}

/** One entry a line (or another separator); blanks around entries and empty entries do not count. */
export function list(place: Place, initially: string[], separator: '\n' | ',' = '\n'): OptionDefinition<string[]> {
  const schema = asText.transform((text) =>
    text
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );
  return { access: 'root', ...place, schema, defaultText: initially.join(separator) };
}

/** A JSON text of the given shape. */
export function json<T>(place: Place, shape: z.ZodType<T>, initially: T): OptionDefinition<T> {
  const schema = asText
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(shape as unknown as z.ZodType<T, unknown>);
  return { access: 'root', ...place, schema, defaultText: JSON.stringify(initially) };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}
