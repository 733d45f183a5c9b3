import type { IncomingHttpHeaders } from 'node:http';
import { role } from '@tollgate/contracts';
import { AppError, type EgressByOrigin } from '@tollgate/runtime';
import type { Caller } from './caller.ts';

interface AskedOf {
  headers: IncomingHttpHeaders;
  /** The host that the caller asked for, as a trusted proxy forwards it. */
  host: string | undefined;
  /** The option `ServerAddress`; '' when it is not set. */
  siteAddress: string;
}

/**
 * Throws when a page of another site sent the request. Own is an `Origin` of the host asked for or of `ServerAddress`, and what the browser
 * itself calls `same-origin`. Only hosts are compared: behind a proxy that ends TLS the scheme differs. Clients that are no browsers send no `Origin`.
 */
export function refuseForeignOrigin({ headers, host, siteAddress }: AskedOf): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined || site === 'same-origin') return;
  const from = URL.parse(origin)?.host;
  if (site !== 'cross-site' && from !== undefined && (from === host || from === URL.parse(siteAddress)?.host)) return;
  throw new AppError('origin_refused', { origin: origin.slice(0, 200), host: (host ?? '').slice(0, 200) });
}

/**
 * Whether a script sent the request. Browsers name the destination over https and on loopback; over plain http a header shows it that no
 * image, frame, link or form can set.
 */
export function isSentByScript(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return destination === 'empty' && !isForeign(headers['sec-fetch-site']);
  if (isForeign(headers['sec-fetch-site'])) return false;
  return (
    headers['new-api-user'] !== undefined ||
    headers['x-requested-with'] !== undefined ||
    headers.authorization !== undefined ||
    /^application\/json\b/i.test(headers.accept ?? '') ||
    headers['sec-fetch-mode'] === 'cors'
  );
}

function isForeign(site: string | string[] | undefined): boolean {
  return site === 'cross-site' || site === 'same-site';
}

/**
 * Refuses an address that the product is to call by itself (a webhook, a sign-in provider) when it may not be called at all, or
 * when what is sent there could be read on the way: http is for administrators, to hosts that the operator named.
 */
export function refuseInsecure(address: string, caller: Pick<Caller, 'role'>, all: EgressByOrigin): void {
  const egress = all[originOf(caller)];
  const url = egress.check(address);
  if (url.protocol === 'https:') return;
  if (caller.role < role.admin || !egress.names(url)) throw new AppError('address_needs_https');
}

/** By which policy a webhook is called: an administrator's is a service of the operator, anyone else's is what a user typed. */
export function originOf({ role: rank }: Pick<Caller, 'role'>): 'services' | 'users' {
  return rank >= role.admin ? 'services' : 'users';
}
