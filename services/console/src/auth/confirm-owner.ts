import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../context.ts';
import type { Caller } from './caller.ts';
import { takeSecondFactor } from './second-factor.ts';

/** For how long a second factor at sign-in speaks for its session; and for what needs less, a sign-in, or a proof that was given since. */
const freshSeconds = 600;

export interface Proof {
  password?: string | undefined;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
}

/**
 * Throws unless whoever asks is the owner of the account and not just of a browser left open: by its password, by a second factor, or
 * by having signed in with one a moment ago. An account that has neither has nothing to ask for.
 */
export async function confirmOwner(
  context: Pick<Context, 'limits' | 'passwords' | 'sessions' | 'wallet'>,
  { password, code }: Proof,
  { caller, address }: { caller: Caller; address: string },
): Promise<void> {
  const user = await User.findOne({ id: caller.id }).select('+passwordHash +totp').lean();
  if (!user?.passwordHash && !user?.totp) return;
  if (!password && !code && (await isFreshlyProven(context, caller))) return;
  if (!password && !code) throw new AppError(user.passwordHash ? 'original_password_needed' : 'wrong_second_factor');
  const attempt = { account: `password of ${caller.id}`, address };
  await context.limits.attempt(attempt);
  if (code || !user.passwordHash) {
    if (!(await takeSecondFactor(caller.id, code ?? '', await context.wallet.now()))) throw new AppError('wrong_second_factor');
  } else if (!(await context.passwords.matches(password ?? '', user.passwordHash))) throw new AppError('wrong_original_password');
  await context.limits.succeeded(attempt);
}

/**
 * The same before something is bound, which is a way in as well: who has signed in, or proved who he is, a moment ago may go on, for clients of the
 * product family have no place for a proof there. Throws `owner_unconfirmed`.
 */
export async function refuseUnconfirmed({ sessions }: Pick<Context, 'sessions'>, caller: Caller): Promise<void> {
  const session = caller.session === undefined ? undefined : await sessions.read(caller.session);
  if (caller.session !== undefined && !session) throw new AppError('not_logged_in'); // it has ended meanwhile
  const since = Math.max(session?.openedAt ?? 0, session?.provenAt ?? 0);
  if (Date.now() / 1000 - since < freshSeconds) return;
  const user = await User.findOne({ id: caller.id }).select('+passwordHash +totp').lean();
  if (user?.passwordHash || user?.totp) throw new AppError('owner_unconfirmed');
}

async function isFreshlyProven({ sessions }: Pick<Context, 'sessions'>, { session: id }: Caller): Promise<boolean> {
  const session = id === undefined ? undefined : await sessions.read(id);
  return session?.isStrong === true && Date.now() / 1000 - session.openedAt < freshSeconds;
}
