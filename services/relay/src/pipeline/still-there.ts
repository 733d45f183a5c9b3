import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { CallerLeft } from '../request/decoded-body.ts';
import type { Call } from './call.ts';

/** A caller who has left resets what is sent to them (a 102, http-door.ts) within this. */
const resetMs = 50;
const tickMs = 250;
/** Of a stall that long, callers who left meanwhile show themselves only when the sockets are read. */
const stallMs = 500;
const afterStallMs = 1_000;

let tickedAt = performance.now();
let stalledAt = Number.NEGATIVE_INFINITY;
setInterval(() => {
  const now = performance.now();
  if (now - tickedAt > tickMs + stallMs) stalledAt = now;
  tickedAt = now;
}, tickMs).unref();

/**
 * Asks whether the caller of a call is still there, before a provider is asked for them. undefined: they are. Throws, or rejects: CallerLeft.
 * It takes time only for a caller who has ended their side of the connection, and for all of them right after this process stood still.
 */
export function callerIsThere(call: Pick<Call, 'isGone' | 'request'>): Promise<void> | undefined {
  if (call.isGone) throw new CallerLeft();
  const { socket } = call.request;
  if (!socket.readableEnded && performance.now() - stalledAt > afterStallMs && performance.now() - tickedAt < tickMs + stallMs)
    return undefined;
  return lookAgain(call, socket);
}

async function lookAgain(call: Pick<Call, 'isGone'>, socket: Socket): Promise<void> {
  await nextTurn(); // what has arrived meanwhile is read
  await nextTurn();
  if (socket.readableEnded && !call.isGone) {
    await delay(resetMs);
    await nextTurn(); // a busy loop comes to its timers before it reads
    await nextTurn();
  }
  if (call.isGone || socket.destroyed) throw new CallerLeft();
}
