import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';
import { beginKey, endKey, invertFrom, keyLength, putValue } from '../values/key.ts';
import { type Path, parsePath, visitPath } from '../values/raw.ts';
import type { Sort } from './plan.ts';

const maxSortBytes = 100 * 1024 * 1024;

/** Reads a sort specification. Throws: CommandError 2. */
export function parseSort(given: unknown): Sort {
  if (given === undefined || given === null) return [];
  return Object.entries(given as Doc).map(([field, direction]) => {
    const sign = Math.sign(Number(direction));
    if (sign !== 1 && sign !== -1) throw new CommandError(2, `$sort key ordering must be 1 (for ascending) or -1 (for descending)`);
    return [field, sign];
  });
}

/** Collects documents and gives them back in order; with a limit it keeps no more than twice as many. */
export interface Sorter {
  add(document: Buffer): void;
  sorted(): Buffer[];
}

/** Throws (while adding): CommandError 292 beyond 100 MB, as MongoDB without a disk to sort on. */
export function openSorter(sort: Sort, limit = Number.POSITIVE_INFINITY): Sorter {
  const keyOf = openSortKeys(sort);
  let entries: { key: Buffer; order: number; document: Buffer }[] = [];
  let bytes = 0;
  let order = 0;
  const arrange = () => {
    entries.sort((a, b) => Buffer.compare(a.key, b.key) || a.order - b.order);
    if (entries.length > limit) entries = entries.slice(0, limit);
    bytes = entries.reduce((sum, entry) => sum + entry.document.length + entry.key.length + 100, 0);
  };
  return {
    add(document) {
      const key = keyOf(document);
      entries.push({ key, order: order++, document });
      bytes += document.length + key.length + 100;
      if (entries.length >= 2 * limit + 100) arrange();
      if (bytes > maxSortBytes)
        throw new CommandError(
          292,
          'Sort exceeded memory limit of 104857600 bytes: narrow the query, or add an index that gives the order',
        );
    },
    sorted() {
      arrange();
      return entries.map(({ document }) => document);
    },
  };
}

/** Byte strings that order documents as `sort` says. */
export function openSortKeys(sort: Sort): (document: Buffer) => Buffer {
  const paths = sort
    .filter(([field]) => field !== '$natural')
    .map(([field, direction]) => ({ path: parsePath(field), descending: direction === -1 }));
  return (document) => sortKey(paths, document);
}

/** An array sorts by its least element going up and by its greatest going down. */
function sortKey(paths: { path: Path; descending: boolean }[], document: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (const { path, descending } of paths) {
    let best: Buffer | undefined;
    visitPath(document, 0, path, (type, at, whole) => {
      if (whole && best !== undefined) return;
      beginKey();
      const start = keyLength();
      putValue(document, whole ? 6 : type, at);
      if (descending) invertFrom(start);
      const key = endKey();
      if (best === undefined || Buffer.compare(key, best) < 0) best = key;
    });
    parts.push(best ?? (descending ? lastMissing : firstMissing));
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

const firstMissing = Buffer.from([0x10]);
const lastMissing = Buffer.from([0xef]);
