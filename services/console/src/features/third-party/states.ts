import { createHash, randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { Redis } from 'ioredis';
import { z } from 'zod';

const lifeSeconds = 600;
const browserCookie = 'oauth_browser';

/** What a way through a provider began with, until the provider leads back. */
const beginning = z.object({
  /** sha256 of the cookie of the browser that began. */
  browser: z.string(),
  /** Without it, the client has built the provider's address itself, as those of the product family do. */
  provider: z.string().optional(),
  affCode: z.string(),
  /** Of OIDC: the PKCE verifier and the nonce. */
  verifier: z.string().optional(),
  nonce: z.string().optional(),
});
export type Beginning = Omit<z.infer<typeof beginning>, 'browser'>;

/** States: each is good once, for ten minutes, and in the browser alone that it was made for. */
export interface OAuthStates {
  begin(browser: string, kept: Beginning): Promise<string>;
  /** What the state stands for; undefined when it is unknown, used, old, or another browser's. */
  take(browser: string | undefined, state: string): Promise<Beginning | undefined>;
}

/** Redis holds `oauth:<digest of the state>`. */
export function oauthStates(redis: Redis): OAuthStates {
  const keyOf = (state: string): string => `oauth:${digestOf(state)}`;
  return {
    async begin(browser, kept) {
      const state = randomBytes(24).toString('base64url');
      await redis.set(keyOf(state), JSON.stringify({ ...kept, browser: digestOf(browser) }), 'EX', lifeSeconds);
      return state;
    },
    async take(browser, state) {
      const stored = await redis.getdel(keyOf(state));
      if (stored === null || browser === undefined) return undefined;
      const { browser: owner, ...kept } = beginning.parse(JSON.parse(stored));
      return owner === digestOf(browser) ? kept : undefined;
    },
  };
}

export function browserOf(req: Request): string | undefined {
  return parseCookie(req.headers.cookie ?? '')[browserCookie];
}

/** The browser's own mark; one that has none gets one. */
export function markBrowser(req: Request, res: Response): string {
  const mark = browserOf(req) || randomBytes(24).toString('base64url');
  res.cookie(browserCookie, mark, {
    httpOnly: true,
    sameSite: 'strict',
    secure: req.secure,
    path: '/api/oauth',
    maxAge: lifeSeconds * 1000,
  });
  return mark;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
