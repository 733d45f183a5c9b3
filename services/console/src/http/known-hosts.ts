import { type Route, routeNames, routes } from '@tollgate/contracts';
import { type AddressList, AppError } from '@tollgate/runtime';
import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Lets requests through that are meant for us: for a loopback name, for the host of the site's own address, or for one that a
 * setting names. A page of another site whose name was pointed here by its DNS ("rebinding") says that name, and is refused. A plain
 * IP address is nobody's name, so nobody can have pointed it here. Routes for other machines (`anyHost`) answer under every name.
 */
export function refuseUnknownHosts(named: readonly string[], siteAddresses: () => readonly string[]): RequestHandler {
  const names = new Set(named.map((host) => host.toLowerCase()));
  return (req, _res, next) => {
    const host = hostOf(`http://${req.host ?? ''}`);
    const isKnown = host !== undefined && (isOwn(host) || names.has(host) || siteAddresses().some((each) => hostOf(each) === host));
    if (!isKnown && !forAnyHost.has(req.path.replace(/\/$/, '')))
      throw new AppError('unknown_host', { host: (req.host ?? '').slice(0, 100) });
    next();
  };
}

const forAnyHost = new Set(routeNames.filter((name) => (routes[name] as Route).anyHost).map((name) => name.replace(/^\w+ /, '')));

/** The host of an address, lower case, without port and brackets. */
function hostOf(address: string): string | undefined {
  return URL.parse(address)?.hostname.replace(/^\[|\]$/g, '');
}

function isOwn(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || ipaddr.isValid(host);
}

/**
 * What limits count a caller by: an IPv4 address, or the /64 of an IPv6 address, which is one customer's, who could take another
 * address of it for each request.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

export type TrustedPeers = (address: string | undefined) => boolean;

/**
 * Whether a peer is one of our own proxies, whose X-Forwarded-* headers may be believed: whoever may open our Unix socket (`onSocket`;
 * he has no address) is.
 */
export function trustedPeers(proxies: AddressList, { onSocket = false } = {}): TrustedPeers {
  return (address) => (address === undefined ? onSocket : proxies.has(address));
}
