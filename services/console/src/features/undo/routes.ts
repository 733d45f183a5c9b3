import { role, type UndoBody, type UndoResult, type undoRoutes } from '@tollgate/contracts';
import { Redemption, type RedemptionDoc, Undo, type UndoDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { putBack } from '../../undo/keep-undo.ts';
import { putBackChannels } from '../channels/undo.ts';
import { putBackTokens } from '../tokens/undo.ts';
import { putBackUsers } from '../users/undo.ts';

/** Puts back what a kind of deeds is of, and tells who has to know; answers the ids of what is again as it was. */
type PutBack = (context: Context, deed: UndoDoc, caller: Caller) => Promise<number[]>;

const putBackOf: Record<UndoDoc['kind'], PutBack> = {
  channel: putBackChannels,
  token: putBackTokens,
  user: putBackUsers,
  async redemption(_context, { changed }) {
    return (await putBack<RedemptionDoc & { _id: unknown }>(Redemption, changed)).map(({ id }) => id);
  },
};

/**
 * Takes back what the caller did, once. Only what nobody has changed since comes back, so that a process that dies in between leaves
 * something that can be asked for again. What an administrator took back is a row in the audit log, as what he did was.
 */
async function takeBack(context: Context, { id }: UndoBody, caller: Caller): Promise<UndoResult> {
  const deed = await Undo.findOne({ _id: id, userId: caller.id, expiresAt: { $gt: new Date() } }).lean<UndoDoc>();
  if (!deed) throw new AppError('undo_gone');
  const { kind, action, changed, deleted } = deed;
  if (kind !== 'token' && caller.role < role.admin) throw new AppError('insufficient_role');
  const ids = await putBackOf[kind](context, deed, caller);
  await Undo.deleteOne({ _id: id });
  if (kind !== 'token' && ids.length > 0)
    await audit(caller, `${kind}.undo`, ids.length === 1 ? `${kind}:${ids[0]}` : `${kind}s:${ids.length}`, { after: { of: action, ids } });
  return { undone: ids.length, of: changed.length + deleted.channels.length };
}

export function undoHandlers(context: Context): Handlers<typeof undoRoutes> {
  return { 'POST /api/undo': ({ body, caller }) => takeBack(context, body, caller) };
}
