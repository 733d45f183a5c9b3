import ipaddr from 'ipaddr.js';

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
