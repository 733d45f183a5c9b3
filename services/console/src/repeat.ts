import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tollgate/runtime';

/** Does a small piece of work again and again, never twice at once; a failure is logged and the next round comes. */
export function repeat(name: string, everyMs: number, { work, log }: { work(): Promise<unknown>; log: Logger }): { stop(): Promise<void> } {
  const ending = new AbortController();
  const ended = (async () => {
    while (!ending.signal.aborted) {
      await work().catch((error) => log.warn({ err: error, work: name }, 'a round of repeated work failed'));
      await delay(everyMs, undefined, { signal: ending.signal }).catch(() => {}); // aborted: the loop ends
    }
  })();
  return {
    async stop() {
      ending.abort();
      await ended;
    },
  };
}
