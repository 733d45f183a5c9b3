import type { Redis } from 'ioredis';
import type { Bus, BusLogger, TopicName } from './bus.ts';

/** The state of the dead letters, as last reported by the process that manages them. */
export interface DeadLettersState {
  /** Number of waiting letters by topic. */
  waiting: Record<string, number>;
  /** Result of the last replay; undefined before the first one. */
  replay: { atMs: number; replayed: number; kept: number } | undefined;
  /** When the state was read, in ms since 1970 by Redis's clock. */
  atMs: number;
}

const stateKey = 'dead-letters:state';
const requestKey = 'dead-letters:replay-wanted';
/** A request that no process picks up within this time expires. */
const requestTtlSeconds = 600;
/** Attempts of a replay that fails or stalls. */
const tries = 3;

/** Requests a replay of the dead letters from the process that manages them. */
export async function askForReplay(redis: Redis): Promise<void> {
  await redis.set(requestKey, tries, 'EX', requestTtlSeconds);
}

/** Undefined before the first report. */
export async function deadLettersState(redis: Redis): Promise<(DeadLettersState & { isWanted: boolean }) | undefined> {
  const [stored, requested] = await redis.mget(stateKey, requestKey);
  return stored ? { ...(JSON.parse(stored) as DeadLettersState), isWanted: requested !== null } : undefined;
}

/**
 * Reports the number of dead letters and replays them when requested, one process at a time. Rejects when that fails; the request remains
 * for the next call.
 */
export async function tendDeadLetters(
  bus: Bus,
  redis: Redis,
  { topics, now, logger }: { topics: readonly TopicName[]; now(): Promise<number>; logger: BusLogger },
): Promise<void> {
  const before = await deadLettersState(redis);
  const requested = await redis.getdel(requestKey);
  const replay = requested === null ? before?.replay : await replayAll(Number(requested));
  const waiting: [string, number][] = [];
  for (const topic of topics) waiting.push([topic.name, await bus.deadLetters(topic)]);
  const state: DeadLettersState = { waiting: Object.fromEntries(waiting), replay, atMs: await now() };
  await redis.set(stateKey, JSON.stringify(state));

  async function replayAll(triesLeft: number): Promise<NonNullable<DeadLettersState['replay']>> {
    const counts = { replayed: 0, kept: 0 };
    try {
      for (const topic of topics) {
        const { replayed, kept } = await bus.replayDead(topic);
        counts.replayed += replayed;
        counts.kept += kept;
      }
    } catch (error) {
      if (triesLeft > 1) await redis.set(requestKey, triesLeft - 1, 'EX', requestTtlSeconds, 'NX');
      throw error;
    }
    logger.info(counts, 'dead letters were published again');
    return { atMs: await now(), ...counts };
  }
}
