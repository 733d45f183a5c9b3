import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import {
  AppError,
  answerAway,
  answerHealth,
  closeServer,
  type HealthChecks,
  holdRequests,
  type ListenAddress,
  languageOf,
  listen,
  listenAddressOf,
  longestUrl,
  notReady,
  serveHttp,
  targetOf,
} from '@tollgate/runtime';
import type { AnswerPass } from './playground-pass.ts';

export interface ConsoleServer {
  /** Its port, or the path of its socket. */
  port: ListenAddress;
  /** Lets requests at work end, for at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** What the console answers with once it has what it needs. */
export interface Handlers {
  app: RequestListener;
  answerPass: AnswerPass;
  health: HealthChecks;
}

/** The console's port, which answers from the first moment: with 503, and what is missing, until there are handlers that can do more. */
export interface ConsolePort extends ConsoleServer {
  /** Names the datastore that the start waits for. */
  waitFor(datastore: string): void;
  /** Health, the playground's passes and the console are answered from now on. */
  serve(handlers: Handlers): void;
}

export async function openPort({ port, host }: { port: ListenAddress; host: string }): Promise<ConsolePort> {
  const missing = new Set<string>();
  const held = holdRequests((request, response) => {
    answerAway(request, response, { language: languageOf(request.headers['accept-language']), missing });
  });
  let handlers: Handlers = {
    health: { ready: () => notReady([...missing][0]) },
    answerPass: () => false,
    app: held.hold,
  };
  const handle: RequestListener = (request, response) => {
    if (!handlers.answerPass(request, response)) handlers.app(request, response);
  };
  const server = createServer({ keepAliveTimeout: 65_000 });
  serveHttp(server, (request, response) => {
    request.url = targetOf(request);
    if (request.url.length > longestUrl) return refuse(response, new AppError('url_too_long', { limit: longestUrl }));
    if (!answerHealth(request, response, handlers.health)) handle(request, response);
  });
  await listen(server, { address: port, host });
  let stopped: Promise<void> | undefined;
  return {
    port: listenAddressOf(server),
    waitFor(datastore) {
      missing.clear();
      missing.add(datastore);
      held.refuseAll();
    },
    serve(those) {
      handlers = those;
      held.serve(handle);
    },
    stop(graceMs = 10_000) {
      stopped ??= closeServer(server, graceMs);
      return stopped;
    },
  };
}

function refuse(response: ServerResponse, error: AppError): void {
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ success: false, message: error.message, code: error.code }));
}
