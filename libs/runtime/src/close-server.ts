import type { Server } from 'node:http';

/**
 * Takes no more connections, lets the requests at work end for at most `graceMs`, then cuts what is left: Node itself would wait for good
 * for a request that was half sent or an answer that nobody reads.
 */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
