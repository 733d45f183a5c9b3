import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorCatalogue } from '@tollgate/contracts';
import { AppError, type Logger, type PlaygroundPasses, playgroundHeader } from '@tollgate/runtime';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { callerBySession } from './auth/authenticate.ts';
import { isOwnOrigin } from './auth/guards.ts';
import type { Sessions } from './auth/sessions.ts';
import { isEngineDown } from './http/error-handler.ts';
import type { TrustedPeers } from './http/trusted-peers.ts';
import { createPassOn } from './pass-on.ts';
import type { Relays } from './relays.ts';

const relayPath = /^\/(?:v1|v1beta|pg|mj|suno|dashboard\/billing)(?:[/?]|$)/;
const playgroundPath = /^\/pg(?:[/?]|$)/;
const callPath = /^\/(?:v1|v1beta|pg)\//;

export interface RelayProxy {
  /** Passes the request on to the relay; false when its path is none of the relay's. */
  handles(request: IncomingMessage, response: ServerResponse): boolean;
  /** The same for WebSockets; a connection that is not for the relay is closed. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  close(): Promise<void>;
}

export interface RelayProxyOptions {
  relays: Relays;
  isTrusted: TrustedPeers;
  sessions: Sessions;
  passes: PlaygroundPasses;
  log: Logger;
}

/**
 * The way to the relay on one machine. It runs ahead of Express, reads no body and limits nothing: bytes flow both ways as
 * they come. What only our own services may say (`x-tollgate-*`, who the caller's address is) is taken from no stranger.
 * Calls of models, which are nearly all, go by `pass-on.ts`; WebSockets and the rest by http-proxy-middleware.
 */
export function createRelayProxy({ relays, isTrusted, sessions, passes, log }: RelayProxyOptions): RelayProxy {
  // Unbounded on purpose: every open stream holds a socket, and the relay bounds its calls itself.
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: 30_000,
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: 256,
    scheduling: 'lifo',
  });
  const passOn = createPassOn({ relays, onFailure: failed });
  const forward = createProxyMiddleware({
    router: () => relays.next(),
    agent,
    // The default plugins log and format for every request; what is left of them is the handler of errors.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('error', (error, _request, response, target) =>
          failed(error, response, target instanceof URL ? target.origin : String(target)),
        );
        proxy.on('econnreset', () => {}); // the caller left; httpxy has ended the relay's side
        proxy.on('proxyRes', (_answer, _request, response) => {
          // Headers are set right after this event; a stream's must not wait for its first byte.
          process.nextTick(() => response.flushHeaders());
        });
      },
    ],
  });

  return {
    handles(request, response) {
      const { url = '' } = request;
      if (!relayPath.test(url)) return false;
      cleanHeaders(request, isTrusted);
      if (playgroundPath.test(url)) void throughPlayground(request, response);
      else pass(request, response);
      return true;
    },
    upgrade(request, socket, head) {
      if (!relayPath.test(request.url ?? '') || playgroundPath.test(request.url ?? '')) return void socket.destroy();
      cleanHeaders(request, isTrusted);
      forward.upgrade(request, socket, head);
    },
    async close() {
      agent.destroy();
      await passOn.close();
    },
  };

  function failed(error: Error, response: ServerResponse | Socket | undefined, relayUrl: string): void {
    if ('code' in error && error.code === 'ECONNREFUSED') relays.wasAway(relayUrl);
    if (!response || !('writeHead' in response)) return void response?.destroy();
    if (response.headersSent || response.destroyed) return void response.destroy();
    log.error({ err: error, relayUrl }, 'the relay cannot be reached');
    answerError(response, new AppError('service_unavailable', {}, { cause: error, retryAfterSeconds: 1 }));
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'POST' && callPath.test(request.url ?? '')) passOn(request, response);
    else void forward(request, response, () => {});
  }

  /** The playground is for people who are signed in: the relay believes the pass that it finds in the header. */
  async function throughPlayground(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      request.headers[playgroundHeader] = passes.sign(await playgroundUser(request));
      pass(request, response);
    } catch (error) {
      const known =
        error instanceof AppError
          ? error
          : new AppError(isEngineDown(error) ? 'service_unavailable' : 'internal_error', {}, { cause: error });
      if (known.status >= 500) log.error({ err: error }, 'playground call failed');
      answerError(response, known);
    }
  }

  async function playgroundUser(request: IncomingMessage): Promise<number> {
    if (!isOwnOrigin(request.headers.origin, request.headers.host)) throw new AppError('origin_refused');
    const caller = await callerBySession(request, sessions);
    if (!caller) throw new AppError('not_logged_in');
    if (request.headers['new-api-user'] !== String(caller.id)) throw new AppError('user_id_mismatch');
    return caller.id;
  }
}

/** Drops what strangers must not say, and names the caller's address: after those of trusted proxies, instead of a stranger's claims. */
function cleanHeaders(request: IncomingMessage, isTrusted: TrustedPeers): void {
  const { headers } = request;
  for (const name in headers) if (name.startsWith('x-tollgate-')) delete headers[name];
  const peer = request.socket.remoteAddress;
  const before = headers['x-forwarded-for'];
  if (before !== undefined && isTrusted(peer)) headers['x-forwarded-for'] = `${before}, ${peer}`;
  else if (peer !== undefined) headers['x-forwarded-for'] = peer;
  delete headers.forwarded;
  delete headers['x-real-ip'];
}

/** OpenAI's shape: those who call these paths are its clients. */
function answerError(response: ServerResponse, error: AppError): void {
  if (response.headersSent) return void response.destroy();
  const status = error.status === 200 ? 403 : error.status;
  const headers = {
    'content-type': 'application/json',
    ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
  };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ error: { message: error.message, type: errorCatalogue[error.code].type, param: null, code: error.code } }));
}
