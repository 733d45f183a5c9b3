import { setTimeout as delay } from 'node:timers/promises';
import type { OptionValues } from '@tollgate/contracts';
import { rows, type StoredObjectRow, seal, unseal } from '@tollgate/db';
import { AppError, type DatastoreWatch, datastoreAway, type Logger } from '@tollgate/runtime';
import { LRUCache } from 'lru-cache';

export type StoredLimits = Pick<OptionValues, 'StoredResponseDays' | 'StoredResponseMegabytes'>;

/** A longer object is not stored: a document of MongoDB has at most 16 MB, and sealing takes a third more. */
export const longestStored = 8 << 20;
/** What waits for MongoDB while it is away, in bytes; what comes then is not stored. */
const mostWaiting = 64 << 20;
/** Rows are collected for so long, or until they are so many bytes: one write of many costs little more than one of one. */
const collectMs = 25;
const mostCollected = 8 << 20;
/** Between two tries of a write. */
const retryMs = [200, 1_000, 5_000, 15_000];
/** Another relay may still be writing what a caller names. */
const lookAgainMs = [50, 150];
const dayMs = 86_400_000;
/** Of a user at the limit, so much is freed at once. */
const freedShare = 0.1;

export type NewObject = Omit<StoredObjectRow, 'bytes' | 'expiresAt' | 'at' | 'sealed'>;

/** `_id` of a user's object. It contains the user, so no request can name another user's. */
export const ownId = (userId: number, id: string): string => `${userId}:${id}`;

/**
 * What the Responses API keeps between two calls, in MongoDB: sealed, bound to its user, with a lifetime. Writes do not delay calls: what is
 * being written is found by this process at once, by others within milliseconds. Reads throw AppError `service_unavailable` while MongoDB is away.
 */
export class StoredObjects {
  readonly #datastores: Pick<DatastoreWatch, 'guard'>;
  readonly #logger: Logger;
  readonly #limits: () => StoredLimits;
  /** In ms since 1970, by the clock that all relays share. */
  readonly now: () => number;
  readonly #pending = new Map<string, Promise<void>>();
  /** About how many bytes users have stored. */
  readonly #sums = new LRUCache<number, number>({ max: 10_000, ttl: 600_000 });
  readonly #working = new Set<Promise<void>>();
  #waitingBytes = 0;
  #batch: Batch | undefined;

  constructor(parts: { datastores: Pick<DatastoreWatch, 'guard'>; logger: Logger; limits(): StoredLimits; now(): number }) {
    this.#datastores = parts.datastores;
    this.#logger = parts.logger;
    this.#limits = parts.limits;
    this.now = parts.now;
  }

  expiry(): Date {
    return new Date(this.now() + this.#limits().StoredResponseDays * dayMs);
  }

  /** An object by its `_id`; `patient` looks again for one that another process may be writing. */
  async find(_id: string, { patient = false } = {}): Promise<StoredObjectRow | undefined> {
    for (const waitMs of [0, ...(patient ? lookAgainMs : [])]) {
      if (waitMs > 0) await delay(waitMs);
      const row = await this.ask(() => rows.storedObjects().findOne({ _id }), [_id]);
      if (row !== null && row.expiresAt.getTime() > this.now()) return row;
    }
    return undefined;
  }

  /** Those that exist, by their `_id`s. */
  async findAll(ids: readonly string[]): Promise<Map<string, StoredObjectRow>> {
    const find = () =>
      rows
        .storedObjects()
        .find({ _id: { $in: [...ids] } })
        .toArray();
    const found = await this.ask(find, ids);
    return new Map(found.map((row) => [row._id, row]));
  }

  /** The responses of a user that hold these items. */
  async withItems(userId: number, ids: readonly string[]): Promise<StoredObjectRow[]> {
    const find = () =>
      rows
        .storedObjects()
        .find({ userId, itemIds: { $in: [...ids] } }, { sort: { at: -1 } })
        .toArray();
    return this.ask(find, this.#pending.keys());
  }

  /** What belongs to an object, in its order. */
  async partsOf(parent: string, after = -1): Promise<StoredObjectRow[]> {
    const find = () =>
      rows
        .storedObjects()
        .find({ parent, place: { $gt: after } }, { sort: { place: 1 } })
        .toArray();
    return this.ask(find, [parent]);
  }

  /** The newest part of an object that has this item id. */
  async partWith(userId: number, parent: string, itemId: string): Promise<StoredObjectRow | undefined> {
    const find = () => rows.storedObjects().findOne({ userId, itemIds: itemId, parent }, { sort: { place: -1 } });
    const row = await this.ask(find, [parent]);
    return row !== null && row.expiresAt.getTime() > this.now() ? row : undefined;
  }

  open<Content>({ _id, sealed = 'null' }: StoredObjectRow): Content {
    return JSON.parse(sealed === 'null' ? sealed : unseal(sealed, `stored:${_id}`)) as Content;
  }

  /** Whether a process still works on this response. */
  isAlive({ isRunning, aliveUntil }: StoredObjectRow): boolean {
    return isRunning === true && (aliveUntil?.getTime() ?? 0) > this.now();
  }

  /** A row with its content sealed. `content` undefined: nothing is kept but the row. */
  row(object: NewObject, content?: unknown): StoredObjectRow {
    const at = new Date(this.now());
    const sealed = content === undefined ? undefined : seal(JSON.stringify(content), `stored:${object._id}`);
    return { ...object, at, expiresAt: this.expiry(), bytes: 500 + (sealed?.length ?? 0), ...(sealed !== undefined && { sealed }) };
  }

  /** Writes rows and resolves when they are written. */
  async write(all: readonly StoredObjectRow[]): Promise<void> {
    if (all.length === 0) return;
    const writes = all.map((row) => ({ replaceOne: { filter: { _id: row._id }, replacement: row, upsert: true } }));
    await this.ask(() => rows.storedObjects().bulkWrite(writes, { ordered: false }));
    const conversations = new Set(all.flatMap(({ kind, parent }) => (kind === 'item' && parent !== undefined ? [parent] : [])));
    for (const conversation of conversations) await this.#renew(conversation);
    for (const [userId, bytes] of bytesByUser(all)) await this.#bound(userId, bytes);
  }

  /** A conversation and its items live as long as what was added to it last. */
  async #renew(conversation: string): Promise<void> {
    const renewal = { $set: { expiresAt: this.expiry() } };
    await this.ask(() => rows.storedObjects().updateOne({ _id: conversation }, renewal));
    await this.ask(() => rows.storedObjects().updateMany({ parent: conversation }, renewal));
  }

  /**
   * Writes rows without anybody waiting: `make` makes them, `ids` are those that are looked for meanwhile. While MongoDB is away it tries on for some
   * seconds; then they are lost, which is logged.
   */
  writeLater(ids: readonly string[], make: () => Promise<readonly StoredObjectRow[]>): void {
    const written = this.#writeOn(make()).catch((error: unknown) => this.#logger.warn({ err: error }, 'responses were not stored'));
    for (const _id of ids) this.#pending.set(_id, written);
    void written.finally(() => {
      for (const _id of ids) if (this.#pending.get(_id) === written) this.#pending.delete(_id);
    });
  }

  async #writeOn(making: Promise<readonly StoredObjectRow[]>): Promise<void> {
    const all = await making;
    const bytes = all.reduce((sum, row) => sum + row.bytes, 0);
    if (this.#waitingBytes + bytes > mostWaiting) throw new Error('too many wait for MongoDB');
    if (all.length === 0) return;
    this.#waitingBytes += bytes;
    try {
      await this.#collected(all, bytes);
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  /** Resolves when these rows are written, together with those of other calls. */
  #collected(all: readonly StoredObjectRow[], bytes: number): Promise<void> {
    this.#batch ??= { rows: [], bytes: 0, written: Promise.withResolvers(), timer: setTimeout(() => this.#flush(), collectMs) };
    const { rows: waiting, written } = this.#batch;
    waiting.push(...all);
    this.#batch.bytes += bytes;
    if (this.#batch.bytes >= mostCollected) this.#flush();
    return written.promise;
  }

  #flush(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    clearTimeout(batch.timer);
    this.persist(() => this.write(batch.rows)).then(batch.written.resolve, batch.written.reject);
  }

  /** Tries to write until MongoDB takes it, for some seconds. Rejects with what the last try did. */
  async persist(work: () => Promise<void>): Promise<void> {
    for (const waitMs of [...retryMs, 0]) {
      try {
        return await work();
      } catch (error) {
        if (waitMs === 0) throw error;
        await delay(waitMs, undefined, { ref: false });
      }
    }
  }

  /** Work that ends in a write, for which this process waits before it ends. */
  track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work)).catch(() => undefined);
  }

  /** Deletes an object and what belongs to it. False: there is none. */
  async remove(_id: string): Promise<boolean> {
    const { deletedCount } = await this.ask(() => rows.storedObjects().deleteOne({ _id }), [_id]);
    if (deletedCount > 0) await this.ask(() => rows.storedObjects().deleteMany({ parent: _id }));
    return deletedCount > 0;
  }

  /** Resolves when nothing waits to be written, or after some seconds. */
  async settled(): Promise<void> {
    this.#flush();
    await Promise.race([Promise.allSettled([...this.#pending.values(), ...this.#working]), delay(3_000, undefined, { ref: false })]);
  }

  /** Runs a query of MongoDB once `first` are written. Rejects: AppError `service_unavailable` while it is away. */
  async ask<Answer>(work: () => Promise<Answer>, first: Iterable<string> = []): Promise<Answer> {
    const writing = [...first].flatMap((_id) => this.#pending.get(_id) ?? []);
    if (writing.length > 0) this.#flush();
    try {
      return await this.#datastores.guard('MongoDB', writing.length === 0 ? work : () => Promise.all(writing).then(work));
    } catch (cause) {
      if (datastoreAway(cause) === undefined) throw cause;
      throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
    }
  }

  /** Deletes the oldest objects of a user who has stored too much. */
  async #bound(userId: number, added: number): Promise<void> {
    const most = this.#limits().StoredResponseMegabytes * 1_000_000;
    const known = this.#sums.get(userId);
    const sum = known === undefined ? await this.#sumOf(userId) : known + added;
    this.#sums.set(userId, sum);
    if (sum <= most) return;
    const all = await rows
      .storedObjects()
      .find({ userId }, { sort: { at: 1 }, projection: { bytes: 1 } })
      .toArray();
    let excess = all.reduce((total, row) => total + row.bytes, 0) - most;
    if (excess <= 0) return;
    excess += most * freedShare;
    const removed: string[] = [];
    for (const { _id, bytes } of all) {
      if (excess <= 0) break;
      excess -= bytes;
      removed.push(_id);
    }
    await rows.storedObjects().deleteMany({ _id: { $in: removed } });
    await rows.storedObjects().deleteMany({ parent: { $in: removed } });
    this.#sums.delete(userId);
  }

  async #sumOf(userId: number): Promise<number> {
    const [total] = await rows
      .storedObjects()
      .aggregate<{ bytes: number }>([{ $match: { userId } }, { $group: { _id: null, bytes: { $sum: '$bytes' } } }])
      .toArray();
    return total?.bytes ?? 0;
  }
}

interface Batch {
  rows: StoredObjectRow[];
  bytes: number;
  written: PromiseWithResolvers<void>;
  timer: NodeJS.Timeout;
}

function bytesByUser(all: readonly StoredObjectRow[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { userId, bytes } of all) sums.set(userId, (sums.get(userId) ?? 0) + bytes);
  return sums;
}
