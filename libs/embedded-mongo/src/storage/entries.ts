import type { StatementSync } from 'node:sqlite';
import { toBuffer } from '../values/document.ts';
import type { Catalogue, Collection } from './catalogue.ts';
import type { Database } from './database.ts';
import { type Index, keysFor } from './index-spec.ts';

/**
 * Entries of one index that wait to be written. Their keys stand one behind the other in one piece of memory: tens of thousands of small
 * buffers would live too long to be cheap garbage.
 */
class WaitingKeys {
  #bytes = Buffer.allocUnsafeSlow(4096);
  /** Where each key ends. */
  readonly #ends: number[] = [];
  readonly #rows: number[] = [];

  get length(): number {
    return this.#rows.length;
  }

  add(key: Buffer, r: number): void {
    const from = this.#ends.at(-1) ?? 0;
    const end = from + key.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end);
      larger.set(this.#bytes.subarray(0, from));
      this.#bytes = larger;
    }
    this.#bytes.set(key, from);
    this.#ends.push(end);
    this.#rows.push(r);
  }

  /** In the order of their keys, then of their rows. The keys are views: they hold until the next one is added. */
  sorted(): { key: Buffer; r: number }[] {
    const [bytes, ends, rows] = [this.#bytes, this.#ends, this.#rows];
    const startOf = (entry: number) => (entry === 0 ? 0 : (ends[entry - 1] as number));
    const shared = this.#sharedPrefix();
    const order = rows.map((_, entry) => entry);
    order.sort((a, b) => {
      const [aEnd, bEnd] = [ends[a] as number, ends[b] as number];
      let [aAt, bAt] = [startOf(a) + shared, startOf(b) + shared];
      for (; aAt < aEnd && bAt < bEnd; aAt++, bAt++) {
        const difference = (bytes[aAt] as number) - (bytes[bAt] as number);
        if (difference !== 0) return difference;
      }
      return aEnd - aAt - (bEnd - bAt) || (rows[a] as number) - (rows[b] as number);
    });
    return order.map((entry) => ({ key: bytes.subarray(startOf(entry), ends[entry]), r: rows[entry] as number }));
  }

  /** How many bytes all keys begin with alike. */
  #sharedPrefix(): number {
    const [bytes, ends] = [this.#bytes, this.#ends];
    let shared = ends[0] ?? 0;
    for (let entry = 1; entry < ends.length && shared > 0; entry++) {
      const from = ends[entry - 1] as number;
      const most = Math.min(shared, (ends[entry] as number) - from);
      let same = 0;
      while (same < most && bytes[same] === bytes[from + same]) same++;
      shared = same;
    }
    return shared;
  }
}

/*
 * Entries of indexes. Those of newly inserted documents are not written one by one: they wait in memory, are sorted, and
 * go to the file some thousands at a time, because each page of an index that a commit touches costs as much as many
 * entries. The documents themselves are on disk with every commit, and each index remembers up to which row its entries
 * are written, so that after a crash the few rows behind that mark are simply indexed again. Whoever reads an index, or
 * changes an entry that may still wait, writes what waits first. Unique indexes are never deferred.
 */
export interface Entries {
  add(index: Index, keys: Buffer[], r: number): void;
  /** For a document that was inserted just now, in a row number higher than any before. */
  addNew(index: Index, keys: Buffer[], r: number): void;
  remove(index: Index, keys: Buffer[], r: number): void;
  /** Whether another row than `r` has one of the keys. */
  isTaken(index: Index, keys: Buffer[], r: number): boolean;
  /** Writes what waits for one index. */
  settle(index: Index): void;
  /** Part of a commit: keeps what waits within bounds, one index at a time. */
  trim(): void;
  /** Writes what waits for one index to which nothing was added since the last call. */
  settleResting(): void;
  /**
   * Makes the entries of the rows behind each index's mark again, in memory, after a start or a rollback. `stale`: the disk
   * takes no writes, so that no reader can use those indexes until a commit goes through again.
   */
  recover(stale: boolean): void;
}

interface Waiting {
  entries: WaitingKeys;
  /** The last row that was added, also when it has no entry in this index. */
  lastRow: number;
  /** `lastRow` when it was looked for resting entries last. */
  lastSeen?: number;
}

/** Bounds memory, how long a reader may have to wait, and what a start after a crash must do again. */
const maxWaiting = 10_000;
const rowsPerInsert = 32;

export function openEntries(database: Database, catalogue: Catalogue): Entries {
  const waiting = new Map<Index, Waiting>();

  const statements = (index: Index) => {
    index.statements ??= {
      add: database.prepare(`INSERT OR IGNORE INTO i${index.id} (k, r) VALUES (?, ?)`),
      addMany: database.prepare(`INSERT OR IGNORE INTO i${index.id} (k, r) VALUES ${Array(rowsPerInsert).fill('(?, ?)').join(', ')}`),
      remove: database.prepare(`DELETE FROM i${index.id} WHERE k = ? AND r = ?`),
      find: database.prepare(`SELECT r FROM i${index.id} WHERE k = ? LIMIT 2`),
    };
    return index.statements;
  };

  const settle = (index: Index) => {
    const own = waiting.get(index);
    if (own === undefined) return;
    waiting.delete(index);
    if (index.dropped) return;
    database.begin();
    const list = own.entries.sorted();
    const { add, addMany } = statements(index);
    let at = 0;
    for (; at + rowsPerInsert <= list.length; at += rowsPerInsert) {
      const values: (Buffer | number)[] = [];
      for (const { key, r } of list.slice(at, at + rowsPerInsert)) values.push(key, r);
      addMany.run(...values);
    }
    for (const { key, r } of list.slice(at)) add.run(key, r);
    catalogue.markThrough(index, own.lastRow);
    index.stale = false;
  };

  const wait = (index: Index, keys: Buffer[], r: number) => {
    let own = waiting.get(index);
    if (own === undefined) {
      own = { entries: new WaitingKeys(), lastRow: r };
      waiting.set(index, own);
    }
    own.lastRow = r;
    for (const key of keys) own.entries.add(key, r);
  };

  /** Writes the entries now, unless the row's may still wait: then all that wait go first. */
  const direct = (index: Index, r: number, run: (statement: Statements) => void) => {
    if (r > index.through && waiting.has(index)) settle(index);
    run(statements(index));
  };

  return {
    add(index, keys, r) {
      if (keys.length > 1) catalogue.markMultikey(index);
      direct(index, r, ({ add }) => {
        for (const key of keys) add.run(key, r);
      });
    },
    addNew(index, keys, r) {
      if (keys.length > 1) catalogue.markMultikey(index);
      if (index.unique || !index.built) {
        const { add } = statements(index);
        for (const key of keys) add.run(key, r);
      } else wait(index, keys, r);
    },
    remove(index, keys, r) {
      direct(index, r, ({ remove }) => {
        for (const key of keys) remove.run(key, r);
      });
    },
    isTaken(index, keys, r) {
      const { find } = statements(index);
      return keys.some((key) => (find.all(key) as unknown as [number][]).some(([other]) => other !== r));
    },
    settle,
    trim() {
      let [longest, most]: [Index | undefined, number] = [undefined, maxWaiting];
      for (const [index, { entries, lastRow }] of waiting) {
        const length = index.stale ? Number.POSITIVE_INFINITY : Math.max(entries.length, lastRow - index.through);
        if (length > most) [longest, most] = [index, length];
      }
      if (longest) settle(longest);
    },
    settleResting() {
      const resting = [...waiting].find(([index, own]) => own.lastRow === own.lastSeen && !index.stale)?.[0];
      for (const own of waiting.values()) own.lastSeen = own.lastRow;
      if (resting) settle(resting);
    },
    recover(stale) {
      waiting.clear();
      for (const collection of catalogue.all()) {
        const deferred = collection.indexes.filter(({ unique, built }) => built && !unique);
        let last = Math.min(...deferred.map(({ through }) => through));
        if (deferred.length === 0 || last >= collection.nextRow - 1) continue;
        for (let rows = piece(database, collection, last); rows.length > 0; rows = piece(database, collection, last)) {
          for (const { r, doc } of rows) {
            for (const index of deferred) if (r > index.through) wait(index, keysFor(index, doc), r);
            last = r;
          }
        }
      }
      for (const index of waiting.keys()) index.stale = stale;
    },
  };
}

type Statements = Record<'add' | 'addMany' | 'remove' | 'find', StatementSync>;

function piece(database: Database, { id }: Collection, after: number): { r: number; doc: Buffer }[] {
  const rows = database.prepare(`SELECT r, doc FROM c${id} WHERE r > ? ORDER BY r LIMIT 1000`).all(after) as unknown as [
    number,
    Uint8Array,
  ][];
  return rows.map(([r, bytes]) => ({ r, doc: toBuffer(bytes) }));
}
