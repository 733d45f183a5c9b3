import { Agent, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Egress, EgressRoute } from '@tollgate/runtime';
import type { Dispatcher } from 'undici';
import { type RawData, WebSocket } from 'ws';

/** What is asked by one message and answered by several, each of which becomes a line; the guarded way out. */
export type Transport = Pick<Dispatcher, 'dispatch'>;

const longestMessage = 10 << 20;
const lineFeed = Buffer.from('\n');
const answerHeaders = { 'content-type': 'application/x-ndjson' };

export type WebSocketEgress = Pick<Egress, 'check' | 'lookup' | 'through'>;

/** A WebSocket a call, for providers that are spoken to by one: the body is its one message. */
export function webSockets(egress: WebSocketEgress, { connectMs, proxy }: { connectMs: number; proxy: string | undefined }): Transport {
  return {
    dispatch(options, handler) {
      const address = `${String(options.origin)}${options.path}`;
      carry(dial(egress, address, { connectMs, proxy, maxBytes: longestMessage, headers: {} }), options, handler);
      return true;
    },
  };
}

interface Dialling {
  connectMs: number;
  proxy: string | undefined;
  /** Of one message. */
  maxBytes: number;
  headers: Record<string, string>;
}

/** A socket on its way to a provider, by the guarded way out. Throws: AppError `egress_refused`. */
export function dial(egress: WebSocketEgress, address: string, { connectMs, proxy, maxBytes, headers }: Dialling): WebSocket {
  const own = address.replace(/^http/i, 'ws');
  egress.check(own.replace(/^ws/i, 'http'));
  return new WebSocket(own, {
    lookup: egress.lookup,
    handshakeTimeout: connectMs,
    followRedirects: false,
    maxPayload: maxBytes,
    perMessageDeflate: false,
    headers: { 'user-agent': 'tollgate', ...headers },
    ...(proxy !== undefined && { agent: agentThrough(egress.through(proxy), own) }),
  });
}

/** What makes the connections of a socket that goes through a proxy. */
function agentThrough({ connect }: EgressRoute, address: string): Agent {
  const { protocol, hostname, host, port } = new URL(address.replace(/^ws/i, 'http'));
  class ProxyAgent extends Agent {
    protocol = protocol;
    override createConnection(_options: unknown, callback?: (error: Error | null, socket: Duplex) => void): undefined {
      connect({ protocol, hostname, host, port, servername: hostname }, (error, socket) => callback?.(error, socket as Socket));
    }
  }
  return new ProxyAgent();
}

function carry(socket: WebSocket, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
  let isOver = false;
  let hasBegun = false;
  let timer: NodeJS.Timeout | undefined;
  const controller = {
    abort: () => {
      isOver = true;
      clearTimeout(timer);
      socket.terminate();
    },
    pause: () => {
      clearTimeout(timer);
      socket.pause();
    },
    resume: () => socket.resume(),
  } as unknown as Dispatcher.DispatchController;

  const failed = (error: Error) => {
    if (isOver) return;
    controller.abort(error);
    handler.onResponseError?.(controller, error);
  };
  const wait = (ms: number | null | undefined, code: string) => {
    clearTimeout(timer);
    if (ms) timer = setTimeout(() => failed(Object.assign(new Error('no message came in time'), { code })), ms);
  };

  handler.onRequestStart?.(controller, undefined);
  socket.once('open', () => {
    wait(options.headersTimeout, 'UND_ERR_HEADERS_TIMEOUT');
    textOf(options.body).then((text) => socket.send(text), failed);
  });
  socket.on('message', (data: RawData) => {
    if (isOver) return;
    wait(options.bodyTimeout, 'UND_ERR_BODY_TIMEOUT');
    if (!hasBegun) handler.onResponseStart?.(controller, 200, answerHeaders);
    hasBegun = true;
    handler.onResponseData?.(controller, Buffer.concat([bytesOf(data), lineFeed]));
  });
  socket.once('unexpected-response', (_request, response: IncomingMessage) => {
    if (isOver) return;
    handler.onResponseStart?.(controller, response.statusCode ?? 502, response.headers);
    response.on('data', (bytes: Buffer) => handler.onResponseData?.(controller, bytes));
    response.once('error', failed);
    response.once('end', () => {
      if (isOver) return;
      controller.abort(new Error('the handshake was refused'));
      handler.onResponseEnd?.(controller, {});
    });
  });
  socket.once('close', () => {
    if (isOver) return;
    if (!hasBegun) return failed(new Error('the socket was closed before an answer'));
    controller.abort(new Error('closed'));
    handler.onResponseEnd?.(controller, {});
  });
  socket.on('error', failed);
}

async function textOf(body: unknown): Promise<string> {
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  const pieces: Buffer[] = [];
  for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
