import { randomBytes } from 'node:crypto';
import { logType, role } from '@tollgate/contracts';
import { isDuplicate, nextId, User } from '@tollgate/db';
import type { Context } from '../context.ts';
import { nameFields, newAffCode } from '../features/users/identities.ts';
import { factoryPassword } from './passwords.ts';

const firstQuota = 100_000_000;

/**
 * Makes the account `root` when there is no account at all, once over all consoles that start together, and gives it its
 * first quota under one id, so that a start that broke off in between is finished by the next one. The password everybody knows is
 * for loopback; beyond it one is made, printed once, and good for nothing but choosing another, and nothing starts while `root` has the one that everybody knows.
 */
export async function ensureFirstRoot(
  { passwords, wallet, log, isLocalOnly }: Pick<Context, 'passwords' | 'wallet' | 'log' | 'isLocalOnly'>,
  { initialPassword, print }: { initialPassword: string | undefined; print(line: string): void },
): Promise<void> {
  if (!isLocalOnly) await refuseFactoryPassword(passwords, initialPassword);
  if (!(await User.findOne().select('id').lean())) {
    const made = initialPassword === undefined && !isLocalOnly ? randomBytes(15).toString('base64url') : undefined;
    const passwordHash = await passwords.hash(made ?? initialPassword ?? factoryPassword);
    try {
      await User.create({
        id: await nextId('users'),
        ...nameFields('root'),
        displayName: 'Root User',
        passwordHash,
        ...(made !== undefined && { mustChangePassword: true }),
        role: role.root,
        affCode: newAffCode(),
        createdAt: new Date(),
      });
      log.info('made the first account: root');
      if (made !== undefined) print(`First sign-in: root, password ${made} (it has to be changed, and is not shown again)`);
    } catch (error) {
      if (!isDuplicate(error)) throw error; // another console was first
    }
  }
  const root = await User.findOne({ username: 'root', role: role.root }).select('id').lean();
  if (!root) return;
  await wallet.open(root.id);
  const row = { type: logType.system, username: 'root', text: { code: 'first_quota', values: {} } as const, quota: firstQuota };
  await wallet.post({ id: 'grant:root', userId: root.id, amount: firstQuota, reason: 'grant', log: row });
}

async function refuseFactoryPassword(passwords: Context['passwords'], initialPassword: string | undefined): Promise<void> {
  const root = await User.findOne({ username: 'root', role: role.root }).select('passwordHash').lean();
  if (root === null && initialPassword === factoryPassword)
    throw new Error(`INITIAL_ROOT_PASSWORD: everybody knows ${factoryPassword}. Choose another, or leave it out: then one is made`);
  if (root !== null && (await passwords.matches(factoryPassword, root.passwordHash)))
    throw new Error(
      `root still has the password that everybody knows. Start with HOST=127.0.0.1 (no other machine reaches it then), sign in, and change it`,
    );
}
