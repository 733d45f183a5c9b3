import { type Access, type LimiterName, type Route, role } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Request, RequestHandler } from 'express';
import { authenticate, callerBySession } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { isSentByScript, refuseForeignOrigin } from './request-origin.ts';
import type { Sessions } from './sessions.ts';

const ranks = { session: role.user, user: role.user, admin: role.admin, root: role.root } as const;

export interface GuardOptions {
  sessions: Sessions;
  /** Counts a request of an address; throws `too_many_requests`. */
  limit(limiter: LimiterName, address: string): Promise<void>;
  /** Throws unless the Turnstile is solved, or none is asked for. */
  checkTurnstile(solved: unknown, address: string): Promise<void>;
  /** Uses up the `state` of a request's query; whether this browser began with it. */
  takeState(req: Request): Promise<boolean>;
}

/** Lets a request through to a route as its contract says, or throws. Who is signed in is left in `res.locals.caller`. */
export function guardWith({ sessions, limit, checkTurnstile, takeState }: GuardOptions): (route: Route) => RequestHandler {
  return (route) => async (req, res, next) => {
    const address = req.ip ?? '';
    const isProven = needsNoProof(route, req) || isSentByScript(req.headers);
    if (!isProven && !route.navigableByState) throw new AppError('navigation_refused');
    if (route.limiter) await limit(route.limiter, address);
    if (!isProven && !(await takeState(req))) throw new AppError('navigation_refused');
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
 * Ranks need `New-Api-User`, which only scripts set. A browser names the `Origin` of whatever is no GET (see `refuseOtherOrigins`), but a form of
 * our own pages has that too, so what it says of its destination counts there as well.
 */
function needsNoProof({ access, csrfExempt }: Route, { method, headers }: Request): boolean {
  if (csrfExempt || !(access === 'anyone' || access === 'visitor' || access === 'session')) return true;
  return !isSafe(method) && headers['sec-fetch-dest'] === undefined;
}

/** A page of another site cannot make a signed-in browser change anything here. */
export function refuseOtherOrigins(siteAddress: () => string): RequestHandler {
  return (req, _res, next) => {
    if (!isSafe(req.method)) refuseForeignOrigin({ headers: req.headers, host: req.host, siteAddress: siteAddress() });
    next();
  };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
