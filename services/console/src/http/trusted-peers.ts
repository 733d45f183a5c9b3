import ipaddr from 'ipaddr.js';

export type TrustedPeers = (address: string | undefined) => boolean;

/**
 * Whether a peer is one of our own proxies, whose X-Forwarded-* headers may be believed: whoever may open our Unix socket (`onSocket`;
 * he has no address) is. Throws on an entry that is no address and no block.
 */
export function trustedPeers(entries: readonly string[], { onSocket = false } = {}): TrustedPeers {
  const blocks = entries.map((entry) => (entry.includes('/') ? ipaddr.parseCIDR(entry) : wholeAddress(entry)));
  return (address) => {
    if (address === undefined) return onSocket;
    if (!ipaddr.isValid(address)) return false;
    const peer = ipaddr.process(address);
    return blocks.some(([network, bits]) => network.kind() === peer.kind() && peer.match(network, bits));
  };
}

function wholeAddress(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
