import { z } from 'zod';
import { isNestedTooDeeply } from '../json-text.ts';
import { withoutEndSlashes } from '../text-limits.ts';
import type { About, OptionDefinition, Words } from './definition.ts';

const asText = z.string().max(1_000_000);

export function flag(about: About, initially: boolean): OptionDefinition<boolean> {
  const schema = z.enum(['true', 'false']).transform((text) => text === 'true');
  return { access: 'root', ...about, kind: 'flag', schema, defaultText: String(initially) };
}

type Range = { min?: number; max?: number };

export function number(about: About, initially: number, range: Range = {}): OptionDefinition<number> {
  return { ...numeric(about, z.number(), initially, range), kind: 'number' };
}

export function integer(about: About, initially: number, range: Range = {}): OptionDefinition<number> {
  return { ...numeric(about, z.int(), initially, range), kind: 'integer' };
}

function numeric(about: About, value: z.ZodNumber, initially: number, range: Range): Omit<OptionDefinition<number>, 'kind'> {
  const { min = -1e15, max = 1e15 } = range;
  const schema = asText
    .regex(/^\s*-?\d+(\.\d+)?\s*$/, 'must be a number')
    .transform(Number)
    .pipe(value.min(min).max(max));
  return { access: 'root', ...about, ...range, schema, defaultText: String(initially) };
}

export function text(about: About, initially = ''): OptionDefinition<string> {
  return { access: 'root', ...about, kind: 'text', schema: asText, defaultText: initially };
}

/** A text of many lines that pages show: Markdown or HTML. */
export function markup(about: About): OptionDefinition<string> {
  return { ...text(about), kind: 'markup' };
}

/** An http(s) address without its trailing slashes, or nothing. */
export function address(about: About, initially = ''): OptionDefinition<string> {
  const schema = addressText((text) => withoutEndSlashes(text.trim()));
  return { access: 'root', ...about, kind: 'address', schema, defaultText: initially };
}

/** An address that is also a name, of which each character counts. */
export function exactAddress(about: About): OptionDefinition<string> {
  return { access: 'root', ...about, kind: 'address', schema: addressText((text) => text.trim()), defaultText: '' };
}

function addressText(tidied: (text: string) => string) {
  return asText.transform(tidied).refine((text) => text === '' || isHttpUrl(text), 'must be an http or https address');
}

export function choice<const T extends string>(
  about: About,
  choices: Readonly<Record<T, Words>>,
  initially: NoInfer<T>,
): OptionDefinition<T> {
  const schema = z.enum(Object.keys(choices) as [T, ...T[]]) as unknown as z.ZodType<T, string>;
  return { access: 'root', ...about, kind: 'choice', choices, schema, defaultText: initially };
}

/** One entry a line; blanks around entries and empty entries do not count. */
export function list(about: About, initially: string[]): OptionDefinition<string[]> {
  return { ...entries(about, initially, '\n'), kind: 'list' };
}

/** Short entries with commas between them. */
export function tags(about: About, initially: string[]): OptionDefinition<string[]> {
  return { ...entries(about, initially, ','), kind: 'tags' };
}

function entries(about: About, initially: string[], separator: '\n' | ','): Omit<OptionDefinition<string[]>, 'kind'> {
  const schema = asText.transform((text) =>
    text
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );
  return { access: 'root', ...about, schema, defaultText: initially.join(separator) };
}

/** A JSON text of the given shape. */
export function json<T>(about: About, shape: z.ZodType<T>, initially: T): OptionDefinition<T> {
  const schema = asText
    .transform((text, context) => {
      const told = (message: string): never => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      if (isNestedTooDeeply(text)) return told('is nested too deeply');
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return told('must be valid JSON');
      }
    })
    .pipe(shape as unknown as z.ZodType<T, unknown>);
  return { access: 'root', ...about, kind: 'json', schema, defaultText: JSON.stringify(initially) };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}
