import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type AddressList, plainForwardedFor } from '@tollgate/runtime';

/** What a proxy says of the way that a request has come. */
const saidByProxies = ['forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-prefix'];

/**
 * Drops what only our own services may say (`x-tollgate-*`), and of what proxies say all that comes from a stranger; then names the
 * caller's address, after those of trusted proxies or instead of a stranger's claims.
 */
export function cleanHeaders({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustedProxies: AddressList): void {
  for (const name in headers) if (name.startsWith('x-tollgate-')) delete headers[name];
  const peer = socket.remoteAddress ?? '';
  const before = headers['x-forwarded-for'];
  const isTrusted = trustedProxies.has(peer);
  if (!isTrusted) for (const name of saidByProxies) delete headers[name as keyof IncomingHttpHeaders];
  headers['x-forwarded-for'] = isTrusted && before !== undefined ? `${plainForwardedFor(String(before))}, ${peer}` : peer;
}
