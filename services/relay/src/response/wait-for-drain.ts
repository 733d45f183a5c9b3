import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';

/** What the line itself takes at once is no call's any more. */
const shortAnswer = 64 * 1024;

/**
 * Resolves when the caller has taken his answer, or has left: until then the call keeps it in memory. One who takes nothing of
 * it is cut off, as a streaming caller is. undefined: a short one needs no waiting for.
 */
export function untilTaken(relay: Relay, { response }: Call): Promise<void> | undefined {
  return response.writableLength < shortAnswer ? undefined : taken(relay, response);
}

async function taken(relay: Relay, response: Call['response']): Promise<void> {
  let left = response.writableLength;
  let takenAt = performance.now();
  const watcher = {
    place: -1,
    tick(now: number) {
      if (response.writableLength !== left) {
        left = response.writableLength;
        takenAt = now;
      } else if (now - takenAt > relay.limits.RELAY_SLOW_READER_MS) response.destroy();
    },
    shutDown: () => undefined,
  };
  relay.openCalls.watch(watcher);
  await new Promise<void>((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
  relay.openCalls.unwatch(watcher);
}
