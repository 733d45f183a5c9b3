import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@tollgate/runtime';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Context } from '../../context.ts';

const ceremonyCookie = 'passkey_ceremony';
const lifeSeconds = 300;
const ceremony = z.object({ challenge: z.string(), userId: z.number() });
/** A challenge, and for whom it was made; 0 is whoever signs in by it. */
export type Ceremony = z.infer<typeof ceremony>;

/** Keeps a challenge for the browser that asked, for five minutes: Redis holds `passkey:<digest of the cookie>`. */
export async function beginCeremony({ redis }: Context, { req, res }: { req: Request; res: Response }, begun: Ceremony): Promise<void> {
  const mark = randomBytes(24).toString('base64url');
  await redis.set(keyOf(mark), JSON.stringify(begun), 'EX', lifeSeconds);
  const attributes = { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/api/user/passkey' } as const;
  res.cookie(ceremonyCookie, mark, { ...attributes, maxAge: lifeSeconds * 1000 });
}

/** The challenge of this browser, once. Throws `passkey_refused` where there is none, or it was made for somebody else. */
export async function ceremonyOf({ redis }: Context, req: Request, userId: number): Promise<Ceremony> {
  const mark = parseCookie(req.headers.cookie ?? '')[ceremonyCookie];
  const stored = mark ? await redis.getdel(keyOf(mark)) : null;
  const found = stored === null ? undefined : ceremony.parse(JSON.parse(stored));
  if (found?.userId !== userId) throw new AppError('passkey_refused');
  return found;
}

function keyOf(mark: string): string {
  return `passkey:${createHash('sha256').update(mark).digest('base64url')}`;
}
