import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Logger } from './logger.ts';

/** The address in one entry of `X-Forwarded-For`, without the port and brackets that some proxies add. Undefined for anything else. */
export function hopAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : bare;
}

/** Normalizes the addresses in the header. Invalid entries stay unchanged, because they must not become valid. */
export function plainForwardedFor(header: string): string {
  return header
    .split(',')
    .map((entry) => hopAddress(entry) ?? entry.trim())
    .join(', ');
}

/** Detects proxies that are not configured: all callers behind one share its address in IP lists and limits. */
export interface ProxyWatch {
  /** Checks a request; nearly free when it was not forwarded. */
  saw(request: Pick<IncomingMessage, 'headers' | 'socket'>): void;
  /** The last private peer that forwarded without being trusted; undefined: none since the start. */
  latest(): string | undefined;
}

const mostNamed = 16;

/** Warns once for each untrusted private peer that sends `X-Forwarded-For`. A public peer may be a caller with a forged header. */
export function watchProxies(isTrusted: (peer: string | undefined) => boolean, logger: Pick<Logger, 'warn'>): ProxyWatch {
  const named = new Set<string>();
  let latest: string | undefined;
  return {
    saw({ headers, socket }) {
      if (headers['x-forwarded-for'] === undefined) return;
      const peer = socket.remoteAddress;
      if (peer === undefined || peer === latest || isTrusted(peer) || !isPrivate(peer)) return;
      latest = peer;
      if (named.has(peer) || named.size >= mostNamed) return;
      named.add(peer);
      logger.warn(
        { peer },
        'X-Forwarded-For of an untrusted private peer is ignored: all callers behind it share its address; if it is your proxy, add it to TRUSTED_PROXIES',
      );
    },
    latest: () => latest,
  };
}

const privateRanges = new Set<string>(['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);

function isPrivate(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}
