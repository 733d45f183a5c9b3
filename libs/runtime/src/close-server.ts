import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** A request that was being sent when its server began to close has arrived by then. */
const quietMs = 100;

/**
 * Takes no more connections, lets the requests at work end for at most `graceMs`, then cuts what is left: Node itself would wait for good
 * for a request that was half sent or an answer that nobody reads. A connection that is kept alive may bring one more request until it is closed.
 */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  let isClosed = false;
  // http's own `close` would cut the idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())).then(() => {
    isClosed = true;
  });
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const deadline = performance.now() + graceMs;
  while (!isClosed && performance.now() < deadline) {
    await Promise.race([closed, delay(Math.min(quietMs, graceMs))]);
    await setImmediate(); // where this process stood still meanwhile, what has arrived is read by then
    server.closeIdleConnections();
  }
  server.close(); // stops what http does besides listening
  server.closeAllConnections();
  await closed;
}
