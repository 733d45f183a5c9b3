import { randomBytes } from 'node:crypto';
import { role, userStatus } from '@tollgate/contracts';
import { AuditLog, OptionModel, User } from '@tollgate/db';
import type { Passwords } from './passwords.ts';

export interface ResetRoot {
  username: string;
  password: string;
  /** Password login was disabled, and is enabled again. */
  enabledLogin: boolean;
}

/**
 * Lets root in again who has lost the password or the second step: a password that is good for nothing but choosing another, and no second
 * step. Its sessions and its access token end, as they do with any new password; password login is enabled. Throws when there is no root.
 */
export async function resetRoot(passwords: Passwords): Promise<ResetRoot> {
  const password = randomBytes(15).toString('base64url');
  const passwordHash = await passwords.hash(password);
  const root = await User.findOneAndUpdate(
    { role: role.root },
    {
      $set: { passwordHash, mustChangePassword: true, status: userStatus.enabled },
      $unset: { accessTokenHash: 1, totp: 1 },
      $inc: { version: 1 },
    },
    { sort: { id: 1 } },
  ).lean();
  if (!root) throw new Error('there is no account root yet: the first start of a console makes it');
  const after = { password: '(changed by the operator)', secondStep: '(taken away)' };
  const operator = { at: new Date(), actorId: root.id, actorName: 'operator' };
  await AuditLog.create({ ...operator, action: 'user.update', target: `user:${root.id}`, after });
  const login = await OptionModel.findOneAndDelete({ _id: 'PasswordLoginEnabled', value: 'false' }).lean();
  if (login)
    await AuditLog.create({ ...operator, action: 'option.reset', target: 'option:PasswordLoginEnabled', before: 'false', after: 'true' });
  return { username: root.username, password, enabledLogin: login !== null };
}
