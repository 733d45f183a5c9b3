import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthChecks {
  /** Rejects when the process should be restarted. */
  live?: () => Promise<void> | void;
  /** Rejects when no call should be sent here. */
  ready: () => Promise<void> | void;
}

/**
 * Answers `/livez` and `/readyz` (200 `ok`, or 503); returns whether the path was one of them. It does not say why: whoever asks may
 * be a stranger, and errors of engines name their addresses.
 */
export function answerHealth(request: IncomingMessage, response: ServerResponse, checks: HealthChecks): boolean {
  if (request.url !== '/livez' && request.url !== '/readyz') return false;
  const check = request.url === '/readyz' ? checks.ready : checks.live;
  void (async () => {
    try {
      await check?.();
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
    } catch {
      response.writeHead(503, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('not ready\n');
    }
  })();
  return true;
}
