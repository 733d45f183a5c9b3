import { randomUUID } from 'node:crypto';
import { logType, type UpdateUserBody } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';

/**
 * Posts to the ledger what is to be added, or, for clients that send the wanted balance, its difference to the balance of
 * this moment: calls that are paid meanwhile are never undone by it.
 */
export async function changeQuota(
  context: Context,
  user: { id: number; username: string },
  body: Pick<UpdateUserBody, 'quota' | 'add_quota'>,
  actor: Caller,
): Promise<void> {
  const { balance: before } = await context.wallet.balance(user.id);
  const amount = body.add_quota ?? (body.quota ?? before) - before;
  if (amount === 0) return;
  const content = `Quota changed by ${actor.username}: ${amount > 0 ? '+' : ''}${amount}`;
  const log = { type: logType.manage, username: user.username, content, quota: amount };
  const posted = await context.wallet.post({ id: `admin:${actor.id}:${randomUUID()}`, userId: user.id, amount, reason: 'admin', log });
  if (posted.state === 'refused') throw new AppError('invalid_parameter', { reason: `the balance is ${posted.balance}` });
  await audit(actor, 'user.quota', `user:${user.id}`, { before, after: posted.balance });
}
