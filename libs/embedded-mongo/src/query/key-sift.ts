import type { Index } from '../storage/index-spec.ts';
import { keyOf } from '../values/key.ts';
import type { Filter, Predicate, TextPattern } from './filter.ts';
import { boundBytes } from './interval.ts';
import { literalOf, longestFolded } from './needles.ts';

/**
 * Bytes that the key of a document in an index must hold for the document to match; where letters may be of either case, a text in small ones; what it
 * must begin with.
 */
export type KeyNeedle = Buffer | string | { head: Buffer };

/** Of each list a key holds one needle. */
export type KeySift = KeyNeedle[][];

const mostNeedles = 8;
/** A shorter one tells nothing apart: nearly all keys hold it. */
const leastBytes = 3;

interface List {
  needles: KeyNeedle[];
  /** A part of a text is among them. */
  isSearch: boolean;
}

/**
 * What the keys of `index` tell of the documents that a search by parts of texts finds, beyond the fields by which its ranges are `bound`. SQLite looks for it in the
 * keys alone, which costs a quarter of looking at the documents. Nothing where one document has several keys.
 */
export function keySiftOf(filter: Filter, index: Index, bound: ReadonlySet<string>): KeySift {
  if (index.multikey) return [];
  const fields = index.fields.filter(({ path, descending }) => !descending && !bound.has(path.name));
  const names = fields.map(({ path }) => path.name);
  const lists = listsOf(filter, { fields: new Set(names), first: fields[0] === index.fields[0] ? names[0] : undefined });
  return lists.some(({ isSearch }) => isSearch) ? lists.map(({ needles }) => needles) : [];
}

/** The fields that a key holds, and the one that it begins with. */
interface Held {
  fields: ReadonlySet<string>;
  first: string | undefined;
}

function listsOf({ predicates, patterns, alternatives }: Filter, held: Held): List[] {
  const lists = [
    ...predicates.map((own) => ({ needles: held.fields.has(own.path.name) ? needlesOfPoints(own, held) : undefined, isSearch: false })),
    ...patterns.map((own) => ({ needles: held.fields.has(own.path.name) ? needlesOfText(own) : undefined, isSearch: true })),
    ...alternatives.map((options) => anyOf(options.map((option) => listsOf(option, held)[0]))),
  ];
  return lists.filter((list) => list?.needles !== undefined) as List[];
}

function anyOf(each: (List | undefined)[]): List | undefined {
  if (each.includes(undefined)) return undefined;
  const lists = each as List[];
  const all = new Map(lists.flatMap(({ needles }) => needles).map((needle) => [nameOf(needle), needle]));
  return all.size <= mostNeedles ? { needles: [...all.values()], isSearch: lists.some(({ isSearch }) => isSearch) } : undefined;
}

function nameOf(needle: KeyNeedle): string {
  if (typeof needle === 'string') return `text ${needle}`;
  return Buffer.isBuffer(needle) ? `bytes ${needle.toString('latin1')}` : `head ${needle.head.toString('latin1')}`;
}

function needlesOfPoints({ path, intervals, negated, exists }: Predicate, { first }: Held): KeyNeedle[] | undefined {
  const isUseful = !negated && exists === undefined && intervals.length > 0 && intervals.length <= mostNeedles;
  if (!isUseful || !intervals.every(({ low, point }) => point && low.key.length >= leastBytes)) return undefined;
  return intervals.map(({ low }) => (path.name === first ? { head: low.key } : low.key));
}

function needlesOfText({ pattern }: TextPattern): KeyNeedle[] | undefined {
  const text = literalOf(pattern.source);
  if (text === undefined) return undefined;
  const needle = pattern.flags.includes('i') ? inEitherCase(longestFolded(text)) : keyOf(text).subarray(1, -2);
  return Buffer.byteLength(needle) >= leastBytes ? [needle] : undefined;
}

/** Digits, marks, Chinese and the like have no cases: looking for their bytes costs half of looking for a text. */
function inEitherCase(folded: string): KeyNeedle & (Buffer | string) {
  return folded === folded.toUpperCase() ? Buffer.from(folded) : folded;
}

/** The sift as a condition of SQLite's on the column `key`, with its values. */
export function siftedBy(sift: KeySift, key: string): { condition: string; values: (Buffer | string)[] } {
  const values: (Buffer | string)[] = [];
  const holds = (needle: KeyNeedle): string => {
    if (typeof needle === 'string' || Buffer.isBuffer(needle)) {
      values.push(needle);
      return typeof needle === 'string' ? `instr(lower(CAST(${key} AS TEXT)), ?)` : `instr(${key}, ?)`;
    }
    values.push(needle.head, boundBytes({ key: needle.head, after: true }));
    return `(${key} >= ? AND ${key} < ?)`;
  };
  return { condition: sift.map((list) => `(${list.map(holds).join(' OR ')})`).join(' AND '), values };
}

/**
 * Whether a run of keys may hold what the sift looks for, in any of them: one look at many keys takes a fifth of a look at each. Bytes are read as Latin
 * letters, so that what differs by case alone passes, and some more.
 */
export function textSift(sift: KeySift): (keys: Buffer) => boolean {
  const bytesOf = (needle: KeyNeedle) => (typeof needle === 'string' || Buffer.isBuffer(needle) ? Buffer.from(needle) : needle.head);
  const patterns = sift.map((list) => new RegExp(list.map((needle) => RegExp.escape(bytesOf(needle).toString('latin1'))).join('|'), 'i'));
  return (keys) => {
    const text = keys.toString('latin1');
    return patterns.every((pattern) => pattern.test(text));
  };
}
