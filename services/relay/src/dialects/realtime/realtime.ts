import type { IncomingMessage } from 'node:http';
import { bearerOf } from '../credentials.ts';
import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';

const keyProtocol = 'openai-insecure-api-key.';

/**
 * Who opens a spoken session. A browser can set no header on a WebSocket: it puts the key into the list of subprotocols.
 * Source: https://platform.openai.com/docs/guides/realtime-websocket
 */
export const realtime: CallerDialect = {
  ...openai,
  credential(request, query) {
    const own = protocolsOf(request).find((name) => name.startsWith(keyProtocol));
    if (own !== undefined) return own.slice(keyProtocol.length);
    const key = request.headers['api-key'];
    if (typeof key === 'string' && key !== '') return key;
    if (request.headers.authorization !== undefined) return bearerOf(request.headers.authorization);
    const asked = new URLSearchParams(query);
    return asked.get('key') ?? asked.get('api-key') ?? undefined;
  },
  passedHeaders: ['openai-beta'],
};

/** The subprotocols that a caller offers. */
export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}
