import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { derivedKeys } from '@tollgate/runtime';
import type { Request, Response } from 'express';
import type { Redis } from 'ioredis';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import type { Visit } from './visit.ts';

export const sessionCookie = 'session';
export const sessionLifeSeconds = 30 * 24 * 3600;

const algorithm = 'HS256';
const issuer = 'tollgate-console';
const claims = z.object({ sid: z.string(), sub: z.string() });
const record = z.object({
  userId: z.number(),
  stamp: z.string(),
  /** Unix seconds. */
  openedAt: z.number().default(0),
  seenAt: z.number().default(0),
  address: z.string().default(''),
  agent: z.string().default(''),
  way: z.string().default('password'),
  isStrong: z.boolean().default(false),
  provenAt: z.number().default(0),
});

/** A session's record, as it stands in Redis under `session:<id>`. */
export interface Session {
  id: string;
  userId: number;
  /** Of the password it was opened with: a session does not outlive its password. */
  stamp: string;
  /** Unix seconds: since when it is, and when it was used last, to a few minutes. */
  openedAt: number;
  seenAt: number;
  /** Where it was opened from. */
  address: string;
  agent: string;
  way: string;
  /** It was opened with a second factor. */
  isStrong: boolean;
  /** When its owner has last confirmed that it is him; 0 is never. */
  provenAt: number;
}

export interface Opening {
  userId: number;
  passwordHash: string | null | undefined;
  way: string;
  isStrong: boolean;
  visit: Visit;
}

export interface Sessions {
  /** Opens a session and returns the cookie's value. */
  open(opening: Opening): Promise<string>;
  /** The session that a cookie names; undefined when the cookie is forged or old, or the session has ended. */
  find(cookie: string): Promise<Session | undefined>;
  /** The session with this id, while it lasts. */
  read(id: string): Promise<Session | undefined>;
  /** A user's sessions, the newest first. */
  list(userId: number): Promise<Session[]>;
  /** Notes that whoever uses the session has just confirmed that it is its owner. */
  prove(id: string): Promise<void>;
  end(session: Pick<Session, 'id' | 'userId'>): Promise<void>;
  /** Ends every session of a user, but for one that is named. */
  endAll(userId: number, except?: string): Promise<void>;
}

/** Of one account: whoever signs in again and again would fill the memory of all. */
const mostSessions = 100;

/** How stale `seenAt` may be: a session is not written with each request. */
const seenEverySeconds = 300;

/**
 * A JWT in the cookie names a record in Redis; without the record it is worth nothing. `sessions:<user>` is the set of a
 * user's session ids.
 */
export function createSessions(redis: Redis, masterKey: Buffer, also: readonly Buffer[] = []): Sessions {
  const keys = jwtKeys(masterKey, also, 'tollgate:sessions:v1');
  const ofUser = (userId: number): string => `sessions:${userId}`;
  const ofSession = (id: string): string => `session:${id}`;

  async function read(id: string): Promise<Session | undefined> {
    const stored = await redis.get(ofSession(id));
    return stored === null ? undefined : { id, ...record.parse(JSON.parse(stored)) };
  }

  /** Never brings back one that has ended meanwhile (`XX`). */
  async function change({ id, ...session }: Session): Promise<void> {
    await redis.set(ofSession(id), JSON.stringify(session), 'KEEPTTL', 'XX');
  }

  async function noteSeen(session: Session): Promise<void> {
    const seenAt = nowSeconds();
    if (seenAt - session.seenAt >= seenEverySeconds) await change({ ...session, seenAt });
  }

  async function list(userId: number): Promise<Session[]> {
    const ids = await redis.smembers(ofUser(userId));
    const sessions = await Promise.all(ids.map(read));
    const gone = ids.filter((_id, index) => sessions[index] === undefined);
    if (gone.length > 0) await redis.srem(ofUser(userId), ...gone);
    return sessions.filter((session) => session !== undefined).sort((a, b) => b.openedAt - a.openedAt);
  }

  async function endThose(userId: number, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await redis
      .pipeline()
      .del(...ids.map(ofSession))
      .srem(ofUser(userId), ...ids)
      .exec()
      .then(throwFirstError);
  }

  /** Ends the oldest where an account has too many, but not the one that has just begun. */
  async function endOldest(userId: number, except: string): Promise<void> {
    if ((await redis.scard(ofUser(userId))) <= mostSessions) return;
    const others = (await list(userId)).filter(({ id }) => id !== except);
    await endThose(
      userId,
      others.slice(mostSessions - 1).map(({ id }) => id),
    );
  }

  return {
    read,
    list,
    async open({ userId, passwordHash, way, isStrong, visit }) {
      const id = randomBytes(24).toString('base64url');
      const openedAt = nowSeconds();
      const stored = { userId, stamp: credentialStamp(passwordHash), openedAt, seenAt: openedAt, way, isStrong, ...visit };
      await redis
        .pipeline()
        .set(ofSession(id), JSON.stringify(stored), 'EX', sessionLifeSeconds)
        .sadd(ofUser(userId), id)
        .expire(ofUser(userId), sessionLifeSeconds)
        .exec()
        .then(throwFirstError);
      await endOldest(userId, id);
      return jwt.sign({ sid: id }, keys[0], { algorithm, issuer, subject: String(userId), expiresIn: sessionLifeSeconds });
    },
    async find(cookie) {
      const named = readCookie(cookie);
      const session = named && (await read(named.sid));
      if (!session || String(session.userId) !== named.sub) return undefined;
      await noteSeen(session);
      return session;
    },
    async prove(id) {
      const session = await read(id);
      if (session) await change({ ...session, provenAt: nowSeconds() });
    },
    end: ({ id, userId }) => endThose(userId, [id]),
    async endAll(userId, except) {
      const ids = await redis.smembers(ofUser(userId));
      await endThose(
        userId,
        ids.filter((id) => id !== except),
      );
    },
  };

  function readCookie(cookie: string): z.infer<typeof claims> | undefined {
    try {
      return claims.parse(verifyWithOne(cookie, keys, { algorithms: [algorithm], issuer }));
    } catch (error) {
      // Whatever a visitor sends as a cookie that is no session of ours is simply none.
      if (error instanceof jwt.JsonWebTokenError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A mark of the hash of a password, with which a session was opened, or of an access token; it says nothing about either. */
export function credentialStamp(hash: string | null | undefined): string {
  return createHash('sha256')
    .update(hash ?? '')
    .digest('base64url')
    .slice(0, 16);
}

function throwFirstError(results: [Error | null, unknown][] | null): void {
  for (const [error] of results ?? []) if (error) throw error;
}

/**
 * Keys for JWTs of one purpose: the first signs, all of them know what is theirs. As objects, for of mere bytes each look at a token
 * tries first whether they are a public key.
 */
export function jwtKeys(...of: Parameters<typeof derivedKeys>): [KeyObject, ...KeyObject[]] {
  const [first, ...also] = derivedKeys(...of);
  return [createSecretKey(first), ...also.map((key) => createSecretKey(key))];
}

/** What a JWT says that one of these keys has signed. Throws the first key's error when none has. */
export function verifyWithOne(token: string, keys: readonly KeyObject[], options: { algorithms: ['HS256']; issuer: string }): unknown {
  let refusal: unknown;
  for (const key of keys) {
    try {
      return jwt.verify(token, key, options);
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

/** Out of reach of scripts and of other sites; over https it never travels in the clear. */
export function setSessionCookie(req: Request, res: Response, value: string): void {
  res.cookie(sessionCookie, value, { ...attributes(req), maxAge: sessionLifeSeconds * 1000 });
}

export function clearSessionCookie(req: Request, res: Response): void {
  res.clearCookie(sessionCookie, attributes(req));
}

function attributes(req: Request) {
  return { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/' } as const;
}
