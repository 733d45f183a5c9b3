import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthChecks {
  /** Rejects when the process should be restarted. */
  live?: () => Promise<void> | void;
  /** Rejects when no call should be sent here. */
  ready: () => Promise<void> | void;
}

/** Its message may be shown to strangers: the name of a datastore, never its address. */
class WaitsFor extends Error {}

/** The readiness of a process that has not opened yet. Throws; with the datastore that it waits for, as far as that is known, which `/readyz` names. */
export function notReady(datastore: string | undefined): never {
  throw datastore === undefined ? new Error('not open yet') : new WaitsFor(datastore);
}

/**
 * Answers `/livez` and `/readyz` (200 `ok`, or 503); returns whether the path was one of them. It says no more than WaitsFor: whoever
 * asks may be a stranger, and errors of datastores name their addresses.
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
