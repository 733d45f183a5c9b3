import { type Route, type RouteName, routes } from '@tollgate/contracts';
import type { z } from 'zod';
import type { Sent } from './world.ts';

/** So many wrong bodies and so many wrong queries each route is sent that takes any. */
export const shapesOfEach = 200;

const operators = [{ $ne: null }, { $gt: '' }, { $where: 'sleep(1000)' }, { $regex: '.*' }, [{ $in: [1] }]];
const numbers = [-1, 1.5, 1e300, 2 ** 53, -(2 ** 31) - 1];
const texts = [
  '',
  'text',
  '\u0000',
  ' ',
  '1e400',
  '0x10',
  '١٢',
  '\u202e',
  'null',
  '../..',
  "'; drop",
  '<b>',
  '%',
  '=1+1',
  'x'.repeat(5000),
];
const odd: unknown[] = [null, true, [], {}, ['x'], [[[]]], { a: 1 }, ...numbers, ...texts, ...operators];
/** Put into a body's text, or in the place of its end. */
const junk = [
  '\u0001',
  '\u001f',
  '}{',
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\u0000',
  '\n"',
  '//',
  "'",
  'NaN',
  '-',
  '1.',
  '{"a":1}',
  'true',
  '\\u12',
  '#',
];

/** What is wrong with a call in one place, and is else its example. */
export function wrongShapes(name: RouteName): Partial<Sent>[] {
  const { body, query, params, example = {} }: Route = routes[name];
  return [
    ...(body ? wrongBodies(body, example.body as Record<string, unknown>).map((each) => ({ body: each })) : []),
    ...(query ? wrongQueries(query) : []).map((each) => ({ query: each })),
    ...(name.includes(':id') && !params ? ['abc', '-1', '1.5', '0x1', '9'.repeat(30), '\u0000', ' '] : []).map((id) => ({
      params: { id },
    })),
  ];
}

function wrongBodies(schema: z.ZodType, example: Record<string, unknown>): unknown[] {
  const fields = Object.keys((schema as z.ZodObject).shape ?? example);
  const bodies = [
    undefined,
    [],
    ...Object.keys(example).map((field) => ({ ...example, [field]: undefined })),
    ...fields.flatMap((field) => odd.map((value) => ({ ...example, [field]: value }))),
    ...fields.map((field) => ({ ...example, [field]: 'x'.repeat(200_000) })).slice(0, 3),
  ].filter((body) => !schema.safeParse(body === undefined ? body : JSON.parse(JSON.stringify(body))).success);
  const fielded = evenly(bodies, shapesOfEach * 0.75);
  return [...fielded, ...evenly(torn(JSON.stringify(example)), shapesOfEach - fielded.length)];
}

/** Texts that are no JSON, or no object. */
function torn(text: string): string[] {
  const places = Array.from(text, (_, place) => place);
  const broken = [
    ...places.map((place) => text.slice(0, place)).slice(1),
    ...junk.flatMap((piece) => places.map((place) => text.slice(0, place) + piece + text.slice(place))),
  ];
  return ['[1]', '"text"', ...broken.filter((each) => !isJson(each))];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Of a query, what stands there twice, is too long, or is no such thing. */
function wrongQueries(schema: z.ZodType): string[] {
  const queries = Object.keys((schema as z.ZodObject).shape).flatMap((field) => {
    const values = [...texts.flatMap((one) => texts.map((other) => [one, other])), ...texts];
    return values
      .filter((value) => !schema.safeParse({ [field]: value }).success)
      .map((value) => new URLSearchParams([value].flat().map((each): [string, string] => [field, each])).toString());
  });
  return evenly(
    queries.filter((query) => query.length < 8000), // a longer address is refused before
    shapesOfEach,
  );
}

/** So many of them, from all parts of the list. */
function evenly<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as Item);
}
