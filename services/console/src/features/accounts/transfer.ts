import { randomUUID } from 'node:crypto';
import type { LogText } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { payOwed } from '../users/owed.ts';

/**
 * Moves what invitations have earned to the balance. One conditional write takes it and notes that it is owed, so that transfers at the
 * same time never move more than there is, and what a process that dies leaves owing is given later, once.
 */
export async function transferInviteQuota(context: Context, quota: number, caller: Caller): Promise<void> {
  const minimum = context.options.values.QuotaPerUnit;
  if (quota < minimum) throw new AppError('transfer_too_small', { minimum });
  const text: LogText = { code: 'invite_transfer', values: { quota } };
  const user = await User.findOneAndUpdate(
    { id: caller.id, affQuota: { $gte: quota } },
    { $inc: { affQuota: -quota }, $push: { owed: { id: `aff:${randomUUID()}`, amount: quota, text } } },
    { returnDocument: 'after' },
  ).lean();
  if (!user) throw new AppError('insufficient_invite_quota');
  await payOwed(context, user);
}
