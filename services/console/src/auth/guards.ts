import { role } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { RequestHandler } from 'express';
import { type Access, guardTable, type RouteName } from '../guard-table.ts';
import { authenticate } from './authenticate.ts';
import type { Sessions } from './sessions.ts';

/** What somebody may do who has not chosen a password yet. */
const withFirstPassword = new Set<RouteName>(['GET /api/user/self', 'PUT /api/user/self']);

const ranks = { user: role.user, admin: role.admin, root: role.root } as const;

/** Lets a request through to a route, or throws. Signed-in callers are left in `res.locals.caller`. */
export function guard(route: RouteName, sessions: Sessions): RequestHandler {
  const access: Access = guardTable[route];
  if (access === 'anyone') return (_req, _res, next) => next();
  const needed = ranks[access];
  return async (req, res, next) => {
    const caller = await authenticate(req, sessions);
    if (caller.mustChangePassword && !withFirstPassword.has(route)) throw new AppError('password_must_change');
    if (caller.role < needed) throw new AppError('insufficient_role');
    res.locals.caller = caller;
    next();
  };
}

/**
 * A page of another site cannot make a signed-in browser change anything here. Clients that are no browsers send no
 * `Origin`. Only the host is compared: behind a proxy that ends TLS the scheme differs.
 */
export const refuseOtherOrigins: RequestHandler = (req, _res, next) => {
  if (!isSafe(req.method) && !isOwnOrigin(req.headers.origin, req.host)) throw new AppError('origin_refused');
  next();
};

export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || URL.parse(origin)?.host === host;
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
