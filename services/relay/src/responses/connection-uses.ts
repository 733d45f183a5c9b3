import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';

/** Connections that one user may have open at a relay: each costs memory, and none need cost the user anything. */
const mostConnections = 100;
/** What all of them may remember of unstored responses, in bytes: the oldest of a connection go first. */
export const mostRemembered = 64 << 20;

/** What the WebSocket connections of one user take of a relay. */
export interface Use {
  connections: number;
  remembered: number;
}
const usesOf = new WeakMap<Relay, Map<number, Use>>();
/** Counts one more. Throws: AppError `rate_limit_exceeded`. */
export function countConnection(relay: Relay, userId: number): Use {
  const uses = usesOf.get(relay) ?? new Map<number, Use>();
  usesOf.set(relay, uses);
  const use = uses.get(userId) ?? { connections: 0, remembered: 0 };
  if (use.connections >= mostConnections) {
    const limit = { name: 'WebSocket connections', subject: 'user', limit: mostConnections, used: use.connections, seconds: 1 };
    throw new AppError('rate_limit_exceeded', limit, { retryAfterSeconds: 1 });
  }
  use.connections += 1;
  uses.set(userId, use);
  return use;
}

export function endConnection(relay: Relay, userId: number): void {
  const use = usesOf.get(relay)?.get(userId);
  if (use === undefined) return;
  use.connections -= 1;
  if (use.connections === 0) usesOf.get(relay)?.delete(userId);
}
