import { AppError } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';

const hostName = /^[\w.-]{1,253}(?::\d{1,5})?$/;

/** The error for a path that is no route: it names the URL where the caller's API is. */
export function wrongPath({ dialect, request }: Call, method: string, path: string): AppError {
  const { host = '' } = request.headers;
  return new AppError('not_found', { method, path, right: (hostName.test(host) ? host : '') + dialect.endpoint });
}
