import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Longer URLs get a 414. */
export const longestUrl = 8_192;

const firstLookMs = 50;
const longestLookMs = 5_000;
const answering = Symbol('the answer that a connection waits for');

type Connection = Socket & { [answering]?: ServerResponse };

/**
 * The target of a request as `/path?query`. Clients behind a proxy may send absolute URLs. Source:
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
export function targetOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  if (url.startsWith('/')) return url;
  const authority = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (authority === undefined) return url;
  const target = url.slice(authority.length);
  return target.startsWith('/') ? target : `/${target}`;
}

/**
 * Whether a request has several Host headers, which proxies may interpret differently. Source:
 * https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/**
 * Common behavior of our HTTP servers. Half-closed connections still get a response; malformed requests get an error, and too long URLs a
 * 414. Pipelined requests are handled one at a time: responses leave in order, so an early one would only fill memory. Source:
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export function serveHttp(server: Server, handle: RequestListener): void {
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('request', (request, response) => {
    const takeUp = () => {
      const socket: Connection = request.socket;
      socket[answering] = response;
      if (hasSeveralHosts(request)) return void response.writeHead(400, { connection: 'close', 'content-length': 0 }).end();
      if (socket.readableEnded) lookForCaller(socket, response);
      handle(request, response);
    };
    if (response.socket === null) response.once('socket', takeUp);
    else takeUp();
  });
  server.on('connection', (socket: Connection) => {
    socket.once('end', () => {
      const response = socket[answering];
      if (response !== undefined && !response.writableEnded) lookForCaller(socket, response);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Connection) => {
    const response = socket[answering];
    const isAnswered = response !== undefined && !response.writableEnded && response.headersSent;
    if (!socket.writable || isAnswered || error.code === 'ECONNRESET') return void socket.destroy();
    socket.end(`HTTP/1.1 ${statusLineOf(error)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
}

/**
 * A half-closed connection may belong to a waiting caller or to one that left; only the latter resets what we send. So the server sends a
 * 102 as a probe. With HTTP/1.0, which has no 1xx, and within a response, a half-close means that the caller left. Source:
 * https://www.rfc-editor.org/rfc/rfc9110#section-15.2
 */
function lookForCaller(socket: Socket, response: ServerResponse): void {
  if (response.headersSent || response.req.httpVersion === '1.0') return void socket.destroy();
  const look = (pauseMs: number) => {
    if (response.headersSent || response.destroyed) return;
    response.writeProcessing();
    setTimeout(look, pauseMs, Math.min(pauseMs * 2, longestLookMs)).unref();
  };
  look(firstLookMs);
}

function statusLineOf(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): string {
  if (error.code !== 'HPE_HEADER_OVERFLOW') return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  const firstLineEnd = error.rawPacket?.indexOf('\n') ?? -1;
  return firstLineEnd < 0 || firstLineEnd > longestUrl ? '414 URI Too Long' : '431 Request Header Fields Too Large';
}
