import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HealthChecks {
  /** Rejects when the process should be restarted. */
  live?: () => Promise<void> | void;
  /** Rejects when no call should be sent here; the message is shown. */
  ready: () => Promise<void> | void;
}

/** Answers `/livez` and `/readyz` (200 `ok`, or 503 and why); returns whether the path was one of them. */
export function answerHealth(request: IncomingMessage, response: ServerResponse, checks: HealthChecks): boolean {
  if (request.url !== '/livez' && request.url !== '/readyz') return false;
  const check = request.url === '/readyz' ? checks.ready : checks.live;
  void (async () => {
    try {
      await check?.();
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end('ok\n');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      response.writeHead(503, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(`${reason}\n`);
    }
  })();
  return true;
}
