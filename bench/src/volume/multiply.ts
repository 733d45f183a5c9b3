import { DatabaseSync } from 'node:sqlite';

const dayMs = 24 * 3_600_000;
const hoursOfDay = 24;
const rowsPerInsert = 32;
const rowsPerCommit = 200_000;
const stringClass = 0x20;

/** How the rows of a collection stand for their moment, besides the field itself: by digits in their id, and how much those grow in a day. */
interface Multiplied {
  collection: string;
  /** The field of the moment, by which all its indexes end, falling. */
  at: string;
  digits(id: string, day: number): string;
}

/** Of a log the number; of roll-ups the hour, or the day. */
function collectionsOf(logsOfDay: number): Multiplied[] {
  const hour = (id: string, day: number): string => id.replace(/\d{6}/, (digits) => String(Number(digits) + day * hoursOfDay));
  return [
    {
      collection: 'usage_logs',
      at: 'at',
      digits: (id, day) => id.replace(/\d{9}/, (digits) => String(Number(digits) + day * logsOfDay).padStart(9, '0')),
    },
    { collection: 'usage_hourly', at: 'hour', digits: hour },
    { collection: 'usage_by_model', at: 'hour', digits: hour },
    {
      collection: 'usage_by_part',
      at: 'at',
      digits: (id, day) => (id.startsWith('g') ? hour(id, day) : id.replace(/\d{5}/, (digits) => String(Number(digits) + day))),
    },
  ];
}

/**
 * Repeats one day of logs and roll-ups on each of the days after it in the file of a bundled store that does not run. Written through the store, 10 M logs take half
 * an hour of CPU; here every table and every index is written once, in its order, as `libs/embedded-mongo/src/storage` lays them out.
 */
export function repeatDay(storeFile: string, { days, logsOfDay }: { days: number; logsOfDay: number }): void {
  const store = new DatabaseSync(storeFile);
  store.exec('PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;');
  for (const each of collectionsOf(logsOfDay)) {
    const found = store.prepare('SELECT id FROM collections WHERE name = ?').get(each.collection) as { id: number };
    const { rows, single } = repeatDocuments(store, { table: `c${found.id}`, days, ...each });
    for (const { id } of store.prepare('SELECT id FROM indexes WHERE collection = ?').all(found.id) as { id: number }[]) {
      repeatEntries(store, { table: `i${id}`, days, rows, single });
      store.prepare('UPDATE indexes SET through = ? WHERE id = ?').run(rows * days, id);
    }
    store.prepare(`UPDATE collections SET count = (SELECT count(*) FROM c${found.id}) WHERE id = ?`).run(found.id);
  }
  store.exec('PRAGMA journal_mode = WAL');
  store.close();
}

interface Kept {
  r: number;
  doc: Buffer;
  id: string;
  idAt: number;
  dateAt: number;
  dateMs: bigint;
}

/** Returns how far apart the row numbers of a document's repetitions are, and the rows that are no work of ours and stay single. */
function repeatDocuments(
  store: DatabaseSync,
  { table, days, at, digits }: Multiplied & { table: string; days: number },
): { rows: number; single: Set<number> } {
  const name = Buffer.from(`\x09${at}\0`, 'latin1');
  const idAt = 13; // the length of the document, the type and name of `_id`, the length of its text
  const documents = (store.prepare(`SELECT r, doc FROM ${table} ORDER BY r`).all() as { r: number; doc: Uint8Array }[]).map(
    ({ r, doc: bytes }): Kept => {
      const doc = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      const dateAt = doc.indexOf(name) + name.length;
      const id = doc.toString('latin1', idAt, idAt - 1 + doc.readInt32LE(idAt - 4));
      return { r, doc, id, idAt, dateAt, dateMs: doc.readBigInt64LE(dateAt) };
    },
  );
  const rows = documents.at(-1)?.r ?? 0;
  const single = new Set(documents.filter(({ id }) => digits(id, 1) === id).map(({ r }) => r));
  const written = insertInto(store, table, 3);
  for (let day = 1; day < days; day += 1)
    for (const { r, doc, id, dateAt, dateMs } of documents) {
      if (single.has(r)) continue;
      const moved = digits(id, day);
      if (moved.length !== id.length) throw new Error(`${id} would become longer: ${moved}`);
      doc.write(moved, idAt, 'latin1');
      doc.writeBigInt64LE(dateMs + BigInt(day * dayMs), dateAt);
      written.add(r + day * rows, Buffer.from(`${String.fromCharCode(stringClass)}${moved}\0\x01`, 'latin1'), Buffer.from(doc));
    }
  written.end();
  return { rows, single };
}

/** The entries of one value before the moment: each ends with the moment, all bits turned over. */
function repeatEntries(
  store: DatabaseSync,
  { table, days, rows, single }: { table: string; days: number; rows: number; single: Set<number> },
): void {
  const entries = (store.prepare(`SELECT k, r FROM ${table} ORDER BY k, r`).all() as { k: Uint8Array; r: number }[]).map(({ k, r }) => ({
    key: Buffer.from(k.buffer, k.byteOffset, k.length),
    r,
  }));
  store.exec(`DELETE FROM ${table}`);
  const written = insertInto(store, table, 2);
  for (let from = 0; from < entries.length; ) {
    const first = entries[from]?.key as Buffer;
    const prefix = first.subarray(0, first.length - 8);
    let to = from;
    while (to < entries.length && hasPrefix(entries[to]?.key as Buffer, prefix)) to += 1;
    for (let day = days - 1; day >= 0; day -= 1)
      for (const { key, r } of entries.slice(from, to)) {
        if (day > 0 && single.has(r)) continue;
        const moved = Buffer.from(key);
        const turned = key.readBigUInt64BE(key.length - 8) - BigInt(day * dayMs);
        moved.writeBigUInt64BE(turned, key.length - 8);
        written.add(moved, r + day * rows);
      }
    from = to;
  }
  written.end();
}

function hasPrefix(key: Buffer, prefix: Buffer): boolean {
  return key.length === prefix.length + 8 && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

type Value = Buffer | number;

function insertInto(store: DatabaseSync, table: string, columns: number) {
  const place = `(${Array(columns).fill('?').join(', ')})`;
  const one = store.prepare(`INSERT INTO ${table} VALUES ${place}`);
  const many = store.prepare(`INSERT INTO ${table} VALUES ${Array(rowsPerInsert).fill(place).join(', ')}`);
  let waiting: Value[] = [];
  let sinceCommit = 0;
  store.exec('BEGIN');
  return {
    add(...values: Value[]): void {
      waiting.push(...values);
      if (waiting.length < rowsPerInsert * columns) return;
      many.run(...waiting);
      waiting = [];
      sinceCommit += rowsPerInsert;
      if (sinceCommit < rowsPerCommit) return;
      store.exec('COMMIT; BEGIN');
      sinceCommit = 0;
    },
    end(): void {
      for (let from = 0; from < waiting.length; from += columns) one.run(...waiting.slice(from, from + columns));
      store.exec('COMMIT');
    },
  };
}
