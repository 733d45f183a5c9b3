import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';

export interface Repetition {
  /** Waits for the current round; no other one starts. */
  stop(): Promise<void>;
}

interface Work {
  /** From the end of one round to the start of the next. */
  everyMs: number;
  work(): Promise<unknown>;
  logger: Pick<Logger, 'error'>;
}

/** Runs a small job periodically, never twice at once. A failure is logged and the next round runs as usual. */
export function repeat(name: string, { everyMs, work, logger }: Work): Repetition {
  const ending = new AbortController();
  const ended = rounds();

  async function rounds(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await work();
      } catch (error) {
        logger.error({ err: error, work: name }, 'a periodic job failed and will run again');
      }
      await delay(everyMs, undefined, { signal: ending.signal }).catch(() => undefined); // aborted: the loop ends
    }
  }

  return {
    stop() {
      ending.abort();
      return ended;
    },
  };
}
