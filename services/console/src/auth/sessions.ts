import { createHash, randomBytes } from 'node:crypto';
import { derivedKey } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import jwt from 'jsonwebtoken';
import { z } from 'zod';

export const sessionCookie = 'session';
export const sessionLifeSeconds = 30 * 24 * 3600;

const algorithm = 'HS256';
const issuer = 'tollgate-console';
const claims = z.object({ sid: z.string(), sub: z.string() });
const record = z.object({ userId: z.number(), stamp: z.string() });

/** A session's record, as it stands in Redis under `session:<id>`. */
export interface Session {
  id: string;
  userId: number;
  /** Of the password it was opened with: a session does not outlive its password. */
  stamp: string;
}

export interface Sessions {
  /** Opens a session and returns the cookie's value. */
  open(userId: number, passwordHash: string | null | undefined): Promise<string>;
  /** The session that a cookie names; undefined when the cookie is forged or old, or the session has ended. */
  find(cookie: string): Promise<Session | undefined>;
  end(session: Session): Promise<void>;
  /** Ends every session of a user. */
  endAll(userId: number): Promise<void>;
}

/**
 * A JWT in the cookie names a record in Redis; without the record it is worth nothing. `sessions:<user>` is the set of a
 * user's session ids.
 */
export function createSessions(redis: Redis, masterKey: Buffer): Sessions {
  const key = derivedKey(masterKey, 'tollgate:sessions:v1');
  const ofUser = (userId: number): string => `sessions:${userId}`;
  const ofSession = (id: string): string => `session:${id}`;

  return {
    async open(userId, passwordHash) {
      const id = randomBytes(24).toString('base64url');
      const stored = JSON.stringify({ userId, stamp: passwordStamp(passwordHash) });
      await redis
        .pipeline()
        .set(ofSession(id), stored, 'EX', sessionLifeSeconds)
        .sadd(ofUser(userId), id)
        .expire(ofUser(userId), sessionLifeSeconds)
        .exec()
        .then(throwFirstError);
      return jwt.sign({ sid: id }, key, { algorithm, issuer, subject: String(userId), expiresIn: sessionLifeSeconds });
    },
    async find(cookie) {
      const named = read(cookie);
      if (!named) return undefined;
      const stored = await redis.get(ofSession(named.sid));
      if (stored === null) return undefined;
      const { userId, stamp } = record.parse(JSON.parse(stored));
      return String(userId) === named.sub ? { id: named.sid, userId, stamp } : undefined;
    },
    async end({ id, userId }) {
      await redis.pipeline().del(ofSession(id)).srem(ofUser(userId), id).exec().then(throwFirstError);
    },
    async endAll(userId) {
      const ids = await redis.smembers(ofUser(userId));
      await redis.del(ofUser(userId), ...ids.map(ofSession));
    },
  };

  function read(cookie: string): z.infer<typeof claims> | undefined {
    try {
      return claims.parse(jwt.verify(cookie, key, { algorithms: [algorithm], issuer }));
    } catch (error) {
      // Whatever a visitor sends as a cookie that is no session of ours is simply none.
      if (error instanceof jwt.JsonWebTokenError || error instanceof z.ZodError) return undefined;
      throw error;
    }
  }
}

/** A mark of the password that a session was opened with; it says nothing about the password. */
export function passwordStamp(passwordHash: string | null | undefined): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
    .slice(0, 16);
}

function throwFirstError(results: [Error | null, unknown][] | null): void {
  for (const [error] of results ?? []) if (error) throw error;
}
