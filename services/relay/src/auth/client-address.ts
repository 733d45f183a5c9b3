import type { IncomingMessage } from 'node:http';
import { type AddressList, hopAddress } from '@tollgate/runtime';

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
    const hop = hopAddress(hops[at] ?? '');
    if (hop === undefined) return peer;
    if (at === 0 || !trustedProxies.has(hop)) return hop;
  }
  return peer;
}
