import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { type CheckedLookup, checkedLookup, lookUpApart, lookUpShared } from './egress-lookup.ts';
import { addressPolicy } from './egress-policy.ts';
import { connectorThrough, proxyAddress } from './egress-proxy.ts';
import { prepareSocket } from './egress-socket.ts';
import { AppError } from './errors.ts';

/** Outgoing connections. Addresses are checked and pinned at connect; redirects are not followed. */
export interface EgressRoute {
  readonly dispatcher: Dispatcher;
  /** The same with a new connection for each request. */
  readonly anew: Dispatcher;
  readonly connect: buildConnector.connector;
}

export interface Egress extends EgressRoute {
  /** The same through a proxy: http://, https:// or socks5://, with optional credentials. Throws: AppError. */
  through(proxy: string): EgressRoute;
  /** Parses and checks an address. Throws AppError `egress_refused` or `invalid_parameter`. Names are resolved later, at connect. */
  check(address: string): URL;
  /** A DNS lookup under the same rules, for clients that connect by themselves. It never gets literal addresses; `check` does. */
  readonly lookup: CheckedLookup;
  /** Whether the allow list has the host of this address. */
  names(address: URL): boolean;
  /** One small exchange: webhooks, model lists, sign-in providers. Throws when it takes too long or the response is too large. */
  exchange(address: string, options?: ExchangeOptions): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
  close(): Promise<void>;
  /** Cuts open connections. */
  destroy(): Promise<void>;
}

export interface ExchangeOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
  maxBytes?: number;
  /** The proxy's address. */
  proxy?: string;
  /** Aborts the exchange, in addition to `timeoutMs`. */
  signal?: AbortSignal;
}

export interface EgressOptions {
  /** Private ranges and host names that may be called: CIDR blocks, addresses, names. */
  allow: readonly string[];
  /** The name of the setting, for error messages. */
  setting?: EgressSetting;
  connectTimeoutMs?: number;
  /** Shorter than providers keep idle connections, so that no call uses a closed one. */
  keepAliveTimeoutMs?: number;
  maxConnectionsPerOrigin?: number;
  /** Resolves names outside the shared thread pool, so that slow name servers delay nothing else. */
  looksUpApart?: boolean;
}

export type EgressSetting = 'EGRESS_ALLOW' | 'EGRESS_ALLOW_SERVICES' | 'EGRESS_ALLOW_USERS';

/** The error for an address that may not be called. `setting`: the allow list that would permit it. */
export function egressRefused(host: string, setting: EgressSetting = 'EGRESS_ALLOW'): AppError {
  return new AppError('egress_refused', { host, setting });
}

/**
 * Only HTTP/1.1. With HTTP/2 allowed, undici negotiates with the first request and queues the others without a timeout: with a silent host
 * they fail one after another, and none is ever sent if the first one was refused for an invalid header.
 */
const spoken = { allowH2: false };

/**
 * The egress for all addresses that people enter: only http(s), no credentials in the URL, only public unicast addresses and those in
 * `allow`. All addresses of a name are checked, and connections use only those, which prevents DNS rebinding.
 */
export function createEgress(options: EgressOptions): Egress {
  const { allow, setting, connectTimeoutMs = 5000, keepAliveTimeoutMs = 25_000, maxConnectionsPerOrigin, looksUpApart = false } = options;
  const policy = addressPolicy(allow);
  const refused = (host: string) => egressRefused(host, setting);
  const lookup = checkedLookup(policy, looksUpApart ? lookUpApart(connectTimeoutMs) : lookUpShared, refused);
  const connect = buildConnector({ ...spoken, timeout: connectTimeoutMs, lookup, autoSelectFamily: true });
  const guarded: buildConnector.connector = (target, callback) => {
    // Literal addresses never reach `lookup`.
    if (!policy.allowsHost(target.hostname)) return callback(refused(target.hostname), null);
    connect(target, callback);
  };
  const prepared: buildConnector.connector = (target, callback) => {
    guarded(target, (...connected) => {
      if (connected[1]) prepareSocket(connected[1]);
      callback(...connected);
    });
  };
  const wayBy = (connector: buildConnector.connector): EgressRoute => {
    const shared = { ...spoken, connections: maxConnectionsPerOrigin ?? null, connect: connector };
    return {
      connect: connector,
      dispatcher: new Agent({ ...shared, keepAliveTimeout: keepAliveTimeoutMs, keepAliveMaxTimeout: keepAliveTimeoutMs }),
      anew: new Agent({ ...shared, pipelining: 0 }),
    };
  };
  const direct = wayBy(prepared);
  const route = { connect: guarded, secure: connect, lookup, allowsHost: policy.allowsHost, refused, timeoutMs: connectTimeoutMs };
  const proxied = new Map<string, EgressRoute>();
  const through = (proxy: string): EgressRoute => {
    let way = proxied.get(proxy);
    if (way === undefined) {
      if (proxied.size >= mostProxies) forgetOldest(proxied);
      way = wayBy(connectorThrough(proxyAddress(proxy), route));
    }
    proxied.delete(proxy);
    proxied.set(proxy, way); // the most recently used is evicted last
    return way;
  };
  const check = (address: string): URL => {
    const url = plainUrl(address);
    if (!policy.allowsHost(url.hostname)) throw refused(url.hostname);
    return url;
  };

  const ways = () => [direct, ...proxied.values()].flatMap((way) => [way.dispatcher, way.anew]);

  return {
    ...direct,
    through,
    check,
    lookup,
    names: (address) => policy.names(address.hostname),
    close: async () => void (await Promise.all(ways().map((way) => way.close()))),
    destroy: async () => void (await Promise.all(ways().map((way) => way.destroy()))),
    async exchange(address, { method = 'GET', headers, body, timeoutMs = 10_000, maxBytes = 4 << 20, proxy, signal: stop } = {}) {
      const url = check(address);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
      const answer = await send(url, {
        dispatcher: proxy === undefined ? direct.dispatcher : through(proxy).dispatcher,
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        signal,
      });
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of answer.body) {
        size += (part as Buffer).length;
        if (size > maxBytes) throw new AppError('upstream_bad_answer');
        parts.push(part as Buffer);
      }
      return { status: answer.statusCode, headers: plain(answer.headers), body: Buffer.concat(parts) };
    },
  };
}

const mostProxies = 200;

function forgetOldest(ways: Map<string, EgressRoute>): void {
  const [oldest] = ways;
  if (oldest === undefined) return;
  ways.delete(oldest[0]);
  for (const way of [oldest[1].dispatcher, oldest[1].anew]) void way.close(); // once its open requests have ended
}

function plainUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new AppError('invalid_parameter', { reason: 'the address must begin with http:// or https://' });
  if (url.username !== '' || url.password !== '')
    throw new AppError('invalid_parameter', { reason: 'the address must not hold credentials' });
  return url;
}

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
