import { type LoginBody, userStatus } from '@tollgate/contracts';
import { nameKeyOf, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Device } from '../../auth/devices.ts';
import { factoryPassword, isImportedHash } from '../../auth/passwords.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { type Entered, enter, noteSignIn } from './enter.ts';

/**
 * Opens a session for whoever knows the password. An unknown name, a wrong password and a banned account get the same answer
 * after the same time. A name with an `@` is an e-mail address; user names cannot hold one. Who has a name as it was typed comes before who has it in other case.
 */
export async function signIn(
  context: Context,
  body: LoginBody,
  { visit, device }: { visit: Visit; device: Device | undefined },
): Promise<Entered & { deviceCookie: string }> {
  if (!(await isPasswordLoginEnabled(context))) throw new AppError('password_login_disabled');
  const { username } = body;
  const user = username.includes('@') ? await accountAt(username) : await accountCalled(username);
  const attempt = {
    account: `name ${nameKeyOf(username)}`,
    address: visit.address,
    device: user && device?.userId === user.id ? device.id : undefined,
  };
  await context.limits.attempt(attempt);
  const matches = await context.passwords.matches(body.password, user?.passwordHash);
  if (user && !matches) await noteSignIn({ userId: user.id, way: 'password', visit, isGood: false });
  if (!user || !matches || user.status !== userStatus.enabled) throw new AppError('wrong_credentials');
  if (isImportedHash(user.passwordHash)) user.passwordHash = await ownHash(context, { ...user, password: body.password });
  const isFactoryPassword = body.password === factoryPassword;
  if (isFactoryPassword && !context.isLocalOnly) throw new AppError('factory_password_refused');
  const temporary = user.mustChangePassword ? 'temporary' : undefined;
  const [entered] = await Promise.all([
    enter(context, { user, way: 'password', visit, mustChange: isFactoryPassword ? 'default' : temporary }),
    context.limits.succeeded(attempt),
  ]);
  return { ...entered, deviceCookie: context.devices.sign(user.id, device) };
}

/** `npm run reset-root` switches it on in the database alone: it sends no notice. */
async function isPasswordLoginEnabled({ options }: Context): Promise<boolean> {
  return options.values.PasswordLoginEnabled || (await options.read(new Set(['PasswordLoginEnabled']))).PasswordLoginEnabled;
}

interface ImportedAccount {
  id: number;
  passwordHash?: string | null;
  password: string;
}

/** Replaces a password hash of another gateway by one of ours. Returns the stored one: another sign-in may have been first. */
async function ownHash({ passwords }: Context, { id, passwordHash: imported, password }: ImportedAccount): Promise<string> {
  const passwordHash = await passwords.hash(password);
  const { matchedCount } = await User.updateOne({ id, passwordHash: imported ?? null }, { $set: { passwordHash } });
  if (matchedCount === 1) return passwordHash;
  const stored = (await User.findOne({ id, deletedAt: null }).select('+passwordHash').lean())?.passwordHash;
  if (!stored || !(await passwords.matches(password, stored))) throw new AppError('wrong_credentials');
  return stored;
}

/** Names of imported accounts may hold an `@`; an email address comes first. */
async function accountAt(username: string) {
  const [byEmail, byName] = await Promise.all([accountBy({ email: username.toLowerCase() }), accountBy({ username })]);
  return byEmail ?? byName;
}

/** Both are looked for, so that a name that nobody has takes no longer. */
async function accountCalled(username: string) {
  const [asTyped, inAnyCase] = await Promise.all([accountBy({ username }), accountBy({ nameKey: nameKeyOf(username) })]);
  return asTyped ?? inAnyCase;
}

function accountBy(name: { email: string } | { username: string } | { nameKey: string }) {
  return User.findOne({ ...name, deletedAt: null })
    .sort({ id: 1 })
    .select('+passwordHash')
    .lean();
}
