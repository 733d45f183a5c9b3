import { Token, type UndoDoc } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { putBack } from '../../undo/keep-undo.ts';
import { announceTokens, type TokenRow } from './bulk.ts';
import { refuseTooMany } from './service.ts';

/** The caller's tokens as they were: one that was deleted works again with the key and the quota that it had, as far as there is room for it. */
export async function putBackTokens(context: Context, { changed }: UndoDoc, caller: Caller): Promise<number[]> {
  const deleted = changed.filter(({ fields }) => fields.includes('deletedAt')).length;
  if (deleted > 0) await refuseTooMany(caller, deleted);
  const back = await putBack<TokenRow>(Token, changed, (token) => token.userId === caller.id);
  await announceTokens(context, back);
  return back.map(({ id }) => id);
}
