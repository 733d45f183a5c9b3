import { createServer, type ServerResponse } from 'node:http';
import {
  AppError,
  answerHealth,
  closeServer,
  type Door,
  doorOf,
  type HealthChecks,
  keepDoor,
  listen,
  longestUrl,
  targetOf,
} from '@tollgate/runtime';
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
  const server = createServer({ keepAliveTimeout: 65_000 });
  keepDoor(server, (request, response) => {
    request.url = targetOf(request);
    if (request.url.length > longestUrl) return refuse(response, new AppError('url_too_long', { limit: longestUrl }));
    if (answerHealth(request, response, health) || answerPass(request, response)) return;
    app(request, response);
  });
  await listen(server, { door: port, host });
  return { port: doorOf(server), stop: (graceMs = 10_000) => closeServer(server, graceMs) };
}

function refuse(response: ServerResponse, error: AppError): void {
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ success: false, message: error.message, code: error.code }));
}
