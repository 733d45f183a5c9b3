import type { ChildProcess } from 'node:child_process';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, answerAway, isPageWanted, languageOf, publicPortMessages } from '@tollgate/runtime/start';

/** With the time to read a request and to answer it, callers have their answer within a second. */
const patienceMs = 900;
const mostWaiting = 2_000;
const backlog = 4_096;
/** How long a body that is still being sent may take: a connection that is closed before would lose the answer. */
const longestBodyMs = 1_000;

/** A listening socket without a server, as node:child_process receives it. */
interface Descriptor {
  close(): void;
}

/** Answers on the public port while no relay does: connections wait there for the next relay, but no longer than `patienceMs`. */
export interface FallbackServer {
  /** Follows a relay that was just started. */
  follow(relay: ChildProcess): void;
  /** Nothing is answered here any more. */
  close(): void;
}

/**
 * A relay that listens sends another descriptor of its socket along. With that one this server listens when the last relay is gone; it
 * gives the connections, of which it reads nothing, to the next relay, and answers 503 with `Retry-After` to those that have waited too long.
 */
export function fallbackServer(): FallbackServer {
  const listening = new Set<ChildProcess>();
  const waiting = new Map<Socket, NodeJS.Timeout>();
  const refusals = createHttpServer(refuse).on('upgrade', (_request, socket: Socket) => {
    socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  let spare: Descriptor | undefined;
  let server: Server | undefined;
  let isClosed = false;

  function listens(relay: ChildProcess, descriptor: Descriptor): void {
    spare?.close();
    spare = descriptor;
    if (isClosed) stopListening();
    else if (isGone(relay)) leaves(relay);
    else {
      listening.add(relay);
      server?.close();
      server = undefined;
    }
  }

  function leaves(relay: ChildProcess): void {
    listening.delete(relay);
    if (listening.size > 0 || spare === undefined || server !== undefined || isClosed) return;
    server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, wait).listen(spare, backlog);
    spare = undefined;
  }

  function wait(socket: Socket): void {
    socket.on('error', () => undefined); // `close` follows
    const waitMs = waiting.size < mostWaiting ? patienceMs : 0;
    waiting.set(
      socket,
      setTimeout(() => answerHere(socket), waitMs),
    );
  }

  function answerHere(socket: Socket): void {
    waiting.delete(socket);
    refusals.emit('connection', socket);
    socket.resume();
  }

  function handOver(relay: ChildProcess): void {
    for (const [socket, timer] of waiting) {
      clearTimeout(timer);
      relay.send(publicPortMessages.connection, socket, () => undefined); // a relay that has died meanwhile breaks it like those that it had
    }
    waiting.clear();
  }

  function stopListening(): void {
    server?.close();
    spare?.close();
    [server, spare] = [undefined, undefined];
  }

  return {
    follow(relay) {
      relay.on('message', (message, descriptor) => {
        if (message === publicPortMessages.listens) listens(relay, descriptor as unknown as Descriptor);
        else if (message === publicPortMessages.answers) handOver(relay);
        else if (message === publicPortMessages.leaves) leaves(relay);
      });
      relay.once('exit', () => leaves(relay));
    },
    close() {
      isClosed = true;
      stopListening();
      for (const [socket, timer] of waiting) {
        clearTimeout(timer);
        answerHere(socket);
      }
    },
  };
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** One body for all clients: the fields of errors in the OpenAI, Anthropic and Gemini dialects, and the console's envelope. */
async function refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const language = languageOf(request.headers['accept-language']);
  response.shouldKeepAlive = false;
  if (isPageWanted(request)) return answerAway(request, response, { language, missing: ['relay'] });
  const away = new AppError('service_unavailable');
  const [message, { status, type, code }] = [away.messageFor(language), away];
  const error = { message, type, param: null, code, status: 'UNAVAILABLE' };
  const body = JSON.stringify({ success: false, message, code, type: 'error', error });
  const isSent = new Promise((resolve) => request.once('end', resolve).once('close', resolve).resume());
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'retry-after': '2' });
  response.write(body);
  await Promise.race([isSent, delay(longestBodyMs)]);
  response.end();
}
