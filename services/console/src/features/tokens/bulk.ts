import { type BulkResult, type DeleteTokensBody, mostInBulk, type PatchTokensBody, tokenStatus } from '@tollgate/contracts';
import { Token, type TokenDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { changeRows } from '../../row-change.ts';
import { fieldsOf, refuseGroup, tokenFilter } from './service.ts';

type TokenRow = TokenDoc & { _id: unknown };

/** Puts the same on many of the caller's tokens, in one write and one notice. One that is enabled and has expired, or is used up, stays so. */
export async function patchTokens(context: Context, { set, ...which }: PatchTokensBody, caller: Caller): Promise<BulkResult> {
  if (set.group !== undefined) refuseGroup(context, set.group, caller);
  const fields = fieldsOf(set);
  const rows = await selected(which, caller);
  const changed = await changeRows<TokenRow>(Token, rows, () => fields);
  await announce(context, changed);
  return { matched: rows.length, changed: changed.length };
}

/** Their keys stop working everywhere at once; their logs stay. Returns how many there were. */
export async function deleteTokens(context: Context, which: DeleteTokensBody, caller: Caller): Promise<number> {
  const rows = await selected(which, caller);
  const gone = { deletedAt: new Date(), status: tokenStatus.disabled };
  const deleted = await changeRows<TokenRow>(Token, rows, () => gone);
  await announce(context, deleted);
  return deleted.length;
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

async function announce(context: Context, tokens: readonly TokenRow[]): Promise<void> {
  if (tokens.length > 0) await context.announce('token', tokens.map(({ id }) => id).join(','));
}
