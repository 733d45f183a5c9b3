import { type BulkResult, channelStatus, mostInBulk, type PatchChannelsBody } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { changeRows } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { announceChannels } from './change.ts';
import { channelFields } from './fields.ts';
import { channelFilter } from './list.ts';
import { type ChannelRow, isExpired } from './views.ts';

const action = 'channel.update_many';

/** Puts the same on many channels: one write, one row in the audit log that names them all, one notice. */
export async function patchChannels(context: Context, { ids, filter, set }: PatchChannelsBody, actor: Caller): Promise<Said<BulkResult>> {
  const { status, ...rest } = set;
  const fields = channelFields(rest);
  const rows = await Channel.find(filter ? channelFilter(filter) : { id: { $in: ids } })
    .sort({ id: 1 })
    .limit(mostInBulk + 1)
    .lean();
  if (rows.length > mostInBulk) throw new AppError('too_many_selected', { limit: mostInBulk });
  refuseUnknownGroups(context.options.values, fields.groups);
  const now = new Date();
  const changed = await changeRows<ChannelRow>(Channel, rows, (channel) => {
    if (status === channelStatus.enabled && isExpired({ ...channel, ...fields }, now.getTime())) throw new AppError('channel_needs_expiry');
    return { ...fields, ...(status !== undefined && status !== channel.status && { status, statusReason: '', statusChangedAt: now }) };
  });
  if (changed.length > 0) {
    const changedIds = changed.map(({ before }) => before.id);
    await audit(actor, action, `channels:${changedIds.length}`, { after: { ids: changedIds, ...set } });
    await announceChannels(context, changedIds);
  }
  const undo = await keepUndo(actor, { action, kind: 'channel', changed });
  return undoable({ matched: rows.length, changed: changed.length }, undo);
}
