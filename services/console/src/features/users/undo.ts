import { type UndoDoc, User } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { putBack } from '../../undo/keep-undo.ts';
import { type AccountRow, refuseEqualOrHigher } from './service.ts';

/** Accounts as they were, with their tokens, their money and their ways in; the sessions that ended stay ended. */
export async function putBackUsers(context: Context, { changed }: UndoDoc, caller: Caller): Promise<number[]> {
  const back = await putBack<AccountRow>(User, changed, (user) => {
    refuseEqualOrHigher(user, caller);
    return true;
  });
  for (const { id } of back) await context.announce('user', id);
  return back.map(({ id }) => id);
}
