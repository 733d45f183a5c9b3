import { bsonType } from '../values/document.ts';

/**
 * Bytes that a document must hold somewhere to match, or, where letters may be of either case, a pattern for its bytes read as Latin-1. Looking for
 * them in many documents at once costs a fraction of taking these apart.
 */
export type Needle = Buffer | RegExp;

const mostNeedles = 32;

/** For an equality with one of these values: any of the needles; undefined where nothing can be said. */
export function needlesOfValues(field: string, values: readonly unknown[]): Needle[] | undefined {
  const needles = values.map((value) => (typeof value === 'string' ? [text(value)] : number(field, value)));
  if (needles.length === 0 || needles.includes(undefined)) return undefined;
  const all = needles.flat() as Needle[];
  return all.length <= mostNeedles ? all : undefined;
}

/** A whole text, wherever it stands, as its length and itself. */
function text(value: string): Needle {
  const bytes = Buffer.from(`\0\0\0\0${value}\0`);
  bytes.writeInt32LE(bytes.length - 4);
  return bytes;
}

/** A whole number in each of the ways that a document may hold it under this name; of decimals and arrays the name alone. */
function number(field: string, value: unknown): Needle[] | undefined {
  const whole = Number(String(value));
  const isNumber = typeof value === 'number' || ['Int32', 'Long', 'Double'].includes((value as { _bsontype?: string })?._bsontype ?? '');
  if (!isNumber || !Number.isSafeInteger(whole) || whole === 0 || field.includes('.')) return undefined;
  const element = (type: number, bytes: number): Buffer => {
    const head = Buffer.from(`\0${field}\0`);
    head[0] = type;
    return Buffer.concat([head, Buffer.alloc(bytes)]);
  };
  const [int, long, double] = [element(bsonType.int32, 4), element(bsonType.long, 8), element(bsonType.double, 8)];
  long.writeBigInt64LE(BigInt(whole), long.length - 8);
  double.writeDoubleLE(whole, double.length - 8);
  const others = [long, double, element(bsonType.decimal, 0), element(bsonType.array, 0)];
  if (whole !== (whole | 0)) return others;
  int.writeInt32LE(whole, int.length - 4);
  return [int, ...others];
}

const literal = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])+$/;

/** The text that a regular expression stands for, when it is a plain one. */
export function literalOf(source: string): string | undefined {
  return literal.test(source) ? source.replace(/\\(.)/g, '$1') : undefined;
}

/** For a regular expression that is a plain text. */
export function needleOfPattern(source: string, ignoresCase: boolean): Needle | undefined {
  const plain = literalOf(source);
  if (plain === undefined) return undefined;
  if (!ignoresCase) return Buffer.from(plain);
  const sameInBothCases = Buffer.from(longest(plain.split(/[^\d!-/:-@[-`{-~\p{Lo}]+/u))); // Chinese and the like have no cases
  if (sameInBothCases.length >= 3) return sameInBothCases;
  const ascii = longest(plain.split(/[^ -~]+/));
  return ascii === '' ? undefined : new RegExp(ascii.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i');
}

/** The longest part of a text, in small letters, that stands so in every text that differs from it by case alone, once ASCII's letters are small there, too. */
export function longestFolded(text: string): string {
  return longest(text.split(/[^ -~\p{Lo}]+/u)).toLowerCase();
}

function longest(parts: string[]): string {
  return parts.reduce((best, part) => (Buffer.byteLength(part) > Buffer.byteLength(best) ? part : best), '');
}

/** Whether a document's bytes hold one of each list. */
export function mayMatch(document: Buffer, needles: readonly Needle[][]): boolean {
  return needles.every((list) => openFinder(document, list)(0) < document.length);
}

/** Finds the first place, from another one on, where one of the needles stands; beyond the end where there is none. Places asked for must not fall. */
export function openFinder(bytes: Buffer, needles: readonly Needle[]): (from: number) => number {
  let latin: string | undefined;
  const finders = needles.map((needle) => {
    if (Buffer.isBuffer(needle)) return (from: number) => bytes.indexOf(needle, from);
    const pattern = new RegExp(needle.source, 'gi');
    return (from: number) => {
      latin ??= bytes.toString('latin1');
      pattern.lastIndex = from;
      return pattern.exec(latin)?.index ?? -1;
    };
  });
  const places = finders.map(() => -1);
  return (from) => {
    let first = bytes.length;
    for (let i = 0; i < finders.length; i++) {
      if ((places[i] as number) < from) {
        const found = (finders[i] as (typeof finders)[0])(from);
        places[i] = found < 0 ? bytes.length : found;
      }
      first = Math.min(first, places[i] as number);
    }
    return first;
  };
}
