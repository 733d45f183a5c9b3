import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { userStatus } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { parseCookie } from 'cookie';
import type { Caller } from './caller.ts';
import { credentialStamp, type Session, type Sessions, sessionCookie } from './sessions.ts';

/**
 * Who sends this request: by the session in its cookie, else by a system access token in `Authorization`. Account, role,
 * status and group are read from the database each time. Throws `not_logged_in`, `invalid_access_token`, `user_banned`,
 * or `user_id_mismatch` when the `New-Api-User` header does not name the same user.
 */
export async function authenticate(request: IncomingMessage, sessions: Sessions): Promise<Caller> {
  const caller = (await callerBySession(request, sessions)) ?? (await callerByAccessToken(request));
  const named = request.headers['new-api-user'];
  if (typeof named !== 'string' || named.trim() !== String(caller.id)) throw new AppError('user_id_mismatch');
  return caller;
}

/** The caller whose session the cookie names; undefined without a session that still holds. */
export async function callerBySession(request: IncomingMessage, sessions: Sessions): Promise<Caller | undefined> {
  const session = await sessionOf(request, sessions);
  if (!session) return undefined;
  const user = await User.findOne({ id: session.userId, deletedAt: null }).select('+passwordHash').lean();
  if (!user || credentialStamp(user.passwordHash) !== session.stamp) return undefined;
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  return callerFrom(user, { session: session.id, stamp: session.stamp });
}

/** The session that the request's cookie names. */
export async function sessionOf(request: IncomingMessage, sessions: Sessions): Promise<Session | undefined> {
  const cookie = parseCookie(request.headers.cookie ?? '')[sessionCookie];
  return cookie ? sessions.find(cookie) : undefined;
}

export function accessTokenHash(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('hex');
}

async function callerByAccessToken(request: IncomingMessage): Promise<Caller> {
  const accessToken = request.headers.authorization?.replace(/^Bearer\s+/i, '').trim();
  if (!accessToken) throw new AppError('not_logged_in');
  const hash = accessTokenHash(accessToken);
  const user = await User.findOne({ accessTokenHash: hash, deletedAt: null }).lean();
  if (!user) throw new AppError('invalid_access_token');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  return callerFrom(user, { session: undefined, stamp: credentialStamp(hash) });
}

/**
 * Throws unless the credential that let the caller in is still the account's, as it was read now: a new password ends sessions and
 * access tokens, and what one of them had asked for must not land behind it. To be asked before a write that is conditional on that row.
 */
export function refuseLockedOut(
  { session, stamp }: Caller,
  { status, passwordHash, accessTokenHash }: Pick<UserDoc, 'status' | 'passwordHash' | 'accessTokenHash'>,
): void {
  const holds = credentialStamp(session === undefined ? accessTokenHash : passwordHash) === stamp;
  if (!holds) throw new AppError(session === undefined ? 'invalid_access_token' : 'not_logged_in');
  if (status !== userStatus.enabled) throw new AppError('user_banned');
}

type Account = Pick<UserDoc, 'id' | 'username' | 'role' | 'group' | 'mustChangePassword'>;

function callerFrom({ id, username, role, group, mustChangePassword }: Account, by: Pick<Caller, 'session' | 'stamp'>): Caller {
  return { id, username, role, group, mustChangePassword: mustChangePassword === true, ...by };
}
