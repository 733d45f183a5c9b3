import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { type CheckedLookup, checkedLookup, lookUpApart, lookUpShared } from './egress-lookup.ts';
import { addressPolicy } from './egress-policy.ts';
import { connectorThrough, proxyAddress } from './egress-proxy.ts';
import { prepareSocket } from './egress-socket.ts';
import { AppError } from './errors.ts';

/** Connections go out through it only; addresses are checked and pinned when a connection is made. Redirects are not followed. */
export interface WayOut {
  readonly dispatcher: Dispatcher;
  /** The same, each request by a connection of its own. */
  readonly anew: Dispatcher;
  readonly connect: buildConnector.connector;
}

export interface Egress extends WayOut {
  /** The same through a proxy: http://, https:// or socks5://, with a name and a password where it wants them. Throws: AppError. */
  through(proxy: string): WayOut;
  /** The parsed address, when it may be called; an AppError `egress_refused` or `invalid_parameter` when not. Names are resolved later, at connect. */
  check(address: string): URL;
  /** A look-up of names by the same rules, for what connects by itself. It never sees a literal address: `check` does. */
  readonly lookup: CheckedLookup;
  /** Whether the operator named the host of this address in the allow list. */
  names(address: URL): boolean;
  /** One small exchange: webhooks, model lists, sign-in providers. Throws when it takes too long or too much comes back. */
  exchange(address: string, options?: ExchangeOptions): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
  close(): Promise<void>;
  /** Cuts what is still open. */
  destroy(): Promise<void>;
}

export interface ExchangeOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
  maxBytes?: number;
  /** The address of a proxy that it goes through. */
  proxy?: string;
  /** Ends it, beside `timeoutMs`. */
  signal?: AbortSignal;
}

export interface EgressOptions {
  /** Private ranges and host names that may be called: CIDR blocks, addresses, names. */
  allow: readonly string[];
  /** The setting that holds them, for error messages. */
  setting?: EgressSetting;
  connectTimeoutMs?: number;
  /** Shorter than what providers keep a silent connection for, so that no call meets a dead one. */
  keepAliveTimeoutMs?: number;
  maxConnectionsPerOrigin?: number;
  /** Names are asked of DNS beside the threads that all other look-ups share, so that slow ones stall nobody else. */
  looksUpApart?: boolean;
}

export type EgressSetting = 'EGRESS_ALLOW' | 'EGRESS_ALLOW_SERVICES' | 'EGRESS_ALLOW_USERS';

/** An address that may not be called. `setting`: the allow list that would permit it. */
export function egressRefused(host: string, setting: EgressSetting = 'EGRESS_ALLOW'): AppError {
  return new AppError('egress_refused', { host, setting });
}

/**
 * HTTP/1.1 alone. Where HTTP/2 might be spoken undici lets one request find out and keeps the others in a queue that no time ends: with a host that
 * says nothing they fail one after the other, and for ever none is sent once the first was refused for a header that HTTP does not allow.
 */
const spoken = { allowH2: false };

/**
 * The one way out for every address that somebody typed. Only http(s), no credentials in the address, only public unicast
 * addresses and what `allow` names. All addresses of a name are checked and just those are connected to, so a name that
 * answers differently the second time gains nothing.
 */
export function createEgress(options: EgressOptions): Egress {
  const { allow, setting, connectTimeoutMs = 5000, keepAliveTimeoutMs = 25_000, maxConnectionsPerOrigin, looksUpApart = false } = options;
  const policy = addressPolicy(allow);
  const refused = (host: string) => egressRefused(host, setting);
  const lookup = checkedLookup(policy, looksUpApart ? lookUpApart(connectTimeoutMs) : lookUpShared, refused);
  const connect = buildConnector({ ...spoken, timeout: connectTimeoutMs, lookup, autoSelectFamily: true });
  const guarded: buildConnector.connector = (target, callback) => {
    // A literal address never reaches `lookup`.
    if (!policy.allowsHost(target.hostname)) return callback(refused(target.hostname), null);
    connect(target, callback);
  };
  const prepared: buildConnector.connector = (target, callback) => {
    guarded(target, (...connected) => {
      if (connected[1]) prepareSocket(connected[1]);
      callback(...connected);
    });
  };
  const wayBy = (connector: buildConnector.connector): WayOut => {
    const shared = { ...spoken, connections: maxConnectionsPerOrigin ?? null, connect: connector };
    return {
      connect: connector,
      dispatcher: new Agent({ ...shared, keepAliveTimeout: keepAliveTimeoutMs, keepAliveMaxTimeout: keepAliveTimeoutMs }),
      anew: new Agent({ ...shared, pipelining: 0 }),
    };
  };
  const direct = wayBy(prepared);
  const route = { connect: guarded, secure: connect, lookup, allowsHost: policy.allowsHost, refused, timeoutMs: connectTimeoutMs };
  const proxied = new Map<string, WayOut>();
  const through = (proxy: string): WayOut => {
    let way = proxied.get(proxy);
    if (way === undefined) {
      if (proxied.size >= mostProxies) forgetOldest(proxied);
      way = wayBy(connectorThrough(proxyAddress(proxy), route));
    }
    proxied.delete(proxy);
    proxied.set(proxy, way); // the last one used is the last one forgotten
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

function forgetOldest(ways: Map<string, WayOut>): void {
  const [oldest] = ways;
  if (oldest === undefined) return;
  ways.delete(oldest[0]);
  for (const way of [oldest[1].dispatcher, oldest[1].anew]) void way.close(); // when what is open on it has ended
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
