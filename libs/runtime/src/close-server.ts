import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** Time for requests that were in transit when the server began to close. */
const quietMs = 100;

/**
 * Stops accepting connections, gives running requests at most `graceMs`, then cuts the rest. Node itself would wait forever for a half-sent
 * request or an unread response. A kept-alive connection may send one more request until it is closed.
 */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  let isClosed = false;
  // http's own `close` would cut idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())).then(() => {
    isClosed = true;
  });
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const deadline = performance.now() + graceMs;
  while (!isClosed && performance.now() < deadline) {
    await Promise.race([closed, delay(Math.min(quietMs, graceMs))]);
    await setImmediate(); // reads what arrived if this process was stalled
    server.closeIdleConnections();
  }
  server.close(); // stops http's internal timers
  server.closeAllConnections();
  await closed;
}
