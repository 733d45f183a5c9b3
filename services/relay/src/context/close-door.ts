import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { OpenCalls } from './open-calls.ts';

/** A call that was on its way when the last open one ended has arrived by then. */
const quietMs = 100;

/**
 * Takes no more connections and lets the open calls end, for `graceMs` at most. Connections that are kept alive may bring one more
 * call each, whose answer says that it was the last: closing them at once would cut off a call that is just being sent. `passing` are
 * requests on their way to the console and back.
 */
export async function closeDoor(
  servers: Server[],
  { calls, passing, graceMs }: { calls: OpenCalls; passing: () => number; graceMs: number },
): Promise<void> {
  // http's own `close` would also cut the idle connections.
  const closed = servers.map((server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve)));
  let late = 0;
  for (const server of servers) {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
      if (response.socket === null) return; // the one before it was the last
      late += 1;
      response.once('close', () => {
        late -= 1;
      });
    });
  }
  for (const { response } of calls) response.shouldKeepAlive = false;
  const deadline = performance.now() + graceMs;
  do {
    await calls.drained(Math.max(0, deadline - performance.now()));
    await delay(quietMs);
    await setImmediate(); // where this process stood still meanwhile, what has arrived is read by then
  } while (calls.count + passing() + late > 0 && performance.now() < deadline);
  for (const server of servers) {
    server.close(); // stops what http does besides listening
    server.closeAllConnections();
  }
  await Promise.all(closed);
}
