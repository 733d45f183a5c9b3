import type { Request, Response } from 'express';
import { sessionCookie, sessionLifeSeconds } from './sessions.ts';

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
