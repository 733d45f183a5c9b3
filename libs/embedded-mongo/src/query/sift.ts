import type { Collection } from '../storage/catalogue.ts';
import type { Row } from '../storage/rows.ts';
import { int32At } from '../values/raw.ts';
import { mayMatch, type Needle, openFinder } from './needles.ts';
import type { Plan } from './plan.ts';
import { openRuns, type Run } from './runs.ts';
import type { Reader, Scan } from './scan.ts';

/** What a cursor that waits may hold of a run, and what a walk may that nobody waits in. */
const mostBytes = { kept: 64 * 1024, forgotten: 256 * 1024 };

/**
 * A walk over the rows whose bytes hold one needle of each list, all rows where there is no list. It may return no rows and yet go on. Whoever keeps
 * a row keeps its whole run.
 */
export function openSiftedScan(
  reader: Reader,
  collection: Collection,
  plan: Plan,
  { needles, keepsNone = false }: { needles: readonly Needle[][]; keepsNone?: boolean | undefined },
): Scan {
  const runs = openRuns(reader, collection, plan);
  const most = keepsNone ? mostBytes.forgotten : mostBytes.kept;
  let rowBytes = most / 64;
  let keys = firstKeys;
  return {
    next(atMost) {
      const run = runs.next(plan.sift ? keys : Math.max(1, Math.min(atMost, Math.floor(most / rowBytes))));
      if (run === undefined) return undefined;
      keys = Math.max(1, Math.min(mostKeys, Math.floor((keys * most) / Math.max(run.bytes.length, most / growth))));
      rowBytes = Math.max(64, (rowBytes + run.bytes.length / run.rowNumbers.split(',').length) / 2);
      return needles.length > 0 ? sifted(run, needles) : allOf(run);
    },
  };
}

/** Keys are looked through so many at once, ever more while few of them pass. */
const [firstKeys, mostKeys, growth] = [128, 2048, 4];

function allOf({ bytes, rowNumbers }: Run): Row[] {
  const rows: Row[] = [];
  const numbers = rowNumbers.split(',');
  for (let start = 0; start < bytes.length; ) {
    const end = start + int32At(bytes, start);
    rows.push({ r: Number(numbers[rows.length]), doc: bytes.subarray(start, end) });
    start = end;
  }
  return rows;
}

/** Goes from one place where a needle of the last list stands to the next; that list tells the most apart, as an index has used the first ones. */
function sifted({ bytes, rowNumbers }: Run, needles: readonly Needle[][]): Row[] {
  if (bytes.length === 0) return [];
  const rows: Row[] = [];
  const find = openFinder(bytes, needles.at(-1) as Needle[]);
  const others = needles.slice(0, -1);
  let numbers: string[] | undefined;
  let [index, start, end] = [0, 0, int32At(bytes, 0)];
  for (let place = find(0); place < bytes.length; place = find(end)) {
    while (end <= place) {
      index++;
      start = end;
      end += int32At(bytes, start);
    }
    const doc = bytes.subarray(start, end);
    numbers ??= rowNumbers.split(',');
    if (mayMatch(doc, others)) rows.push({ r: Number(numbers[index]), doc });
  }
  return rows;
}
