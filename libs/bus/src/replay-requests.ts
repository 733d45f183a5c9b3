import type { Redis } from 'ioredis';
import type { Bus, BusLogger, TopicName } from './bus.ts';

/** What is known of dead letters, as the process that can reach the bus told it last. */
export interface DeadLettersState {
  /** How many stand there, by topic. */
  waiting: Record<string, number>;
  /** What the last replay came to; undefined while there was none. */
  replay: { atMs: number; replayed: number; kept: number } | undefined;
  /** When it was looked at, in ms since 1970, by Redis's clock. */
  atMs: number;
}

const stateKey = 'dead-letters:state';
const wantedKey = 'dead-letters:replay-wanted';
/** A wish that nobody heard for so long is given up: who made it has looked elsewhere by then. */
const wishSeconds = 600;
/** A replay that fails, or stalls as its engine does, is tried again so often. */
const tries = 3;

/** Has the dead letters published again by whoever tends them; soon, if anybody does. */
export async function askForReplay(redis: Redis): Promise<void> {
  await redis.set(wantedKey, tries, 'EX', wishSeconds);
}

/** Undefined while nobody has looked. */
export async function deadLettersState(redis: Redis): Promise<(DeadLettersState & { isWanted: boolean }) | undefined> {
  const [stored, wanted] = await redis.mget(stateKey, wantedKey);
  return stored ? { ...(JSON.parse(stored) as DeadLettersState), isWanted: wanted !== null } : undefined;
}

/**
 * One turn of who tends dead letters: tells how many there are, and publishes them again where that was asked for, one process at a
 * time. Rejects when that fails; the wish stands for the next turn, then.
 */
export async function tendDeadLetters(
  bus: Bus,
  redis: Redis,
  { topics, now, logger }: { topics: readonly TopicName[]; now(): Promise<number>; logger: BusLogger },
): Promise<void> {
  const before = await deadLettersState(redis);
  const wanted = await redis.getdel(wantedKey);
  const replay = wanted === null ? before?.replay : await replayAll(Number(wanted));
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
      if (triesLeft > 1) await redis.set(wantedKey, triesLeft - 1, 'EX', wishSeconds, 'NX');
      throw error;
    }
    logger.info(counts, 'dead letters were published again');
    return { atMs: await now(), ...counts };
  }
}
