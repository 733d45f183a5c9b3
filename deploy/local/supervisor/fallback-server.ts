import type { ChildProcess } from 'node:child_process';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, answerAway, isPageWanted, languageOf, publicPortMessages } from '@tollgate/runtime/start';

/** With the time to read a request and to answer it, callers have their answer within a second. */
const patienceMs = 900;
/** A relay that does not answer a probe for `hangsAfterMs` hangs; what it has not accepted by then waits no longer than a second in all. */
const [probeEveryMs, hangsAfterMs, hangPatienceMs] = [150, 500, 300];
/** A timer this late shows that this process stalled, not the relay. */
const lateMs = 100;
const mostWaiting = 2_000;
const backlog = 4_096;
/** How long a body that is still being sent may take: a connection that is closed before would lose the answer. */
const longestBodyMs = 1_000;

/** A listening socket without a server, as node:child_process receives it. */
interface Descriptor {
  close(): void;
}

/**
 * Answers on the public port while no relay does, because none runs or all hang: connections wait there for the next relay, but no longer
 * than `patienceMs`.
 */
export interface FallbackServer {
  /** Follows a relay that was just started. */
  follow(relay: ChildProcess): void;
  /** Nothing is answered here any more. */
  close(): void;
}

/**
 * A relay that listens sends another descriptor of its socket along. With that one this server listens when the last relay is gone or hangs;
 * it gives the connections, of which it reads nothing, to the next relay, and answers 503 with `Retry-After` to those that have waited too long.
 */
export function fallbackServer(): FallbackServer {
  /** Since when each relay that accepts connections has left a probe unanswered; Infinity: it answers. */
  const listening = new Map<ChildProcess, number>();
  /** Those that have started: before, a relay may load modules for longer. */
  const started = new WeakSet<ChildProcess>();
  const waiting = new Map<Socket, NodeJS.Timeout>();
  const refusals = createHttpServer(refuse).on('upgrade', (_request, socket: Socket) => {
    socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  let spare: Descriptor | undefined;
  let server: Server | undefined;
  let isClosed = false;
  let probedAt = performance.now();
  const probing = setInterval(probe, probeEveryMs).unref();

  function listens(relay: ChildProcess, descriptor: Descriptor): void {
    spare?.close();
    spare = descriptor;
    if (isClosed) stopListening();
    else if (isGone(relay)) leaves(relay);
    else {
      listening.set(relay, Number.POSITIVE_INFINITY);
      server?.close();
      server = undefined;
    }
  }

  function leaves(relay: ChildProcess): void {
    listening.delete(relay);
    if (listening.size === 0) accept();
  }

  function accept(): void {
    if (spare === undefined || server !== undefined || isClosed) return;
    server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, wait).listen(spare, backlog);
    spare = undefined;
  }

  function probe(): void {
    const now = performance.now();
    const isLate = now - probedAt > probeEveryMs + lateMs;
    probedAt = now;
    let answering = 0;
    for (const [relay, since] of listening) {
      if (!started.has(relay)) {
        answering += 1;
        continue;
      }
      if (since === Number.POSITIVE_INFINITY || isLate) listening.set(relay, now);
      if (isLate || now - since < hangsAfterMs) answering += 1;
      if (since === Number.POSITIVE_INFINITY && relay.connected) relay.send(publicPortMessages.probe, () => undefined);
    }
    if (answering === 0 && listening.size > 0) accept();
  }

  function lives(relay: ChildProcess): void {
    if (!listening.has(relay)) return;
    listening.set(relay, Number.POSITIVE_INFINITY);
    if (server === undefined) return;
    relay.send(publicPortMessages.listensAgain, () => undefined); // with which this server ends
    handOver(relay);
  }

  function wait(socket: Socket): void {
    socket.on('error', () => undefined); // `close` follows
    const mayWaitMs = listening.size === 0 ? patienceMs : hangPatienceMs;
    const waitMs = waiting.size < mostWaiting ? mayWaitMs : 0;
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
        else if (message === publicPortMessages.answers) {
          started.add(relay);
          handOver(relay);
        } else if (message === publicPortMessages.leaves) leaves(relay);
        else if (message === publicPortMessages.lives) lives(relay);
      });
      relay.once('exit', () => leaves(relay));
    },
    close() {
      isClosed = true;
      clearInterval(probing);
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
