import type { IncomingHttpHeaders } from 'node:http';
import type { Address, CountRoute, RelayRoute } from '../call/route.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { countRoute, messagesRoute } from './anthropic/routes.ts';
import type { CallerDialect } from './dialect.ts';
import { openai } from './openai/openai.ts';
import { chatRoute, completionsRoute, embeddingsRoute } from './openai/routes.ts';

/** A route, and what the address says to it. */
export interface FoundRoute {
  route: RelayRoute;
  address: Address;
}

const nothing: Address = {};

/** The hot routes by their paths. */
const byPath = new Map<string, FoundRoute>([
  ['/v1/chat/completions', { route: chatRoute, address: nothing }],
  ['/v1/completions', { route: completionsRoute, address: nothing }],
  ['/v1/embeddings', { route: embeddingsRoute, address: nothing }],
  ['/v1/messages', { route: messagesRoute, address: nothing }],
]);

const enginesPath = /^\/v1\/engines\/([^/]+)\/embeddings$/;

/** Which route of which dialect a path is; undefined for one that is not hot, or none. */
export function routeAt(path: string): FoundRoute | undefined {
  const found = byPath.get(path);
  if (found !== undefined) return found;
  const model = enginesPath.exec(path)?.[1];
  return model === undefined ? undefined : { route: embeddingsRoute, address: { model: decoded(model) } };
}

/** The routes that count instead of asking. */
export function countRouteAt(path: string): { route: CountRoute; address: Address } | undefined {
  return path === '/v1/messages/count_tokens' ? { route: countRoute, address: nothing } : undefined;
}

export const playgroundRoute: FoundRoute = { route: chatRoute, address: nothing };

/** In whose words a caller is answered whose path is no hot route. Lists of models have one path in several dialects. */
export function dialectAt(path: string, headers: IncomingHttpHeaders): CallerDialect {
  if (path.startsWith('/v1/messages')) return anthropic;
  if (path.startsWith('/v1/models') && headers['anthropic-version'] !== undefined) return anthropic;
  return openai;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
