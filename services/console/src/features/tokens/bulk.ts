import { type BulkResult, type DeleteTokensBody, mostInBulk, type PatchTokensBody, tokenStatus } from '@tollgate/contracts';
import { Token, type TokenDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { type ChangedRow, changeRows } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { fieldsOf, refuseGroup, tokenFilter } from './service.ts';

export type TokenRow = TokenDoc & { _id: unknown };

/** Puts the same on many of the caller's tokens, in one write and one notice. One that is enabled and has expired, or is used up, stays so. */
export async function patchTokens(context: Context, { set, ...which }: PatchTokensBody, caller: Caller): Promise<Said<BulkResult>> {
  if (set.group !== undefined) refuseGroup(context, set.group, caller);
  const fields = fieldsOf(set);
  const rows = await selected(which, caller);
  const changed = await changeRows<TokenRow>(Token, rows, () => fields);
  await announceTokens(context, changed.map(rowOf));
  const undo = await keepUndo(caller, { action: 'token.update_many', kind: 'token', changed });
  return undoable({ matched: rows.length, changed: changed.length }, undo);
}

/** Their keys stop working everywhere at once; their logs stay. Returns how many there were. */
export async function deleteTokens(context: Context, which: DeleteTokensBody, caller: Caller): Promise<Said<number>> {
  return takeAway(context, await selected(which, caller), caller);
}

/** The key stops working everywhere at once; its logs stay. */
export async function deleteToken(context: Context, id: number, caller: Caller): Promise<Said<undefined>> {
  const token = await Token.findOne({ id, userId: caller.id, deletedAt: null }).lean();
  if (!token) throw new AppError('record_not_found');
  const { undo } = await takeAway(context, [token], caller);
  return undoable(undefined, undo);
}

async function takeAway(context: Context, rows: readonly TokenRow[], caller: Caller): Promise<Said<number>> {
  const gone = { deletedAt: new Date(), status: tokenStatus.disabled };
  const changed = await changeRows<TokenRow>(Token, rows, (token) => (token.deletedAt ? {} : gone));
  await announceTokens(context, changed.map(rowOf));
  return undoable(changed.length, await keepUndo(caller, { action: 'token.delete', kind: 'token', changed }));
}

async function selected({ ids, filter }: DeleteTokensBody, caller: Caller): Promise<TokenRow[]> {
  const where = filter ? await tokenFilter(filter, caller) : { userId: caller.id, deletedAt: null, id: { $in: ids } };
  const rows = await Token.find(where)
    .sort({ id: 1 })
    .limit(mostInBulk + 1)
    .lean();
  if (rows.length > mostInBulk) throw new AppError('too_many_selected', { limit: mostInBulk });
  return rows;
}

function rowOf({ before }: ChangedRow<TokenRow>): TokenRow {
  return before;
}

export async function announceTokens(context: Context, tokens: readonly TokenRow[]): Promise<void> {
  if (tokens.length > 0) await context.announce('token', tokens.map(({ id }) => id).join(','));
}
