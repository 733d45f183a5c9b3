import type { LoginAnswer, LoginView } from '@tollgate/contracts';
import type { UserDoc } from '@tollgate/db';
import { secondFactorOf } from '../../auth/second-factor.ts';
import { credentialStamp } from '../../auth/sessions.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { payOwed } from '../users/owed.ts';
import { userViews } from '../users/views.ts';
import { noteSignIn } from './history.ts';

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
  if (user.owed?.length) await payOwed(context, user);
  const [cookie, [view]] = await Promise.all([
    context.sessions.open({ userId: user.id, passwordHash: user.passwordHash, way, isStrong, visit }),
    userViews(context.wallet, [user]),
    noteSignIn({ userId: user.id, way, visit, isGood: true }),
  ]);
  if (!view) throw new Error('the signed-in user has no view');
  return { cookie, view: { ...view, factory_password: mustChange !== undefined, temporary_password: mustChange === 'temporary' } };
}
