import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses and blocks, parsed once. */
export interface AddressList {
  has(address: string): boolean;
}

/** An entry that is no address counts as one that nobody has: a list never opens because it is damaged. */
export function addressList(entries: readonly string[]): AddressList {
  const blocks: [Address, number][] = [];
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) blocks.push(normalBlock(ipaddr.parseCIDR(entry)));
    else if (ipaddr.isValid(entry)) blocks.push(wholeBlock(ipaddr.process(entry)));
  }
  return {
    has(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text); // an IPv4 caller on an IPv6 socket is an IPv4 caller
      return blocks.some(([block, bits]) => block.kind() === address.kind() && (address as ipaddr.IPv4).match(block as ipaddr.IPv4, bits));
    },
  };
}

/**
 * Where a call comes from: the socket's peer, or, when that is a trusted proxy, the last address in `X-Forwarded-For` that
 * is none. What stands further left is the caller's own word and not believed.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: AddressList): string {
  const peer = request.socket.remoteAddress ?? '';
  if (!trustedProxies.has(peer)) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',');
  for (let at = hops.length - 1; at >= 0; at -= 1) {
    const hop = hops[at]?.trim() ?? '';
    if (!ipaddr.isValid(hop)) return peer;
    if (at === 0 || !trustedProxies.has(hop)) return hop;
  }
  return peer;
}

function normalBlock([address, bits]: [Address, number]): [Address, number] {
  if (address.kind() !== 'ipv6' || bits < 96 || !(address as ipaddr.IPv6).isIPv4MappedAddress()) return [address, bits];
  return [(address as ipaddr.IPv6).toIPv4Address(), bits - 96];
}

function wholeBlock(address: Address): [Address, number] {
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
