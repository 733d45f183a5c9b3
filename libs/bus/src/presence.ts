import { hostname } from 'node:os';
import type { Redis } from 'ioredis';

/** The last heartbeat of a process. Times are ms since 1970 by Redis's clock. */
export interface Presence {
  service: string;
  /** Host and process id. */
  process: string;
  startedAtMs: number;
  atMs: number;
  /** Events that wait to be charged, as reported by billing; -1 when the bus did not answer. */
  lag?: number;
  /** A private peer that sends X-Forwarded-For and is not a trusted proxy. */
  untrustedProxy?: string | undefined;
}

/** A hash of JSON texts by service and process. */
const key = 'presence';
/** A process without a heartbeat for this long is removed. */
const expiresAfterMs = 60_000;

/** Host and process id of this process, for display. */
export const thisProcess = `${hostname()}:${process.pid}`;

interface PresenceContext {
  redis: Redis;
  /** By Redis's clock. */
  now(): Promise<number>;
}

/** Writes the heartbeat of this process with each call. There is no sign-off, since a killed process could not send one either. */
export function presenceOf(service: string, { redis, now }: PresenceContext) {
  let startedAtMs: number | undefined;
  return {
    async heartbeat(facts: Pick<Presence, 'lag' | 'untrustedProxy'> = {}): Promise<void> {
      const atMs = await now();
      startedAtMs ??= atMs;
      const presence: Presence = { service, process: thisProcess, startedAtMs, atMs, ...facts };
      await redis.hset(key, `${service}:${thisProcess}`, JSON.stringify(presence));
    },
  };
}

/** The processes seen within the last minute, and Redis's time. Removes older ones. */
export async function processesSeen({ redis, now }: PresenceContext): Promise<{ processes: Presence[]; nowMs: number }> {
  const [nowMs, stored] = await Promise.all([now(), redis.hgetall(key)]);
  const processes: Presence[] = [];
  const gone: string[] = [];
  for (const [field, text] of Object.entries(stored)) {
    const presence = JSON.parse(text) as Presence;
    if (nowMs - presence.atMs > expiresAfterMs) gone.push(field);
    else processes.push(presence);
  }
  if (gone.length > 0) await redis.hdel(key, ...gone);
  return { processes, nowMs };
}
