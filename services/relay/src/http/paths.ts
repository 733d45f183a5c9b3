import type { IncomingMessage } from 'node:http';
import { AppError, hasSeveralHosts, targetOf } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import { isRoute } from '../dialects/routes.ts';

/** All that may ever be the relay's; the rest is the console's. A front of another make has the same rules: deploy/docker/nginx.conf. */
const ownPath =
  /^\/(?:v1|v1alpha|v1beta|upload\/v1|upload\/v1beta|\/?ws|pg|(?:(?:mj-)?(?:fast|relax|turbo)\/)?mj|suno|dashboard\/billing|key\/info|internal|openai|anthropic)(?:\/|$)/;

/** What clients call whose base URL lacks the version, or has two slashes; the console has no such paths. */
const wrongPath =
  /^\/(?:\/+(?:v1|v1alpha|v1beta)(?:\/|$)|\/*(?:chat\/completions|completions|embeddings|messages|responses|moderations|rerank|models)(?:\/|$)|\/*(?:images|audio)\/[a-z]+$)/;

/** What is spoken by WebSocket: realtime sessions, and the Responses API. */
export const responsesPath = '/v1/responses';
const sessionPaths = new Set(['/v1/realtime', responsesPath]);

export function isOwnPath(path: string): boolean {
  return ownPath.test(path) || wrongPath.test(path);
}

/** What else asks for another protocol is answered as if it had not. */
export function isSession(request: IncomingMessage): boolean {
  const path = trimmed(targetOf(request).split('?', 1)[0] ?? '');
  return (
    sessionPaths.has(path) &&
    !hasSeveralHosts(request) &&
    request.method === 'GET' &&
    request.headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** Without the slash at the end. */
export function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const versions = ['/v1/', '/v1alpha/', '/v1beta/'];
const azurePath = /^\/openai\/deployments\/[^/]+\/./;

/**
 * The path that a client with a wrong base URL means: with doubled slashes, with the version twice or not at all, or below a base URL that another
 * provider uses. Undefined where that is no route, and where `path` needs no correction.
 */
export function correctedPath(path: string): string | undefined {
  const single = path.replaceAll(/\/{2,}/g, '/');
  if (single === path && isRoute(path)) return undefined;
  return candidates(single).find((candidate) => candidate !== path && isRoute(candidate));
}

function candidates(path: string): string[] {
  const at = Math.max(...versions.map((version) => path.lastIndexOf(version)));
  const versioned = at < 0 ? [] : [path.slice(at)];
  const all = [path, ...versioned];
  for (let below = path; ; ) {
    if (azurePath.test(below)) return [...all, below];
    all.push(`/v1${below}`, `/v1beta${below}`);
    const end = below.indexOf('/', 1);
    if (end < 0 || !baseSegments.has(below.slice(1, end))) return all;
    below = below.slice(end);
  }
}

/** The parts of base URLs that other providers use, and of endpoints that a base URL names already. */
const baseSegments = new Set([
  ...['v1', 'v1alpha', 'v1beta', 'openai', 'anthropic', 'api', 'chat', 'completions', 'messages', 'responses', 'embeddings'],
]);

const hostName = /^[\w.-]{1,253}(?::\d{1,5})?$/;

/** The error for a path that is no route: it names the URL where the caller's API is. */
export function wrongPathError({ dialect, request }: Call, method: string, path: string): AppError {
  const { host = '' } = request.headers;
  return new AppError('not_found', { method, path, right: (hostName.test(host) ? host : '') + dialect.endpoint });
}
