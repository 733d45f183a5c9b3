import { type LoginBody, type LoginView, userStatus } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Device } from '../../auth/devices.ts';
import { factoryPassword } from '../../auth/passwords.ts';
import type { Context } from '../../context.ts';
import { payOwed } from '../users/owed.ts';
import { userViews } from '../users/views.ts';

/**
 * Opens a session for whoever knows the password. An unknown name, a wrong password and a banned account get the same answer
 * after the same time. A name with an `@` is an e-mail address; user names cannot hold one.
 */
export async function signIn(
  context: Context,
  body: LoginBody,
  { address, device }: { address: string; device: Device | undefined },
): Promise<{ view: LoginView; cookie: string; deviceCookie: string }> {
  if (!context.options.values.PasswordLoginEnabled) throw new AppError('password_login_disabled');
  const name = body.username.includes('@') ? { email: body.username.toLowerCase() } : { username: body.username };
  const user = await User.findOne({ ...name, deletedAt: null })
    .sort({ id: 1 })
    .select('+passwordHash')
    .lean();
  const attempt = { account: body.username, address, device: user && device?.userId === user.id ? device.id : undefined };
  await context.limits.attempt(attempt);
  const matches = await context.passwords.matches(body.password, user?.passwordHash);
  if (!user || !matches || user.status !== userStatus.enabled) throw new AppError('wrong_credentials');
  const isFactoryPassword = body.password === factoryPassword;
  if (isFactoryPassword && !context.isLocalOnly) throw new AppError('factory_password_refused');
  if (user.owed?.length) await payOwed(context, user);
  const [cookie, [view]] = await Promise.all([
    context.sessions.open(user.id, user.passwordHash),
    userViews(context.wallet, [user]),
    context.limits.succeeded(attempt),
  ]);
  if (!view) throw new Error('the signed-in user has no view');
  return {
    cookie,
    deviceCookie: context.devices.sign(user.id, device),
    view: { ...view, factory_password: isFactoryPassword || user.mustChangePassword === true },
  };
}
