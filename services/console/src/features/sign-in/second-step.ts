import { type LoginView, userStatus } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { takeSecondFactor } from '../../auth/second-factor.ts';
import { credentialStamp } from '../../auth/sessions.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { noteSignIn, open } from './enter.ts';

/** Ends a sign-in that waited for its second factor. What has changed since the first step, a ban or a new password, ends it, too. */
export async function finishSecondStep(
  context: Context,
  { ticket, code, visit }: { ticket: string | undefined; code: string; visit: Visit },
): Promise<{ view: LoginView; cookie: string }> {
  const step = await context.secondSteps.attempt(ticket);
  const user = step && (await User.findOne({ id: step.userId, deletedAt: null }).select('+passwordHash').lean());
  if (!step || !user || ticket === undefined || credentialStamp(user.passwordHash) !== step.stamp) throw new AppError('second_step_over');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  const attempt = { account: `second factor of ${user.id}`, address: visit.address };
  await context.limits.attempt(attempt);
  if (!(await takeSecondFactor(user.id, code, await context.wallet.now()))) {
    await noteSignIn({ userId: user.id, way: step.way, visit, isGood: false });
    throw new AppError('wrong_second_factor');
  }
  await context.limits.succeeded(attempt);
  if (!(await context.secondSteps.end(ticket))) throw new AppError('second_step_over');
  return open(context, { user, way: step.way, visit, isStrong: true, mustChange: user.mustChangePassword ? 'temporary' : undefined });
}
