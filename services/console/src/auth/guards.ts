import { type Access, type LimiterName, type Route, role } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Request, RequestHandler } from 'express';
import { authenticate, callerBySession } from './authenticate.ts';
import type { Caller } from './caller.ts';
import type { Sessions } from './sessions.ts';

const ranks = { session: role.user, user: role.user, admin: role.admin, root: role.root } as const;

export interface GuardOptions {
  sessions: Sessions;
  /** Counts a request of an address; throws `too_many_requests`. */
  limit(limiter: LimiterName, address: string): Promise<void>;
  /** Throws unless the Turnstile is solved, or none is asked for. */
  checkTurnstile(solved: unknown, address: string): Promise<void>;
}

/** Lets a request through to a route as its contract says, or throws. Who is signed in is left in `res.locals.caller`. */
export function guardWith({ sessions, limit, checkTurnstile }: GuardOptions): (route: Route) => RequestHandler {
  return (route) => async (req, res, next) => {
    const address = req.ip ?? '';
    if (route.ownPagesOnly && isOfOtherSite(req)) throw new AppError('origin_refused');
    if (route.limiter) await limit(route.limiter, address);
    const caller = await callerFor(route.access, req, sessions);
    if (caller) refuseUnready(caller, route);
    if (route.turnstile) await checkTurnstile(req.query.turnstile, address);
    res.locals.caller = caller;
    next();
  };
}

async function callerFor(access: Access, req: Request, sessions: Sessions): Promise<Caller | undefined> {
  if (access === 'anyone') return undefined;
  if (access === 'visitor') return callerBySession(req, sessions);
  if (access !== 'session') return authenticate(req, sessions);
  const caller = await callerBySession(req, sessions);
  if (!caller) throw new AppError('not_logged_in');
  return caller;
}

function refuseUnready(caller: Caller, { access, evenWithFirstPassword }: Route): void {
  if (access === 'anyone' || access === 'visitor') return;
  if (caller.mustChangePassword && !evenWithFirstPassword) throw new AppError('password_must_change');
  if (caller.role < ranks[access]) throw new AppError('insufficient_role');
}

/**
 * A page of another site cannot make a signed-in browser change anything here. Clients that are no browsers send no
 * `Origin`. Only the host is compared: behind a proxy that ends TLS the scheme differs.
 */
export const refuseOtherOrigins: RequestHandler = (req, _res, next) => {
  if (!isSafe(req.method) && !isOwnOrigin(req.headers.origin, req.host)) throw new AppError('origin_refused');
  next();
};

/** Browsers say it of each request; who sends none is no browser, or asks by its owner's hand. */
function isOfOtherSite(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || URL.parse(origin)?.host === host;
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
