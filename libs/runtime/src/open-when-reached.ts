import { setTimeout as delay } from 'node:timers/promises';
import { datastoreAway } from './datastore-away.ts';
import type { Logger } from './logger.ts';
import { type OnStop, stopSteps } from './stop-steps.ts';

const againMs = 250;

interface Opening {
  logger: Pick<Logger, 'error' | 'warn'>;
  onStop: OnStop;
  /** A datastore does not answer; another attempt follows. */
  onAway?(datastore: string): void;
}

/**
 * Opens what needs datastores and retries until all of them answer. A failed attempt is cleaned up before the next one. Throws errors that
 * waiting does not fix. Never settles once the process stops.
 */
export async function openWhenReached<T>(open: (onStop: OnStop) => Promise<T>, { logger, onStop, onAway }: Opening): Promise<T> {
  const ending = new AbortController();
  let steps = stopSteps(logger);
  onStop('what was opened', () => {
    ending.abort();
    return steps.stop();
  });
  let reason = '';
  for (;;) {
    try {
      return await open((name, stop) => steps.onStop(name, stop));
    } catch (error) {
      if (ending.signal.aborted) return new Promise(() => undefined);
      const datastore = datastoreAway(error);
      if (datastore === undefined) throw error;
      const { message } = error as Error;
      if (message !== reason) logger.warn({ datastore, reason: message }, 'waiting for a datastore');
      reason = message;
      onAway?.(datastore);
      await steps.stop();
      steps = stopSteps(logger);
      await delay(againMs, undefined, { signal: ending.signal }).catch(() => undefined); // aborted: the next lines end the loop
      if (ending.signal.aborted) return new Promise(() => undefined);
    }
  }
}
