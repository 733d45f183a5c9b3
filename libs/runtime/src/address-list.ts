import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/** Addresses and CIDR blocks, parsed once. */
export interface AddressList {
  /** Whether the address lies in one of the blocks; false for invalid addresses. */
  has(address: string): boolean;
}

/** An invalid entry matches no address, so that a damaged list never allows more. */
export function addressList(entries: readonly string[]): AddressList {
  const blocks = entries.map(blockOf).filter((block) => block !== undefined);
  return {
    has(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text); // an IPv4-mapped IPv6 address is treated as IPv4
      return blocks.some(([block, bits]) => block.kind() === address.kind() && (address as ipaddr.IPv4).match(block as ipaddr.IPv4, bits));
    },
  };
}

/** Allows the addresses in `allowed` (all when it is empty) except those in `denied`. Undefined when both are empty. */
export function addressRule(allowed: readonly string[] = [], denied: readonly string[] = []): AddressList | undefined {
  if (allowed.length === 0 && denied.length === 0) return undefined;
  const [may, mayNot] = [addressList(allowed), addressList(denied)];
  return { has: (address) => (allowed.length === 0 || may.has(address)) && !mayNot.has(address) };
}

/** Whether an entry of such a list is valid. */
export function isAddressOrBlock(entry: string): boolean {
  return blockOf(entry) !== undefined;
}

function blockOf(entry: string): Block | undefined {
  if (ipaddr.isValidCIDR(entry)) return undressed(ipaddr.parseCIDR(entry));
  if (!ipaddr.isValid(entry)) return undefined;
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function undressed([address, bits]: Block): Block {
  if (address.kind() !== 'ipv6' || bits < 96 || !(address as ipaddr.IPv6).isIPv4MappedAddress()) return [address, bits];
  return [(address as ipaddr.IPv6).toIPv4Address(), bits - 96];
}
