import { randomBytes } from 'node:crypto';
import { CommandError } from './errors.ts';
import type { Stream } from './stream.ts';

interface Cursor {
  id: bigint;
  ns: string;
  stream: Stream<Buffer>;
  peeked?: Buffer;
  usedAt: number;
  connectionId: number;
}

/** Ends with the answer's bytes. */
type Answering = Generator<undefined, Buffer>;

/** Open cursors: walks that wait for their next `getMore`. */
export interface Cursors {
  /** Answers a query: the first batch, and a cursor when there is more. */
  open(ns: string, stream: Stream<Buffer>, options: { batchSize?: number; singleBatch?: boolean; connectionId: number }): Answering;
  more(id: bigint, options: { ns: string; batchSize?: number }): Answering;
  kill(id: bigint): boolean;
  /** Forgets cursors that nobody asked for in ten minutes. */
  expire(now: number): void;
  size(): number;
}

const maxBatchBytes = 16 * 1024 * 1024;
const maxOpen = 1000;
const idleMs = 600_000;

export function openCursors(): Cursors {
  const cursors = new Map<bigint, Cursor>();
  return {
    *open(ns, stream, { batchSize = 101, singleBatch = false, connectionId }) {
      if (cursors.size >= maxOpen) throw new CommandError(2, `more than ${maxOpen} cursors are open`);
      const cursor: Cursor = { id: randomBytes(8).readBigUInt64LE() >> 1n, ns, stream, usedAt: Date.now(), connectionId };
      const { batch, done } = yield* take(cursor, batchSize);
      if (!done && !singleBatch) cursors.set(cursor.id, cursor);
      return cursorAnswer('firstBatch', batch, { ns, id: done || singleBatch ? 0n : cursor.id });
    },
    *more(id, { ns, batchSize = Number.POSITIVE_INFINITY }) {
      const cursor = cursors.get(id);
      if (cursor === undefined || cursor.ns !== ns) throw new CommandError(43, `cursor id ${id} not found`);
      cursor.usedAt = Date.now();
      const { batch, done } = yield* take(cursor, batchSize === 0 ? Number.POSITIVE_INFINITY : batchSize);
      if (done) cursors.delete(id);
      return cursorAnswer('nextBatch', batch, { ns, id: done ? 0n : id });
    },
    kill: (id) => cursors.delete(id),
    expire(now) {
      for (const [id, cursor] of cursors) if (now - cursor.usedAt > idleMs) cursors.delete(id);
    },
    size: () => cursors.size,
  };
}

function* take(cursor: Cursor, size: number): Generator<undefined, { batch: Buffer[]; done: boolean }> {
  const batch: Buffer[] = [];
  let bytes = 0;
  if (cursor.peeked && size > 0) {
    batch.push(cursor.peeked);
    bytes = cursor.peeked.length;
    cursor.peeked = undefined;
  }
  while (true) {
    if (size === 0) return { batch, done: false };
    const { value, done } = cursor.stream.next();
    if (done) return { batch, done: true };
    if (value === undefined) {
      if (batch.length >= size) return { batch, done: false };
      yield undefined;
    } else if (batch.length >= size || (batch.length > 0 && bytes + value.length > maxBatchBytes)) {
      cursor.peeked = value;
      return { batch, done: false };
    } else {
      batch.push(value);
      bytes += value.length;
    }
  }
}

/** `{ cursor: { <batch>: [...], id, ns }, ok: 1 }`, put together from the documents' own bytes. */
export function cursorAnswer(batchName: 'firstBatch' | 'nextBatch', batch: Buffer[], { ns, id }: { ns: string; id: bigint }): Buffer {
  const heads = batch.map((_, i) => Buffer.from(`\x03${i}\0`));
  const listBytes = batch.reduce((sum, document, i) => sum + document.length + (heads[i] as Buffer).length, 5);
  const nsBytes = Buffer.byteLength(ns) + 1;
  const cursorBytes = 4 + (1 + batchName.length + 1 + listBytes) + (1 + 3 + 8) + (1 + 3 + 4 + nsBytes) + 1;
  const total = 4 + (1 + 7 + cursorBytes) + (1 + 3 + 8) + 1;
  const answer = Buffer.allocUnsafe(total);
  let at = answer.writeInt32LE(total, 0);
  const text = (value: string) => {
    at += answer.write(value, at, 'utf8');
  };
  text('\x03cursor\0');
  at = answer.writeInt32LE(cursorBytes, at);
  text(`\x04${batchName}\0`);
  at = answer.writeInt32LE(listBytes, at);
  for (const [i, document] of batch.entries()) {
    at += (heads[i] as Buffer).copy(answer, at);
    at += document.copy(answer, at);
  }
  text('\0\x12id\0');
  at = answer.writeBigInt64LE(id, at);
  text('\x02ns\0');
  at = answer.writeInt32LE(nsBytes, at);
  text(`${ns}\0\0\x01ok\0`);
  at = answer.writeDoubleLE(1, at);
  answer[at] = 0;
  return answer;
}
