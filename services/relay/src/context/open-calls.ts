import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { AppError } from '@tollgate/runtime';
import type { Limits } from '../config.ts';
import type { Call } from './call.ts';

/** What an answer on its way needs from the clock. */
export interface Ticking extends Member {
  tick(now: number): void;
  /** The relay has to stop: end what is open, in words, and report it. */
  shutDown(): void;
}

/** The calls that are open in this process: how many there may be, and what has to be done for them from time to time. */
export interface OpenCalls {
  readonly count: number;
  readonly bufferedBytes: number;
  /** Lets a call in. Throws: AppError `service_unavailable` when there are too many. */
  enter(call: Call): void;
  /** Notes bytes that a call keeps in memory until it ends. Throws: AppError `service_unavailable` when all calls keep too much. */
  buffer(call: Call, bytes: number): void;
  /** Bytes noted by `buffer` that the call does not keep any more. */
  letGo(call: Call, bytes: number): void;
  leave(call: Call): void;
  watch(ticking: Ticking): void;
  unwatch(ticking: Ticking): void;
  [Symbol.iterator](): Iterator<Call>;
  /** Resolves when no call is open any more; after `graceMs` open answers are told to end, and after that long again it gives up. */
  drained(graceMs: number): Promise<void>;
  close(): void;
}

const tickMs = 500;

export function openCalls(limits: Pick<Limits, 'RELAY_MAX_IN_FLIGHT' | 'RELAY_MAX_BUFFERED_BYTES'>): OpenCalls {
  const calls = crowd<Call>();
  const watched = crowd<Ticking>();
  let bufferedBytes = 0;
  let whenEmpty: (() => void) | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    for (const ticking of watched) ticking.tick(now);
  }, tickMs);
  timer.unref();

  const emptyWithin = async (timeoutMs: number): Promise<boolean> => {
    if (calls.size === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    whenEmpty = () => resolve(true);
    const timeout = setTimeout(() => resolve(false), timeoutMs);
    const isEmpty = await promise;
    clearTimeout(timeout);
    whenEmpty = undefined;
    return isEmpty;
  };

  return {
    get count() {
      return calls.size;
    },
    get bufferedBytes() {
      return bufferedBytes;
    },
    enter(call) {
      if (calls.size >= limits.RELAY_MAX_IN_FLIGHT) throw busy();
      calls.add(call);
    },
    buffer(call, bytes) {
      if (bufferedBytes + bytes > limits.RELAY_MAX_BUFFERED_BYTES) throw busy();
      bufferedBytes += bytes;
      call.bufferedBytes += bytes;
    },
    letGo(call, bytes) {
      if (call.place < 0) return;
      const less = Math.min(bytes, call.bufferedBytes);
      bufferedBytes -= less;
      call.bufferedBytes -= less;
    },
    leave(call) {
      if (!calls.delete(call)) return;
      bufferedBytes -= call.bufferedBytes;
      if (calls.size === 0) whenEmpty?.();
    },
    watch: (ticking) => void watched.add(ticking),
    unwatch: (ticking) => void watched.delete(ticking),
    [Symbol.iterator]: () => calls[Symbol.iterator](),
    async drained(graceMs) {
      if (await emptyWithin(graceMs)) return;
      for (const ticking of watched) ticking.shutDown();
      await emptyWithin(Math.min(graceMs, 5_000));
    },
    close: () => clearInterval(timer),
  };
}

function busy(): AppError {
  return new AppError('service_unavailable', {}, { retryAfterSeconds: 1 });
}

/** What can be a member of one crowd at a time. */
interface Member {
  /** Where it stands in the crowd; -1: in none. */
  place: number;
}

interface Crowd<Each extends Member> extends Iterable<Each> {
  readonly size: number;
  add(member: Each): void;
  /** False: it was no member. */
  delete(member: Each): boolean;
}

/**
 * Members that come and go many thousand times a second. A `Set` would do, but each table that one outgrows points at the next, with
 * all that stood in it: as soon as one of them is in the old heap, the young collector takes every call since for one that is needed,
 * copies it, and keeps it until the next full collection (some 8 kB a call; a tenth of the relay's time).
 */
export function crowd<Each extends Member>(): Crowd<Each> {
  const members: Each[] = [];
  return {
    get size() {
      return members.length;
    },
    add(member) {
      if (members[member.place] === member) return;
      member.place = members.length;
      members.push(member);
    },
    delete(member) {
      if (members[member.place] !== member) return false;
      const last = members.pop() as Each;
      if (last !== member) {
        last.place = member.place;
        members[last.place] = last;
      }
      member.place = -1;
      return true;
    },
    /** Those of now: who goes meanwhile is passed over, although another one moves to his place. */
    *[Symbol.iterator]() {
      for (const member of [...members]) if (member.place >= 0) yield member;
    },
  };
}

/** A call that was on its way when the last open one ended has arrived by then. */
const quietMs = 100;

/**
 * Takes no more connections and lets the open calls end, for `graceMs` at most. Connections that are kept alive may bring one more
 * call each, whose answer says that it was the last: closing them at once would cut off a call that is just being sent. `passing` are
 * requests on their way to the console and back.
 */
export async function closeDoor(
  servers: Server[],
  { calls, passing, graceMs }: { calls: OpenCalls; passing: () => number; graceMs: number },
): Promise<void> {
  // http's own `close` would also cut the idle connections.
  const closed = servers.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve)));
  let late = 0;
  for (const server of servers) {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
      if (response.socket === null) return; // the one before it was the last
      late += 1;
      response.once('close', () => {
        late -= 1;
      });
    });
  }
  for (const { response } of calls) response.shouldKeepAlive = false;
  const deadline = performance.now() + graceMs;
  do {
    await calls.drained(Math.max(0, deadline - performance.now()));
    await delay(quietMs);
    await setImmediate(); // where this process stood still meanwhile, what has arrived is read by then
  } while (calls.count + passing() + late > 0 && performance.now() < deadline);
  for (const server of servers) {
    server.close(); // stops what http does besides listening
    server.closeAllConnections();
  }
  await Promise.all(closed);
}
