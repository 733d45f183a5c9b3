import { hostname } from 'node:os';
import type { Redis } from 'ioredis';

/** A process of the product, as it told of itself last. Times are ms since 1970, by Redis's clock. */
export interface Presence {
  service: string;
  /** Host and process. */
  process: string;
  startedAtMs: number;
  atMs: number;
  /** Events that wait to be charged, as billing sees it; -1: the bus did not say. */
  lag?: number;
  /** A private peer that sends X-Forwarded-For and is not among the trusted proxies. */
  untrustedProxy?: string | undefined;
}

/** One hash of JSON texts, by service and process. */
const key = 'presence';
/** Who has been silent for so long is gone, and no longer told of. */
const forgottenAfterMs = 60_000;

/** Which process this is, for people: host and process. */
export const thisProcess = `${hostname()}:${process.pid}`;

interface Told {
  redis: Redis;
  /** By Redis's clock. */
  now(): Promise<number>;
}

/** Tells that this process is there, again with each call. Who ends says nothing: a process that is killed could not either. */
export function presenceOf(service: string, { redis, now }: Told) {
  let startedAtMs: number | undefined;
  return {
    async tell(facts: Pick<Presence, 'lag' | 'untrustedProxy'> = {}): Promise<void> {
      const atMs = await now();
      startedAtMs ??= atMs;
      const presence: Presence = { service, process: thisProcess, startedAtMs, atMs, ...facts };
      await redis.hset(key, `${service}:${thisProcess}`, JSON.stringify(presence));
    },
  };
}

/** Who is there, or was a moment ago, and what time it is now. Those that are long gone are forgotten. */
export async function processesSeen({ redis, now }: Told): Promise<{ processes: Presence[]; nowMs: number }> {
  const [nowMs, stored] = await Promise.all([now(), redis.hgetall(key)]);
  const processes: Presence[] = [];
  const gone: string[] = [];
  for (const [field, text] of Object.entries(stored)) {
    const presence = JSON.parse(text) as Presence;
    if (nowMs - presence.atMs > forgottenAfterMs) gone.push(field);
    else processes.push(presence);
  }
  if (gone.length > 0) await redis.hdel(key, ...gone);
  return { processes, nowMs };
}
