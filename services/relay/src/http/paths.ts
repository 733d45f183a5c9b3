import type { IncomingMessage } from 'node:http';
import { hasSeveralHosts, targetOf } from '@tollgate/runtime';

/** All that may ever be the relay's; the rest is the console's. A front of another make has the same rules: deploy/docker/nginx.conf. */
const ownPath =
  /^\/(?:v1|v1beta|upload\/v1|upload\/v1beta|\/?ws|pg|(?:(?:mj-)?(?:fast|relax|turbo)\/)?mj|suno|dashboard\/billing|internal|openai|anthropic)(?:\/|$)/;

/** What clients call whose base URL lacks the version, or has two slashes; the console has no such paths. */
const wrongPath =
  /^\/(?:\/+(?:v1|v1beta)(?:\/|$)|\/*(?:chat\/completions|completions|embeddings|messages|responses|moderations|rerank|models)(?:\/|$)|\/*(?:images|audio)\/[a-z]+$)/;

/** Realtime sessions, by WebSocket. */
const sessionPath = '/v1/realtime';

export function isOwnPath(path: string): boolean {
  return ownPath.test(path) || wrongPath.test(path);
}

/** What else asks for another protocol is answered as if it had not. */
export function isSession(request: IncomingMessage): boolean {
  const path = trimmed(targetOf(request).split('?', 1)[0] ?? '');
  return (
    path === sessionPath && !hasSeveralHosts(request) && request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
  );
}

/** Without the slash at the end. */
export function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
