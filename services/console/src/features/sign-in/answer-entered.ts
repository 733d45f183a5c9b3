import type { Request, Response } from 'express';
import { setSessionCookie } from '../../auth/session-cookie.ts';
import type { Entered } from './enter.ts';

/** Gives the browser its session, and answers who has come in. */
export function answerEntered({ req, res }: { req: Request; res: Response }, { view, cookie }: Entered) {
  setSessionCookie(req, res, cookie);
  return view;
}
