import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  AppError,
  answerHealth,
  holdRequests,
  type ListenAddress,
  languageOf,
  listen,
  listenAddressOf,
  notReady,
  publicPortMessages,
  serveHttp,
  targetOf,
} from '@tollgate/runtime';
import type { RelayEnv } from '../config.ts';
import { newRequestId } from '../context/call.ts';
import { dialectAt, routeAt } from '../dialects/routes.ts';
import { answerError, answerPreflight } from '../response/respond.ts';
import type { Front } from './console-proxy.ts';
import { isOwnPath, isSession, trimmed } from './paths.ts';

/** What answers on the relay's ports. */
export interface PortHandlers {
  request: RequestListener;
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** The relay's ports, which answer from the first moment: with 503 until there are handlers that can do more. */
export interface Ports {
  servers: Server[];
  address: ListenAddress;
  /** Names the datastore that the start waits for. */
  waitFor(datastore: string): void;
  serve(handlers: PortHandlers): void;
  /** Takes no more connections from the public port. */
  leave(): void;
}

type Settings = Pick<RelayEnv, 'RELAY_PORT' | 'RELAY_PUBLIC_FD' | 'HOST'>;

/** Opens its own port, or the path of its socket, and the public one where it inherits that. */
export async function openPorts({ RELAY_PORT, RELAY_PUBLIC_FD, HOST }: Settings, front: Front | undefined): Promise<Ports> {
  let missing: string | undefined;
  const held = holdRequests(refuse);
  let handlers = whileStarting({ front, missing: () => missing, hold: held.hold });

  async function open(at: Parameters<typeof listen>[1]): Promise<Server> {
    const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 300_000, shouldUpgradeCallback: isSession });
    serveHttp(server, (request, response) => handlers.request(request, response));
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined); // `close` follows
      handlers.upgrade(request, socket as Socket, head);
    });
    await listen(server, at);
    return server;
  }

  const own = await open({ address: RELAY_PORT, host: HOST });
  const shared = RELAY_PUBLIC_FD === undefined ? undefined : await open({ fd: RELAY_PUBLIC_FD });
  const supervisor = shared && publicPortOf(shared);
  return {
    servers: shared === undefined ? [own] : [own, shared],
    address: listenAddressOf(own),
    waitFor(datastore) {
      missing = datastore;
      held.refuseAll();
      supervisor?.answers();
    },
    serve(those) {
      handlers = those;
      held.serve(those.request);
      supervisor?.answers();
    },
    leave: () => supervisor?.leaves(),
  };
}

/** Informs the supervisor, which answers on the public port while no relay does, and takes the connections that waited there. */
function publicPortOf(server: Server) {
  const listens = () => {
    const { _handle: descriptor } = server as Server & { _handle: never };
    if (server.listening) process.send?.(publicPortMessages.listens, descriptor);
  };
  process.on('message', (message, socket) => {
    if (message === publicPortMessages.probe) process.send?.(publicPortMessages.lives);
    if (message === publicPortMessages.listensAgain) listens();
    if (message !== publicPortMessages.connection || !(socket instanceof Socket)) return;
    socket.allowHalfOpen = true; // as those that the server accepts itself
    server.emit('connection', socket);
  });
  listens();
  return {
    answers: () => process.send?.(publicPortMessages.answers),
    leaves: () => process.send?.(publicPortMessages.leaves),
  };
}

interface Starting {
  front: Front | undefined;
  missing(): string | undefined;
  hold: RequestListener;
}

/** Pages and the console's API need nothing of the relay's. */
function whileStarting({ front, missing, hold }: Starting): PortHandlers {
  const health = { ready: () => notReady(missing()) };
  return {
    request(request, response) {
      request.url = targetOf(request);
      if (answerHealth(request, response, health)) return;
      if (front !== undefined && !isOwnPath(trimmed(pathOf(request.url)))) return front.passOn(request, response);
      if (request.method === 'OPTIONS') return answerPreflight(response);
      hold(request, response);
    },
    upgrade: (_request, socket) => void socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n\r\n'),
  };
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request;
  const path = trimmed(pathOf(url));
  const dialect = routeAt(path, url.split('?', 2)[1])?.route.dialect ?? dialectAt(path, request.headers);
  const call = { id: newRequestId(Date.now()), language: languageOf(request.headers['accept-language']), dialect };
  answerError(response, new AppError('service_unavailable', {}, { retryAfterSeconds: 2 }), call);
}
