import { setTimeout as delay } from 'node:timers/promises';
import { DatastoreAway } from '@tollgate/contracts';
import { type Bus, silentLogger } from './bus.ts';
import { backoffMs, pauseFor } from './drivers/backoff.ts';
import { type BusOptions, openBus } from './open-bus.ts';

/** A refusal within this time fails the start. */
const firstAttemptMs = 2_000;

/** A bus for a process that publishes and starts without it. Unpublished events wait elsewhere (in holds). */
export type LateBus = Pick<Bus, 'publishEncoded' | 'lag' | 'ready' | 'close'>;

/**
 * Opens the bus in the background and retries until it answers; until then publishing rejects with DatastoreAway. Rejects when the first
 * attempt is refused (credentials, a Redis that may evict). A later refusal calls `onFatal`.
 */
export async function openLateBus(url: string, options: BusOptions & { onFatal(error: Error): void }): Promise<LateBus> {
  const { logger = silentLogger, onFatal } = options;
  const closing = new AbortController();
  const tried = Promise.withResolvers<void>();
  let bus: Bus | undefined;

  async function openAtLast(): Promise<void> {
    for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
      try {
        bus = await openBus(url, options);
        if (attempt > 1) logger.info({ attempt }, 'the bus answers');
        if (closing.signal.aborted) await bus.close();
        return;
      } catch (error) {
        if (!(error instanceof DatastoreAway)) throw error;
        if (attempt === 1) logger.warn({ err: error }, 'the bus does not answer; events wait in their holds');
        tried.resolve();
        await pauseFor(backoffMs(attempt), closing.signal);
      }
    }
  }

  const opening = openAtLast();
  await Promise.race([opening, tried.promise, delay(firstAttemptMs, undefined, { ref: false })]);
  opening.catch(onFatal);
  const opened = (): Bus => {
    if (bus === undefined) throw new DatastoreAway('the bus', 'the bus has not answered yet');
    return bus;
  };
  return {
    publishEncoded: async (topic, messages) => opened().publishEncoded(topic, messages),
    lag: async (topic, group) => opened().lag(topic, group),
    ready: async () => opened().ready(),
    async close() {
      closing.abort();
      await bus?.close();
    },
  };
}
