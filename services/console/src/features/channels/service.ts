import {
  beginOf,
  type ChannelView,
  type CreateChannelRequest,
  channelStatus,
  mostKeysAtOnce,
  role,
  type UpdateChannelBody,
} from '@tollgate/contracts';
import { Channel, ChannelTest, nextId } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { auditEach, type Change } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { changeRow } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { announceChannels, channelRow } from './change.ts';
import { addressOf, channelFields, refuseMalformedKeys, refuseUnbuilt, refuseUnusable } from './fields.ts';
import { type KeyedRow, type KeySecrets, keyedRow, keysIn, keysOf, lastKeyIdOf, onlyKey, secretsFor, withNewKeys } from './key-rows.ts';
import { settingToStore, settingWithoutSecret } from './proxies.ts';
import { type ChannelRow, channelViews, isExpired } from './views.ts';

export async function getChannel(id: number): Promise<ChannelView> {
  return viewOf(await channelRow(id));
}

/** Stores one channel for each key, or one with all of them (`mode`), then announces them to the relays. */
export async function createChannels(context: Context, body: CreateChannelRequest, actor: Caller): Promise<ChannelView[]> {
  const { key, mode, ...rest } = body;
  const fields = channelFields(rest);
  refuseUnusable({ type: body.type, baseUrl: fields.baseUrl ?? '', other: body.other }, context.egress);
  refuseUnbuilt(fields);
  if (fields.setting) fields.setting = settingToStore(context.egress, fields.setting);
  refuseUnknownGroups(context.options.values, fields.groups);
  const keys = keysIn(key, body.type);
  refuseMalformedKeys(body.type, keys);
  if (keys.length > mostKeysAtOnce) throw new AppError('invalid_parameter', { reason: 'at most 1000 keys at once' });
  if (mode === 'single' && keys.length > 1) throw new AppError('invalid_parameter', { reason: 'this mode takes one key' });
  const isOne = mode === 'multi_to_single';
  const firstId = await nextId('channels', isOne ? 1 : keys.length);
  const createdAt = new Date();
  const rows = isOne
    ? [{ ...fields, id: firstId, ...withNewKeys(firstId, { keys: [], lastKeyId: 0, texts: keys }), createdAt }]
    : keys.map((line, index) => {
        const id = firstId + index;
        return { ...fields, name: nameFor(body, line, keys.length), id, ...onlyKey(id, line), createdAt };
      });
  const channels = await Channel.insertMany(rows);
  const ids = channels.map(({ id }) => id);
  const setting = rest.setting && settingWithoutSecret(rest.setting);
  await changed(context, actor, 'channel.create', new Map(ids.map((id) => [id, { after: { ...rest, setting } }])));
  return channelViews(channels.map((channel) => channel.toObject()));
}

const longestName = 128;

/** The product family ends names with the first 8 characters of a key. Of a short key they would give too much away. */
function nameFor({ name, batch_add_set_key_prefix_2_name: isMarked }: CreateChannelRequest, key: string, count: number): string {
  if (!isMarked || count < 2 || key.length < 24 || key.startsWith('{')) return name;
  return beginOf(`${name} ${key.slice(0, 8)}`, longestName);
}

/**
 * Changes what the body names. An empty key keeps the stored one, but for a channel that is to call another address: whoever may edit
 * it would have the key sent to himself. Root knows what he does; the audit log shows it.
 */
export async function updateChannel(context: Context, body: UpdateChannelBody, actor: Caller): Promise<ChannelView> {
  const { id, version: seen, key = '', key_mode: keyMode, status, ...rest } = body;
  if (rest.models === '') throw new AppError('invalid_parameter', { reason: 'a channel needs at least one model' });
  const change = await changeRow<KeyedRow>(Channel, {
    read: () => keyedRow(id),
    fields: (channel) => {
      const fields = channelFields(rest);
      if (fields.setting === settingWithoutSecret(channel.setting))
        fields.setting = channel.setting; // sent back as it was shown
      else if (fields.setting) fields.setting = settingToStore(context.egress, fields.setting, channel.setting);
      const after = { ...channel, ...fields };
      refuseUnknownGroups(context.options.values, fields.groups, channel.groups);
      refuseUnusable(after, context.egress, channel);
      refuseUnbuilt(fields, channel);
      if (status === channelStatus.enabled && isExpired(after, Date.now()) && channel.status !== status)
        throw new AppError('channel_needs_expiry');
      const newKeys = keysIn(key, after.type);
      refuseMalformedKeys(after.type, newKeys);
      const isReplaced = newKeys.length > 0 && keyMode !== 'append';
      if (!isReplaced && actor.role < role.root && addressOf(after) !== addressOf(channel)) throw new AppError('channel_needs_key');
      return {
        ...fields,
        ...(status !== undefined && status !== channel.status && { status, statusReason: '', statusChangedAt: new Date() }),
        ...(newKeys.length > 0 && changedKeys(channel, newKeys, isReplaced)),
      };
    },
    editing: { seen, view: viewOf },
  });
  const before = shown(change.before, change.changed);
  const after = { ...shown(change.after, change.changed), ...(key.trim() !== '' && { key: '(changed)' }) };
  await changed(context, actor, 'channel.update', new Map([[id, { before, after }]]));
  return viewOf(change.after);
}

/** New keys in the place of those of a channel, or behind them. A channel that has had one key, and gets one, stays as it is. */
function changedKeys(channel: KeyedRow, texts: string[], isReplaced: boolean): Partial<KeyedRow> {
  const [only] = texts;
  if (isReplaced && texts.length === 1 && only !== undefined && !channel.keys?.length) return onlyKey(channel.id, only);
  return withNewKeys(channel.id, { keys: isReplaced ? [] : keysOf(channel), lastKeyId: lastKeyIdOf(channel), texts });
}

/** What the audit log may show of a channel: the changed fields, no key. */
function shown(channel: KeyedRow, changed: (keyof KeyedRow)[]): Record<string, unknown> {
  const { keySealed: _, keyDigest: __, keySecrets: ___, ...fields } = Object.fromEntries(changed.map((name) => [name, channel[name]]));
  return typeof fields.setting === 'string' ? { ...fields, setting: settingWithoutSecret(fields.setting) } : fields;
}

/** What the audit log keeps of a channel that is gone: how it was set up, no key. */
function whole(channel: ChannelRow & KeySecrets): Record<string, unknown> {
  const { _id: _, changes: __, ...fields } = shown(channel, Object.keys(channel) as (keyof KeyedRow)[]);
  return fields;
}

/** Copies a channel, key and all, under a new id; what it has served stays with the old one. */
export async function copyChannel(context: Context, id: number, actor: Caller): Promise<ChannelView> {
  const source = await keyedRow(id);
  const copyId = await nextId('channels');
  const { _id, ...fields } = source;
  const fresh = {
    balance: 0,
    balanceUpdatedAt: null,
    testedAt: null,
    responseTimeMs: 0,
    testError: '',
    statusReason: '',
    statusChangedAt: null,
    version: 0,
    changes: {},
  };
  const copy = await Channel.create({
    ...fields,
    ...fresh,
    id: copyId,
    name: `${beginOf(source.name, 120)}_copy`,
    ...secretsFor(source, copyId),
    createdAt: new Date(),
  });
  await changed(context, actor, 'channel.copy', new Map([[copyId, { after: { from: id } }]]));
  return viewOf(copy.toObject());
}

/** Deletes channels; returns how many there were. */
export async function deleteChannels(context: Context, ids: number[], actor: Caller): Promise<Said<number>> {
  const channels = await Channel.find({ id: { $in: ids } })
    .select('+keySealed +keyDigest +keySecrets')
    .lean();
  const tests = await ChannelTest.find({ channelId: { $in: ids } }).lean();
  const { deletedCount } = await Channel.deleteMany({ id: { $in: ids } });
  await ChannelTest.deleteMany({ channelId: { $in: ids } });
  await changed(context, actor, 'channel.delete', new Map(channels.map((channel) => [channel.id, { before: whole(channel) }])));
  const deed = { action: 'channel.delete', kind: 'channel' } as const;
  const undo =
    (await keepUndo(actor, { ...deed, deleted: { channels, tests } })) ?? (await keepUndo(actor, { ...deed, deleted: { channels } }));
  return undoable(deletedCount, undo);
}

export async function deleteChannel(context: Context, id: number, actor: Caller): Promise<Said<undefined>> {
  await channelRow(id);
  const { undo } = await deleteChannels(context, [id], actor);
  return undoable(undefined, undo);
}

/** Deletes the channels that a person or a rule has switched off. */
export async function deleteDisabledChannels(context: Context, actor: Caller): Promise<Said<number>> {
  const off = await Channel.find({ status: { $in: [channelStatus.disabled, channelStatus.autoDisabled] } })
    .select('id')
    .lean();
  if (off.length === 0) return undoable(0, undefined);
  return deleteChannels(
    context,
    off.map(({ id }) => id),
    actor,
  );
}

/** There is nothing to mend here: routing reads the channels themselves. It only has every relay read them again. */
export async function rereadChannels(context: Context): Promise<number> {
  await announceChannels(context, 'all');
  return Channel.countDocuments();
}

async function viewOf(channel: ChannelRow): Promise<ChannelView> {
  const [view] = await channelViews([channel]);
  if (!view) throw new AppError('record_not_found');
  return view;
}

/** One row of the audit log for each channel, one notice for all of them. */
async function changed(context: Context, actor: Caller, action: string, changes: ReadonlyMap<number, Change>): Promise<void> {
  await auditEach(
    actor,
    action,
    Array.from(changes, ([id, change]) => ({ target: `channel:${id}`, ...change })),
  );
  await announceChannels(context, [...changes.keys()]);
}
