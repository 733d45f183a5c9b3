import { createHash, randomBytes } from 'node:crypto';
import type { ownAccountRoutes } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { confirmOwner } from '../../auth/confirm-owner.ts';
import { secondStepCookie } from '../../auth/second-steps.ts';
import { visitOf } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { answerEntered, listSignIns } from '../sign-in/enter.ts';
import { finishSecondStep } from '../sign-in/second-step.ts';
import { beginPasskey, beginPasskeySignIn, finishPasskey, finishPasskeySignIn, forgetPasskey, listPasskeys } from './passkeys.ts';
import { endOtherSessions, endSession, listSessions } from './sessions.ts';
import { takeOffBinding, takeOffPasskeys, takeOffSecondFactor, waysInOf } from './take-off.ts';
import { dropSecondFactor, enableSecondFactor, renewRecoveryCodes, secondFactorStatus, setUpSecondFactor } from './two-factor.ts';

const ceremonyCookie = 'passkey_ceremony';
const lifeSeconds = 300;
const ceremony = z.object({ challenge: z.string(), userId: z.number() });
/** A challenge, and for whom it was made; 0 is whoever signs in by it. */
type Ceremony = z.infer<typeof ceremony>;

/** Keeps a challenge for the browser that asked, for five minutes: Redis holds `passkey:<digest of the cookie>`. */
async function beginCeremony({ redis }: Context, { req, res }: { req: Request; res: Response }, begun: Ceremony): Promise<void> {
  const mark = randomBytes(24).toString('base64url');
  await redis.set(keyOf(mark), JSON.stringify(begun), 'EX', lifeSeconds);
  const attributes = { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/api/user/passkey' } as const;
  res.cookie(ceremonyCookie, mark, { ...attributes, maxAge: lifeSeconds * 1000 });
}

/** The challenge of this browser, once. Throws `passkey_refused` where there is none, or it was made for somebody else. */
async function ceremonyOf({ redis }: Context, req: Request, userId: number): Promise<Ceremony> {
  const mark = parseCookie(req.headers.cookie ?? '')[ceremonyCookie];
  const stored = mark ? await redis.getdel(keyOf(mark)) : null;
  const found = stored === null ? undefined : ceremony.parse(JSON.parse(stored));
  if (found?.userId !== userId) throw new AppError('passkey_refused');
  return found;
}

function keyOf(mark: string): string {
  return `passkey:${createHash('sha256').update(mark).digest('base64url')}`;
}

export function ownAccountHandlers(context: Context): Handlers<typeof ownAccountRoutes> {
  return {
    'POST /api/user/login/2fa': async ({ body, ...asked }) => {
      const ticket = parseCookie(asked.req.headers.cookie ?? '')[secondStepCookie];
      const { view, cookie } = await finishSecondStep(context, { ticket, code: body.code, visit: visitOf(asked) });
      answerEntered(asked, { view, cookie });
      return view;
    },
    'POST /api/user/passkey/login/begin': async ({ req, res }) => {
      const options = await beginPasskeySignIn(req);
      await beginCeremony(context, { req, res }, { challenge: options.challenge, userId: 0 });
      return { ...options };
    },
    'POST /api/user/passkey/login/finish': async ({ body, ...asked }) => {
      const { challenge } = await ceremonyOf(context, asked.req, 0);
      const { view, cookie } = await finishPasskeySignIn(context, body.response, { req: asked.req, challenge, visit: visitOf(asked) });
      answerEntered(asked, { view, cookie });
      return view;
    },
    'GET /api/user/passkey': ({ caller }) => listPasskeys(caller),
    'POST /api/user/passkey/register/begin': async ({ body, caller, address, req, res }) => {
      await confirmOwner(context, body, { caller, address });
      const options = await beginPasskey(context, caller, req);
      await beginCeremony(context, { req, res }, { challenge: options.challenge, userId: caller.id });
      return { ...options };
    },
    'POST /api/user/passkey/register/finish': async ({ body, caller, req }) => {
      const { challenge } = await ceremonyOf(context, req, caller.id);
      await finishPasskey(body, { caller, req, challenge });
    },
    'DELETE /api/user/passkey/:id': ({ params, caller }) => forgetPasskey(context, params.id, caller),
    'POST /api/user/confirm': async ({ body, caller, address }) => {
      await confirmOwner(context, body, { caller, address });
      if (caller.session !== undefined) await context.sessions.prove(caller.session);
    },
    'GET /api/user/2fa/status': ({ caller }) => secondFactorStatus(caller),
    'POST /api/user/2fa/setup': async ({ body, caller, address }) => {
      await confirmOwner(context, body, { caller, address });
      return setUpSecondFactor(context, caller);
    },
    'POST /api/user/2fa/enable': ({ body, caller, address }) => enableSecondFactor(context, body.code, { caller, address }),
    'POST /api/user/2fa/disable': async ({ body, caller, address }) => {
      await confirmOwner(context, body, { caller, address });
      await dropSecondFactor(caller);
    },
    'POST /api/user/2fa/backup_codes': async ({ body, caller, address }) => {
      await confirmOwner(context, body, { caller, address });
      return renewRecoveryCodes(caller);
    },
    'GET /api/user/:id/ways_in': ({ params, caller }) => waysInOf(params.id, caller),
    'DELETE /api/user/:id/2fa': ({ params, caller }) => takeOffSecondFactor(params.id, caller),
    'DELETE /api/user/:id/reset_passkey': ({ params, caller }) => takeOffPasskeys(context, params.id, caller),
    'DELETE /api/user/:id/bindings/:provider': ({ params, caller }) => takeOffBinding(context, params, caller),
    'GET /api/user/sessions': ({ caller }) => listSessions(context, caller),
    'DELETE /api/user/sessions': ({ caller }) => endOtherSessions(context, caller),
    'DELETE /api/user/sessions/:id': ({ params, caller }) => endSession(context, params.id, caller),
    'GET /api/user/sign_ins': ({ query, caller }) => listSignIns(query, caller),
  };
}
