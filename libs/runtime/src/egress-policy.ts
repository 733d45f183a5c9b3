import ipaddr from 'ipaddr.js';
import { addressList, isAddressOrBlock } from './address-list.ts';
import { listSetting } from './config.ts';

export interface AddressPolicy {
  /** Checks a URL's host if it is a literal address. Names are checked by the lookup. */
  allowsHost(host: string): boolean;
  /** Whether the allow list has this host name: then it may resolve to any address. */
  allowsName(host: string): boolean;
  allowsAddress(address: string): boolean;
  /** Whether the allow list has the host of a URL, as a name or within a block. */
  names(host: string): boolean;
}

/** An allow list from the environment: private ranges and host names. An invalid entry stops the start. */
export const egressListSetting = listSetting.superRefine((entries, context) => {
  const wrong = entries.find((entry) => !isAddressOrBlock(entry) && !hostName.test(entry));
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: `${wrong} is neither a CIDR block, an IP address nor a host name` });
});

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

/** Allows public unicast addresses and the operator's allow list. */
export function addressPolicy(allow: readonly string[]): AddressPolicy {
  const names = new Set(allow.filter((entry) => !isAddressOrBlock(entry)).map((entry) => entry.toLowerCase()));
  const allowed = addressList(allow);

  const allowsName = (host: string): boolean => names.has(host.toLowerCase());

  function allowsAddress(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    return isPublic(text) || allowed.has(text);
  }

  return {
    allowsName,
    allowsAddress,
    names(host) {
      const literal = literalOf(host);
      return allowsName(literal) || allowed.has(literal);
    },
    allowsHost(host) {
      const literal = literalOf(host);
      return !ipaddr.isValid(literal) || allowsName(literal) || allowsAddress(literal);
    },
  };
}

/** A URL's host without the brackets of an IPv6 address. */
function literalOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

/**
 * Ranges that ipaddr.js calls unicast but that are internal or unroutable, and all IPv6 outside 2000::/3 (`::127.0.0.1` is an old form of
 * an IPv4 address). Source: https://www.iana.org/assignments/ipv6-address-space
 */
const notPublic = addressList(['192.0.0.0/24', '192.88.99.0/24', '::/3', '4000::/2', '8000::/1', '2001::/23', '3fff::/20']);

function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast' && !notPublic.has(address);
}
