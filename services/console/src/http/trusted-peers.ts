import type { AddressList } from '@tollgate/runtime';

export type TrustedPeers = (address: string | undefined) => boolean;

/**
 * Whether a peer is one of our own proxies, whose X-Forwarded-* headers may be believed: whoever may open our Unix socket (`onSocket`;
 * he has no address) is.
 */
export function trustedPeers(proxies: AddressList, { onSocket = false } = {}): TrustedPeers {
  return (address) => (address === undefined ? onSocket : proxies.has(address));
}
