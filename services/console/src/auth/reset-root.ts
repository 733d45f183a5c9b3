import { randomBytes } from 'node:crypto';
import { role, userStatus } from '@tollgate/contracts';
import { AuditLog, User } from '@tollgate/db';
import type { Passwords } from './passwords.ts';

/**
 * Lets root in again who has lost the password or the second step: a password that is good for nothing but choosing another, and no second
 * step. Its sessions and its access token end, as they do with any new password. Throws when there is no root.
 */
export async function resetRoot(passwords: Passwords): Promise<{ username: string; password: string }> {
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
  await AuditLog.create({
    at: new Date(),
    actorId: root.id,
    actorName: 'operator',
    action: 'user.update',
    target: `user:${root.id}`,
    after,
  });
  return { username: root.username, password };
}
