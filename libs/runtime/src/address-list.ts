import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = [Address, number];

/** Addresses and CIDR blocks, parsed once. */
export interface AddressList {
  /** Whether the address lies in one of the blocks; no for what is no address. */
  has(address: string): boolean;
}

/** An entry that is no address counts as one that nobody has: a list never opens because it is damaged. */
export function addressList(entries: readonly string[]): AddressList {
  const blocks = entries.map(blockOf).filter((block) => block !== undefined);
  return {
    has(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text); // an IPv4 address in IPv6 clothes is judged as what it is
      return blocks.some(([block, bits]) => block.kind() === address.kind() && (address as ipaddr.IPv4).match(block as ipaddr.IPv4, bits));
    },
  };
}

/** From where something may be used: from `allowed`, or from anywhere where that is empty, but never from `denied`. Undefined where neither says anything. */
export function addressRule(allowed: readonly string[] = [], denied: readonly string[] = []): AddressList | undefined {
  if (allowed.length === 0 && denied.length === 0) return undefined;
  const [may, mayNot] = [addressList(allowed), addressList(denied)];
  return { has: (address) => (allowed.length === 0 || may.has(address)) && !mayNot.has(address) };
}

/** Whether an entry of such a list says something. */
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
