import type { Collection } from '../storage/catalogue.ts';
import { toBuffer } from '../values/document.ts';
import { siftedBy, textSift } from './key-sift.ts';
import type { KeyRange, Plan } from './plan.ts';
import { checkStillThere, type Position, type Reader } from './scan.ts';

/** The next documents of a walk as one run of bytes, one behind the other, and the numbers of their rows, parted by commas. */
export interface Run {
  bytes: Buffer;
  rowNumbers: string;
}

/**
 * A walk that takes many documents out of SQLite at once, which costs a third of taking them one by one. Not for a multikey index, which has a
 * document more than once. Where the plan sifts keys, a run has those documents of so many keys that pass, maybe none.
 */
export function openRuns(reader: Reader, collection: Collection, plan: Plan): { next(rows: number): Run | undefined } {
  const { database } = reader;
  const sift = plan.sift && { ...siftedBy(plan.sift, 'i.k'), mayHold: textSift(plan.sift) };
  const ranges = plan.ranges && (plan.reverse ? [...plan.ranges].reverse() : plan.ranges);
  const statements = runStatements(collection, plan, sift?.condition);
  const endOf = ({ where, values }: Bounds, limit: number): Border | undefined => {
    const [end, next] = database.prepare(statements.end(where)).all(...values, limit - 1) as unknown as [Uint8Array, number][];
    return end && { key: toBuffer(end[0]), r: end[1], partsKeys: next !== undefined && Buffer.compare(end[0], next[0]) !== 0 };
  };
  const holdsNothing = ({ where, values }: Bounds): boolean => {
    const [keys] = database.prepare(statements.keys(where)).get(...values) as unknown as [Uint8Array | null];
    return keys === null || sift?.mayHold(toBuffer(keys)) === false;
  };
  let range = 0;
  let last: Border | undefined;
  let looksAtText = true;
  let atOnce = sift || plan.reverse ? 1 : rangesAtOnce;
  return {
    next(limit) {
      checkStillThere(collection, plan);
      if (plan.index) reader.entries.settle(plan.index);
      while (range < (ranges?.length ?? 1)) {
        const several = ranges?.slice(range, range + atOnce) ?? [];
        if (last === undefined && several.length > 1) {
          const values = several.flatMap(({ low, high }) => [low, high]);
          const [bytes, rowNumbers, rows] = database.prepare(statements.several(several.length)).get(...values, limit) as unknown as Found;
          if (rows < limit) {
            range += several.length;
            atOnce = Math.min(atOnce * 2, rangesAtOnce);
            if (bytes) return { bytes: toBuffer(bytes), rowNumbers };
            continue;
          }
          atOnce = Math.floor(several.length / 2);
          continue;
        }
        const own = ranges?.[range];
        const open = statements.bounds(own, { last });
        const end = sift && endOf(open, limit);
        const piece = end ? statements.bounds(own, { last, end }) : open;
        const isEmpty = sift !== undefined && looksAtText && holdsNothing(piece);
        const run = isEmpty ? none : database.prepare(statements.run(piece.where)).get(...piece.values, ...(sift?.values ?? []), limit);
        const [bytes, rowNumbers, rows] = run as unknown as Found;
        looksAtText = bytes === null;
        last = sift || rows < limit ? end : endOf(open, limit);
        if (last === undefined) range++;
        if (bytes) return { bytes: toBuffer(bytes), rowNumbers };
        if (last) return nothing;
      }
      return undefined;
    },
  };
}

type Found = [bytes: Uint8Array | null, rowNumbers: string, rows: number];
const none: Found = [null, '', 0];

/** Where one piece of a walk ends and the next begins. */
interface Border extends Position {
  /** No key stands on both sides: comparing with rows' numbers too would cost as much as looking for a text. */
  partsKeys: boolean;
}

/** So many ranges are read by one statement, as long as they hold little: each statement costs as much as ten documents. */
const rangesAtOnce = 32;

interface Bounds {
  where: string;
  values: (Buffer | number)[];
}

const nothing: Run = { bytes: Buffer.alloc(0), rowNumbers: '' };

/** The statements of runs, by the table that gives the order: an index, the ids, or the rows themselves. */
function runStatements({ id }: Collection, { index, ranges, reverse }: Plan, sift = '1') {
  const order = reverse ? 'DESC' : 'ASC';
  const [beyond, upTo] = reverse ? ['<', '>='] : ['>', '<='];
  const [key, r] = index ? ['i.k', 'i.r'] : ['c.id', 'c.r'];
  const by = ranges ? `${key} ${order}, ${r} ${order}` : `${r} ${order}`;
  const entries = index ? `i${index.id} i` : `c${id} c`;
  type Condition = [where: string, ...values: (Buffer | number)[]];
  const beside = (border: Border, side: string): Condition[] =>
    border.partsKeys
      ? [[`${key} ${side} ?`, border.key]]
      : [
          [`${key} ${side.at(0)}= ?`, border.key],
          [`(${key}, ${r}) ${side} (?, ?)`, border.key, border.r],
        ];
  const documents = index ? `${entries} CROSS JOIN c${id} c ON c.r = i.r` : entries;
  return {
    /** What lies behind `last`, up to `end`. */
    bounds(range: KeyRange | undefined, { last, end }: { last?: Border | undefined; end?: Border }): Bounds {
      const parts: Condition[] = [];
      if (range) {
        if (!(reverse ? end : last)) parts.push([`${key} >= ?`, range.low]);
        if (!(reverse ? last : end)) parts.push([`${key} < ?`, range.high]);
        if (last) parts.push(...beside(last, beyond));
        if (end) parts.push(...beside(end, upTo));
      } else {
        if (last) parts.push([`${r} ${beyond} ?`, last.r]);
        if (end) parts.push([`${r} ${upTo} ?`, end.r]);
      }
      return { where: ['1', ...parts.map(([where]) => where)].join(' AND '), values: parts.flatMap(([, ...values]) => values) };
    },
    run: (where: string) => joined(`SELECT c.doc, c.r FROM ${documents} WHERE ${where} AND ${sift} ORDER BY ${by} LIMIT ?`),
    several: (count: number) => {
      const ranges = `(VALUES ${Array(count).fill('(?, ?)').join()})`;
      return joined(
        `SELECT c.doc, c.r FROM ${ranges} s CROSS JOIN ${entries} ON ${key} >= s.column1 AND ${key} < s.column2 ${index ? `CROSS JOIN c${id} c ON c.r = i.r` : ''} LIMIT ?`,
      );
    },
    /** The entry at that place and the one behind it. */
    end: (where: string) => `SELECT ${key}, ${r} FROM ${entries} WHERE ${where} ORDER BY ${by} LIMIT 2 OFFSET ?`,
    /** All keys as one text. */
    keys: (where: string) => `SELECT CAST(group_concat(CAST(${key} AS TEXT), '') AS BLOB) FROM ${entries} WHERE ${where}`,
  };
}

/** SQLite keeps the bytes of texts as they are: a document casted to one and back is the same. */
function joined(rows: string): string {
  return `SELECT CAST(group_concat(CAST(doc AS TEXT), '') AS BLOB), group_concat(r), count(*) FROM (${rows})`;
}
