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

/** Has the dead letters published again by whoever tends them; soon, if anybody does. */
export async function askForReplay(redis: Redis): Promise<void> {
  await redis.set(wantedKey, '1', 'EX', wishSeconds);
}

/** Undefined while nobody has looked. */
export async function deadLettersState(redis: Redis): Promise<(DeadLettersState & { isWanted: boolean }) | undefined> {
  const [stored, wanted] = await redis.mget(stateKey, wantedKey);
  return stored ? { ...(JSON.parse(stored) as DeadLettersState), isWanted: wanted !== null } : undefined;
}

/** One turn of who tends dead letters: tells how many there are, and publishes them again where that was asked for, one process at a time. */
export async function tendDeadLetters(
  bus: Bus,
  redis: Redis,
  { topics, now, logger }: { topics: readonly TopicName[]; now(): Promise<number>; logger: BusLogger },
): Promise<void> {
  const before = await deadLettersState(redis);
  let replay = before?.replay;
  if ((await redis.getdel(wantedKey)) !== null) {
    const counts = { replayed: 0, kept: 0 };
    for (const topic of topics) {
      const { replayed, kept } = await bus.replayDead(topic);
      counts.replayed += replayed;
      counts.kept += kept;
    }
    replay = { atMs: await now(), ...counts };
    logger.info(counts, 'dead letters were published again');
  }
  const waiting: [string, number][] = [];
  for (const topic of topics) waiting.push([topic.name, await bus.deadLetters(topic)]);
  const state: DeadLettersState = { waiting: Object.fromEntries(waiting), replay, atMs: await now() };
  await redis.set(stateKey, JSON.stringify(state));
}
