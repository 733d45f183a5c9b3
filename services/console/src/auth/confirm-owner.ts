import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../context.ts';
import type { Caller } from './caller.ts';
import { takeSecondFactor } from './second-factor.ts';

/** For how long a second factor at sign-in speaks for its session. */
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
  // Nothing was tried.
  if (!password && !code) throw new AppError(user.passwordHash ? 'wrong_original_password' : 'wrong_second_factor');
  const attempt = { account: `password of ${caller.id}`, address };
  await context.limits.attempt(attempt);
  if (code || !user.passwordHash) {
    if (!(await takeSecondFactor(caller.id, code ?? '', await context.wallet.now()))) throw new AppError('wrong_second_factor');
  } else if (!(await context.passwords.matches(password ?? '', user.passwordHash))) throw new AppError('wrong_original_password');
  await context.limits.succeeded(attempt);
}

async function isFreshlyProven({ sessions }: Pick<Context, 'sessions'>, { session: id }: Caller): Promise<boolean> {
  const session = id === undefined ? undefined : await sessions.read(id);
  return session?.isStrong === true && Date.now() / 1000 - session.openedAt < freshSeconds;
}
