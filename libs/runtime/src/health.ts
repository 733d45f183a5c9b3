import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthChecks {
  /** Rejects when the process should be restarted. */
  live?: () => Promise<void> | void;
  /** Rejects when no traffic should be routed here. */
  ready: () => Promise<void> | void;
}

/** The message is public: the name of a datastore, never its address. */
class WaitsFor extends Error {}

/** The readiness check of a process that has not opened yet. Throws, and `/readyz` names the datastore it waits for, if known. */
export function notReady(datastore: string | undefined): never {
  throw datastore === undefined ? new Error('not open yet') : new WaitsFor(datastore);
}

/**
 * Answers `/livez` and `/readyz` (200 `ok`, or 503); returns whether the path was one of them. Only WaitsFor messages are shown, because
 * the endpoints are public and datastore errors contain addresses.
 */
export function answerHealth(request: IncomingMessage, response: ServerResponse, checks: HealthChecks): boolean {
  if (request.url !== '/livez' && request.url !== '/readyz') return false;
  const check = request.url === '/readyz' ? checks.ready : checks.live;
  void (async () => {
    try {
      await check?.();
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
    } catch (error) {
      const waiting = error instanceof WaitsFor ? `waits for ${error.message}\n` : 'not ready\n';
      response.writeHead(503, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(waiting);
    }
  })();
  return true;
}
