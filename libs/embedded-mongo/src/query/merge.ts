import type { Collection } from '../storage/catalogue.ts';
import type { Row } from '../storage/rows.ts';
import type { KeyRange, Plan, Sort } from './plan.ts';
import { openScan, type Reader, type Scan } from './scan.ts';
import { openSortKeys } from './sort.ts';

/** A range that is being walked: its rows that were read ahead, and the key of the first of them. */
interface Head {
  scan: Scan;
  rows: Row[];
  at: number;
  key: Buffer;
  /** How many rows to read next: few at first, because most ranges give little to a page. */
  wanted: number;
}

const firstRows = 4;
const mostRows = 16;
const mostAtOnce = 64;

/** Walks the plan's ranges side by side, always on with the one whose next row comes first in the order. */
export function openMerge(reader: Reader, collection: Collection, plan: Plan, sort: Sort): Scan {
  const keyOf = openSortKeys(sort);
  let heads: Head[] | undefined;
  const read = (head: Head): boolean => {
    const rows = head.scan.next(head.wanted);
    if (rows === undefined) return false;
    Object.assign(head, { rows, at: 0, key: keyOf((rows[0] as Row).doc), wanted: Math.min(head.wanted * 2, mostRows) });
    return true;
  };
  const open = (range: KeyRange): Head => {
    const scan = openScan(reader, collection, { ...plan, ranges: [range] });
    return { scan, rows: [], at: 0, key: Buffer.alloc(0), wanted: firstRows };
  };
  return {
    next(atMost) {
      heads ??= (plan.ranges ?? []).map(open).filter(read).sort(inOrder);
      const found: Row[] = [];
      while (found.length < Math.min(atMost, mostAtOnce)) {
        const [head] = heads;
        if (head === undefined) break;
        found.push(head.rows[head.at++] as Row);
        if (head.at < head.rows.length) head.key = keyOf((head.rows[head.at] as Row).doc);
        else if (!read(head)) {
          heads.shift();
          continue;
        }
        let place = 1; // heads stay sorted: this one moves back past those that now come before it
        for (; place < heads.length && inOrder(heads[place] as Head, head) <= 0; place++) heads[place - 1] = heads[place] as Head;
        heads[place - 1] = head;
      }
      return found.length > 0 ? found : undefined;
    },
  };
}

function inOrder(a: Head, b: Head): number {
  return Buffer.compare(a.key, b.key);
}
