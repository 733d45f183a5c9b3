import type { LoginView } from '@tollgate/contracts';
import type { UserDoc } from '@tollgate/db';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { payOwed } from '../users/owed.ts';
import { userViews } from '../users/views.ts';

/** Somebody has come in. */
export interface Entered {
  view: LoginView;
  /** Of the session. */
  cookie: string;
}

export interface Entry {
  /** With `passwordHash`: a session ends with the password it began under. */
  user: UserDoc;
  /** How they proved who they are. */
  way: string;
  visit: Visit;
  /** The password is one that has to be changed at once. */
  mustChange?: boolean;
}

/** Opens a session for whoever has proved who they are, in whichever way, and gives what their account is owed. */
export async function enter(context: Context, { user, mustChange = false }: Entry): Promise<Entered> {
  if (user.owed?.length) await payOwed(context, user);
  const [cookie, [view]] = await Promise.all([context.sessions.open(user.id, user.passwordHash), userViews(context.wallet, [user])]);
  if (!view) throw new Error('the signed-in user has no view');
  return { cookie, view: { ...view, factory_password: mustChange } };
}
