import type { LoginAnswer, LoginView, Page, pageQuery, SignInView } from '@tollgate/contracts';
import { SignIn, type UserDoc } from '@tollgate/db';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Caller } from '../../auth/caller.ts';
import { secondFactorOf } from '../../auth/second-factor.ts';
import { secondStepCookie, secondStepSeconds } from '../../auth/second-steps.ts';
import { credentialStamp, setSessionCookie } from '../../auth/sessions.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { type Said, said } from '../../http/answer.ts';
import { exactly, pageOf, sliceOf } from '../../http/page.ts';
import { settleGrants } from '../users/owed.ts';
import { userViews } from '../users/views.ts';

/** Of good and of failed ones each, of one account: many failures do not push out what came well. */
const kept = 100;

interface SignInNote {
  userId: number;
  way: string;
  visit: Visit;
  isGood: boolean;
}

/** Notes a sign-in, or a try, for the owner of the account to see. */
export async function noteSignIn({ userId, way, visit, isGood }: SignInNote): Promise<void> {
  await SignIn.create({ userId, at: new Date(), way, isGood, ...visit });
  const [oldest] = await SignIn.find({ userId, isGood }).sort({ at: -1 }).skip(kept).limit(1).select('at').lean();
  if (oldest) await SignIn.deleteMany({ userId, isGood, at: { $lte: oldest.at } });
}

export async function listSignIns(query: z.output<typeof pageQuery>, caller: Caller): Promise<Page<SignInView>> {
  const slice = sliceOf(query);
  const [rows, total] = await Promise.all([
    SignIn.find({ userId: caller.id }).sort({ at: -1 }).skip(slice.skip).limit(slice.size).lean(),
    SignIn.countDocuments({ userId: caller.id }),
  ]);
  const items = rows.map(({ at, way, isGood, address, agent }) => ({
    at: Math.floor(at.getTime() / 1000),
    way,
    good: isGood,
    address,
    agent,
  }));
  return pageOf(slice, items, exactly(total));
}

/** Somebody has come in, or half: then the cookie is of the second step. */
export interface Entered {
  view: LoginAnswer;
  cookie: string;
}

export interface Entry {
  /** With `passwordHash`: a session ends with the password it began under. */
  user: UserDoc;
  /** How they proved who they are. */
  way: string;
  visit: Visit;
  /** Why the password has to be changed at once. */
  mustChange?: 'default' | 'temporary' | undefined;
}

/** Lets in whoever has proved who they are, in whichever way; an account with a second factor is asked for it first. */
export async function enter(context: Context, entry: Entry): Promise<Entered> {
  const { user, way } = entry;
  if (!(await secondFactorOf(user.id))) return open(context, { ...entry, isStrong: false });
  const cookie = await context.secondSteps.begin({ userId: user.id, stamp: credentialStamp(user.passwordHash), way });
  return { cookie, view: { require_2fa: true } };
}

/** Opens a session, gives what the account is owed, and notes it for its owner. */
export async function open(
  context: Context,
  { user, way, visit, mustChange, isStrong }: Entry & { isStrong: boolean },
): Promise<{ view: LoginView; cookie: string }> {
  if (user.owed?.length) await settleGrants(context, user);
  const [cookie, [view]] = await Promise.all([
    context.sessions.open({ userId: user.id, passwordHash: user.passwordHash, way, isStrong, visit }),
    userViews(context.wallet, [user]),
    noteSignIn({ userId: user.id, way, visit, isGood: true }),
  ]);
  if (!view) throw new Error('the signed-in user has no view');
  return { cookie, view: { ...view, factory_password: mustChange !== undefined, temporary_password: mustChange === 'temporary' } };
}

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
