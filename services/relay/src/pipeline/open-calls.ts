import { AppError } from '@tollgate/runtime';
import type { Limits } from '../context/limits.ts';
import type { Call } from './call.ts';
import { crowd, type Member } from './swap-remove-set.ts';

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
