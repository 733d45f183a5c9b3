import { isIP, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import type { buildConnector } from 'undici';
import type { CheckedLookup } from './egress-lookup.ts';
import { prepareSocket } from './egress-socket.ts';
import { AppError } from './errors.ts';

/** Connection functions for a proxy. */
export interface ProxyRoute {
  /** A direct connection under the egress rules, which apply to the proxy's address as well. */
  connect: buildConnector.connector;
  /** TLS over an existing connection. */
  secure: buildConnector.connector;
  lookup: CheckedLookup;
  allowsHost(host: string): boolean;
  refused(host: string): AppError;
  timeoutMs: number;
}

type Target = Parameters<buildConnector.connector>[0];

const longestHead = 16 * 1024;
const headEnd = '\r\n\r\n';

/** Parses the address of a proxy. Throws: AppError `invalid_parameter`. */
export function proxyAddress(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|socks5h?):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new AppError('invalid_parameter', { reason: 'a proxy must be an address that begins with http://, https:// or socks5://' });
}

/**
 * Connects through an HTTP (CONNECT) or SOCKS 5 proxy. Target names are resolved and checked here and the proxy receives an address, so it
 * cannot choose the target.
 */
export function connectorThrough(proxy: URL, route: ProxyRoute): buildConnector.connector {
  return (target, callback) => {
    tunnel(proxy, target, route).then(
      (socket) => {
        if (target.protocol !== 'https:') {
          prepareSocket(socket);
          return callback(null, socket);
        }
        route.secure({ ...target, httpSocket: socket }, (...connected) => {
          if (connected[1]) prepareSocket(connected[1]);
          callback(...connected);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
}

async function tunnel(proxy: URL, target: Target, route: ProxyRoute): Promise<Socket> {
  const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
  const address = await addressOf(target.hostname, route);
  const socket = await toProxy(proxy, route);
  const timer = setTimeout(() => socket.destroy(new Error('the proxy did not connect in time')), route.timeoutMs);
  try {
    if (!proxy.protocol.startsWith('socks'))
      return await connected(socket, proxy, `${isIP(address) === 6 ? `[${address}]` : address}:${port}`);
    await SocksClient.createConnection({
      proxy: { host: hostOf(proxy), port: portOf(proxy), type: 5, ...credentials(proxy) },
      command: 'connect',
      destination: { host: address, port },
      existing_socket: socket,
      timeout: route.timeoutMs,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function addressOf(hostname: string, { lookup, allowsHost, refused }: ProxyRoute): Promise<string> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (!allowsHost(hostname)) return Promise.reject(refused(hostname));
  if (isIP(literal) !== 0) return Promise.resolve(literal);
  return new Promise((resolve, reject) => {
    lookup(hostname, {}, (error, address) => (error ? reject(error) : resolve(String(address))));
  });
}

function toProxy(proxy: URL, { connect }: ProxyRoute): Promise<Socket> {
  const protocol = proxy.protocol === 'https:' ? 'https:' : 'http:';
  return new Promise((resolve, reject) => {
    const at = { hostname: proxy.hostname, host: proxy.host, protocol, port: String(portOf(proxy)) };
    connect(at, (...made) => (made[1] ? resolve(made[1]) : reject(made[0])));
  });
}

/** Resolves to the socket once the proxy has connected it to the target, without further data. */
function connected(socket: Socket, proxy: URL, authority: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const over = () => {
      socket.removeListener('readable', read);
      socket.removeListener('error', reject);
      socket.removeListener('end', closed);
    };
    const closed = () => reject(new Error('the proxy closed the connection'));
    const read = () => {
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
        head = Buffer.concat([head, piece]);
      const end = head.indexOf(headEnd);
      if (end < 0 && head.length < longestHead) return;
      over();
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, 32))?.[1];
      if (end < 0 || !status?.startsWith('2')) return reject(new Error('the proxy refused to connect'));
      // No server speaks first. undici would discard the connection and open the next one, endlessly.
      if (head.length > end + headEnd.length) return reject(new Error('the proxy answered with a page of its own'));
      resolve(socket);
    };
    socket.on('readable', read);
    socket.once('error', reject);
    socket.once('end', closed);
    const { userId, password } = credentials(proxy);
    const proof =
      userId === undefined ? '' : `Proxy-Authorization: Basic ${Buffer.from(`${userId}:${password ?? ''}`).toString('base64')}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${proof}\r\n`);
  });
}

function credentials({ username, password }: URL): { userId?: string; password?: string } {
  if (username === '' && password === '') return {};
  return { userId: decoded(username), password: decoded(password) };
}

/** Decodes a part of an address; returns it unchanged when its % are not escapes. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  if (protocol === 'https:') return 443;
  return protocol === 'http:' ? 80 : 1080;
}
