import type { LoginView } from '@tollgate/contracts';
import type { Request, Response } from 'express';
import { secondStepCookie, secondStepSeconds } from '../../auth/second-steps.ts';
import { setSessionCookie } from '../../auth/session-cookie.ts';
import { type Said, said } from '../../http/answer.ts';
import type { Entered } from './enter.ts';

const secondStepNeeded = { en: 'Enter the code of your authenticator app', zh: '请输入两步验证码' };

/** Gives the browser its session, or the mark of a sign-in that waits for its second step, and answers who has come in. */
export function answerEntered({ req, res }: { req: Request; res: Response }, { view, cookie }: Entered): Said<Entered['view']> {
  if (!('require_2fa' in view)) {
    setSessionCookie(req, res, cookie);
    return said<LoginView>(view, '');
  }
  const attributes = { httpOnly: true, sameSite: 'strict', secure: req.secure, path: '/api/user/login' } as const;
  res.cookie(secondStepCookie, cookie, { ...attributes, maxAge: secondStepSeconds * 1000 });
  return said(view, secondStepNeeded);
}
