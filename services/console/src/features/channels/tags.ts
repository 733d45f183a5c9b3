import { channelStatus, type UpdateTagBody } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { changeRows } from '../../row-change.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { announceChannels } from './change.ts';
import { channelFields } from './fields.ts';
import type { ChannelRow } from './views.ts';

/** Switches every channel of a tag on or off. */
export async function switchTag(context: Context, tag: string, enabled: boolean, actor: Caller): Promise<void> {
  const status = enabled ? channelStatus.enabled : channelStatus.disabled;
  const ids = await changeAll({ tag }, (channel) =>
    channel.status === status ? {} : { status, statusReason: '', statusChangedAt: new Date() },
  );
  await changed(context, actor, enabled ? 'tag.enable' : 'tag.disable', tag, { ids, after: { status } });
}

/** Changes all channels of a tag alike; an empty list of models or groups, which would end every route, changes nothing. */
export async function updateTag(context: Context, body: UpdateTagBody, actor: Caller): Promise<void> {
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
  const ids = await changeAll({ tag: body.tag }, () => fields);
  await changed(context, actor, 'tag.update', body.tag, { ids, after: fields });
}

/** Puts a tag on channels, or takes it away when there is none; returns how many channels there were. */
export async function tagChannels(context: Context, ids: number[], tag: string, actor: Caller): Promise<number> {
  const changedIds = await changeAll({ id: { $in: ids } }, () => ({ tag }));
  await changed(context, actor, 'tag.assign', tag, { ids: changedIds, after: { ids } });
  return changedIds.length;
}

/** Changes channels, each of which counts its change. Returns their ids. */
async function changeAll(filter: object, fields: (channel: ChannelRow) => Partial<ChannelRow>): Promise<number[]> {
  const channels = await Channel.find(filter).lean();
  await changeRows<ChannelRow>(Channel, channels, fields);
  return channels.map(({ id }) => id);
}

async function changed(
  context: Context,
  actor: Caller,
  action: string,
  tag: string,
  { ids, after }: { ids: number[]; after: unknown },
): Promise<void> {
  await audit(actor, action, `tag:${tag}`, { after });
  await announceChannels(context, ids);
}
