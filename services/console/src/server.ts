import { createServer, type Server } from 'node:http';
import { answerHealth, type Door, doorOf, type HealthChecks, listen } from '@tollgate/runtime';
import type { Express } from 'express';
import type { AnswerPass } from './playground-pass.ts';

export interface ConsoleServer {
  /** Its port, or the path of its socket. */
  port: Door;
  /** Lets requests at work end, for at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** One door for all: health, the playground's passes, then the console. */
export async function startServer({
  app,
  answerPass,
  health,
  port,
  host,
}: {
  app: Express;
  answerPass: AnswerPass;
  health: HealthChecks;
  port: Door;
  host: string;
}): Promise<ConsoleServer> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    if (answerHealth(request, response, health) || answerPass(request, response)) return;
    app(request, response);
  });
  await listen(server, { door: port, host });
  return { port: doorOf(server), stop: (graceMs = 10_000) => stop(server, graceMs) };
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
