import { channelStatus, type UpdateTagBody } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { type ChangedRow, changeRows } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { announceChannels } from './change.ts';
import { channelFields } from './fields.ts';
import type { ChannelRow } from './views.ts';

/** Switches every channel of a tag on or off. */
export async function switchTag(context: Context, tag: string, enabled: boolean, actor: Caller): Promise<Said<undefined>> {
  const status = enabled ? channelStatus.enabled : channelStatus.disabled;
  const { changes } = await changeAll({ tag }, (channel) =>
    channel.status === status ? {} : { status, statusReason: '', statusChangedAt: new Date() },
  );
  return changed(context, actor, enabled ? 'tag.enable' : 'tag.disable', tag, { changes, after: { status } });
}

/** Changes all channels of a tag alike; an empty list of models or groups, which would end every route, changes nothing. */
export async function updateTag(context: Context, body: UpdateTagBody, actor: Caller): Promise<Said<undefined>> {
  const fields = channelFields({
    tag: body.new_tag ?? undefined,
    priority: body.priority ?? undefined,
    weight: body.weight ?? undefined,
    model_mapping: body.model_mapping ?? undefined,
    models: body.models || undefined,
    group: body.groups || undefined,
  });
  if (Object.keys(fields).length === 0) throw new AppError('invalid_parameter', { reason: 'nothing to change' });
  refuseUnknownGroups(context.options.values, fields.groups);
  const { changes } = await changeAll({ tag: body.tag }, () => fields);
  return changed(context, actor, 'tag.update', body.tag, { changes, after: fields });
}

/** Puts a tag on channels, or takes it away when there is none; returns how many channels there were. */
export async function tagChannels(context: Context, ids: number[], tag: string, actor: Caller): Promise<Said<number>> {
  const { found, changes } = await changeAll({ id: { $in: ids } }, () => ({ tag }));
  const { undo } = await changed(context, actor, 'tag.assign', tag, { changes, after: { ids } });
  return undoable(found, undo);
}

/** Changes channels, each of which counts its change. Returns how many there are, and those that are different now. */
async function changeAll(
  filter: object,
  fields: (channel: ChannelRow) => Partial<ChannelRow>,
): Promise<{ found: number; changes: ChangedRow<ChannelRow>[] }> {
  const channels = await Channel.find(filter).sort({ id: 1 }).lean();
  return { found: channels.length, changes: await changeRows<ChannelRow>(Channel, channels, fields) };
}

async function changed(
  context: Context,
  actor: Caller,
  action: string,
  tag: string,
  { changes, after }: { changes: ChangedRow<ChannelRow>[]; after: unknown },
): Promise<Said<undefined>> {
  await audit(actor, action, `tag:${tag}`, { after });
  await announceChannels(
    context,
    changes.map(({ before }) => before.id),
  );
  return undoable(undefined, await keepUndo(actor, { action, kind: 'channel', changed: changes }));
}
