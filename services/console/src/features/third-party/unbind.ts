import type { Bound } from '@tollgate/contracts';
import { Passkey, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { boundFields, wayFields } from './provider.ts';

/** Gives up one of the ways in, never the last one. */
export async function unbind(context: Context, provider: Bound, caller: Caller): Promise<void> {
  const field = boundFields[provider];
  const others = wayFields.filter((way) => way !== field).map((way) => ({ [way]: { $gt: '' } }));
  const mayGo = provider === 'email' || (await Passkey.exists({ userId: caller.id }));
  const written = await User.updateOne({ id: caller.id, ...(!mayGo && { $or: others }) }, { $set: { [field]: '' }, $inc: { version: 1 } });
  if (written.matchedCount === 0) throw new AppError('last_way_in');
  await context.announce('user', caller.id);
}
