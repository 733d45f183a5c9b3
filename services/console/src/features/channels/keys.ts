import {
  type AddKeysBody,
  type ChannelKeyView,
  channelStatus,
  dayOf,
  type KeyCounter,
  type KeyRest,
  keyCountsKey,
  type ListKeysQuery,
  mostKeysAtOnce,
  type Page,
  type PatchKeysBody,
  restingKeysKey,
} from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { AppError, parsedJson } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { exactly, pageOf, sliceOf } from '../../http/page.ts';
import { changeRow } from '../../row-change.ts';
import { announceChannels, keyDigests } from './change.ts';
import { refuseMalformedKeys } from './fields.ts';
import {
  type HeldKey,
  heldKey,
  type KeyedRow,
  keyedRow,
  keysIn,
  keysOf,
  lastKeyIdOf,
  type StoredKeys,
  storedKeys,
  withNewKeys,
} from './key-rows.ts';

const countedDays = 7;
const dayMs = 86_400_000;

/** One page of a channel's keys, with the counts and pauses that the relays noted. */
export async function listKeys(context: Context, id: number, query: ListKeysQuery): Promise<Page<ChannelKeyView>> {
  const all = keysOf(await keyedRow(id));
  const found = query.status > 0 ? all.filter(({ status }) => status === query.status) : all;
  const slice = sliceOf(query);
  const shown = found.slice(slice.skip, slice.skip + slice.size);
  const { rests, counts } = await knownOfKeys(context, id);
  const nowMs = context.wallet.time();
  const views = shown.map((key) => keyView(key, { rest: rests[String(key.id)], counts, nowMs }));
  return pageOf(slice, views, exactly(found.length));
}

async function knownOfKeys({ redis, wallet }: Context, id: number) {
  const now = wallet.time();
  const days = Array.from({ length: countedDays }, (_, day) => keyCountsKey(id, dayOf(now - day * dayMs)));
  const [rests, ...counts] = await Promise.all([redis.hgetall(restingKeysKey(id)), ...days.map((day) => redis.hgetall(day))]);
  return { rests, counts };
}

interface Known {
  rest: string | undefined;
  counts: Record<string, string>[];
  nowMs: number;
}

function keyView({ id, name, tail, status, reason, createdAt, changedAt }: HeldKey, { rest, counts, nowMs }: Known): ChannelKeyView {
  const sumOf = (counter: KeyCounter): number => counts.reduce((sum, day) => sum + Number(day[`${id}:${counter}`] ?? 0), 0);
  const [calls, failures] = [sumOf('calls'), sumOf('failures')];
  const resting = rest === undefined ? undefined : (parsedJson(rest) as KeyRest);
  return {
    id,
    name,
    tail,
    status,
    reason,
    resting:
      resting !== undefined && resting.untilMs > nowMs && status === channelStatus.enabled
        ? { reason: resting.reason, model: resting.model, until: Math.ceil(resting.untilMs / 1000) }
        : null,
    created_time: Math.floor(createdAt.getTime() / 1000),
    changed_time: Math.floor(changedAt.getTime() / 1000),
    calls,
    failures,
    average_ms: calls > failures ? Math.round(sumOf('ms') / (calls - failures)) : 0,
    used_quota: sumOf('quota'),
  };
}

/** Adds keys; a channel with one key becomes one with several. Returns how many were new. */
export async function addKeys(context: Context, id: number, { key, name }: AddKeysBody, actor: Caller): Promise<number> {
  let added = 0;
  await changeKeys(context, id, actor, (channel, keys) => {
    const texts = textsIn(key, channel.type);
    const stored = withNewKeys(id, { keys, lastKeyId: lastKeyIdOf(channel), texts, name });
    added = (stored.keys?.length ?? 0) - keys.length;
    return added === 0 ? undefined : stored;
  });
  return added;
}

function textsIn(key: string, type: number): string[] {
  const texts = keysIn(key, type);
  refuseMalformedKeys(type, texts);
  if (texts.length > mostKeysAtOnce) throw new AppError('invalid_parameter', { reason: 'at most 1000 keys at once' });
  return texts;
}

/** Puts the same on keys, or another key in the place of one. Returns how many there were. */
export async function patchKeys(context: Context, id: number, { ids, set }: PatchKeysBody, actor: Caller): Promise<number> {
  const { key, status, name } = set;
  if (key !== undefined && ids.length > 1) throw new AppError('invalid_parameter', { reason: 'one key takes the place of one' });
  let matched = 0;
  await changeKeys(context, id, actor, (channel, keys) => {
    const wanted = new Set(ids);
    matched = keys.filter((each) => wanted.has(each.id)).length;
    if (matched === 0) throw new AppError('record_not_found');
    const changedAt = new Date();
    const changed = keys.map((each) => {
      if (!wanted.has(each.id)) return each;
      const isSwitched = status !== undefined && status !== each.status;
      return { ...each, ...(name !== undefined && { name }), ...(isSwitched && { status, reason: '', changedAt }) };
    });
    if (key === undefined) return storedKeys(changed, lastKeyIdOf(channel));
    return replaced(channel, { keys: changed, id: ids[0] as number, key });
  });
  return matched;
}

function replaced(channel: KeyedRow, { keys, id, key }: { keys: HeldKey[]; id: number; key: string }): StoredKeys {
  const texts = textsIn(key, channel.type);
  if (texts.length !== 1) throw new AppError('invalid_parameter', { reason: 'one key takes the place of one' });
  const [text = ''] = texts;
  const known = keyDigests(text);
  if (keys.some(({ digest }) => known.includes(digest)))
    throw new AppError('invalid_parameter', { reason: 'the channel has this key already' });
  const freshId = lastKeyIdOf(channel) + 1;
  return storedKeys(
    keys.map((each) => (each.id === id ? heldKey(channel.id, { id: freshId, text, name: each.name }) : each)),
    freshId,
  );
}

/** Deletes keys; the last one stays. Returns how many there were. */
export async function deleteKeys(context: Context, id: number, ids: readonly number[], actor: Caller): Promise<number> {
  let deleted = 0;
  await changeKeys(context, id, actor, (channel, keys) => {
    const gone = new Set(ids);
    const left = keys.filter((key) => !gone.has(key.id));
    deleted = keys.length - left.length;
    if (deleted === 0) throw new AppError('record_not_found');
    return storedKeys(left, lastKeyIdOf(channel));
  });
  return deleted;
}

/** Why a channel is disabled whose last key a rule has disabled. */
const noKeyLeft = 'All keys are disabled';

async function changeKeys(
  context: Context,
  id: number,
  actor: Caller,
  fields: (channel: KeyedRow, keys: HeldKey[]) => StoredKeys | undefined,
): Promise<void> {
  const { before, after, changed } = await changeRow<KeyedRow>(Channel, {
    read: () => keyedRow(id),
    fields: (channel) => {
      const stored = fields(channel, keysOf(channel));
      if (stored === undefined) return {};
      return { ...stored, ...backInService(channel, stored) };
    },
  });
  if (changed.length === 0) return;
  await audit(actor, 'channel.keys', `channel:${id}`, { before: { keys: before.keys ?? [] }, after: { keys: after.keys ?? [] } });
  await announceChannels(context, [id]);
}

/** The status of a channel that a rule disabled for its keys, where one of them is enabled again. */
function backInService({ status, statusReason }: KeyedRow, { keys }: StoredKeys): Partial<KeyedRow> {
  const isOff = status === channelStatus.autoDisabled && statusReason === noKeyLeft;
  const works = isOff && keys?.some((key) => key.status === channelStatus.enabled);
  return works ? { status: channelStatus.enabled, statusReason: '', statusChangedAt: new Date() } : {};
}

/** Takes a key out of service, and its channel where it was the last one. Undefined: it was out of service, or may not be. */
export function disabledKey(channel: KeyedRow, keyId: number, reason: string): Partial<KeyedRow> | undefined {
  const keys = keysOf(channel);
  const key = keys.find(({ id }) => id === keyId);
  if (!channel.autoBan || key?.status !== channelStatus.enabled) return undefined;
  const changedAt = new Date();
  const changed = keys.map((each) => (each === key ? { ...each, status: channelStatus.autoDisabled, reason, changedAt } : each));
  const works = changed.some(({ status }) => status === channelStatus.enabled);
  const isLast = !works && channel.status === channelStatus.enabled;
  return {
    ...storedKeys(changed, lastKeyIdOf(channel)),
    ...(isLast && { status: channelStatus.autoDisabled, statusReason: noKeyLeft, statusChangedAt: changedAt }),
  };
}

/** Puts a key back that a rule had taken out of service, and its channel if that was disabled for want of keys. */
export function enabledKey(channel: KeyedRow, keyId: number): Partial<KeyedRow> | undefined {
  const keys = keysOf(channel);
  const key = keys.find(({ id }) => id === keyId);
  if (key?.status !== channelStatus.autoDisabled) return undefined;
  const fresh = { ...key, status: channelStatus.enabled, reason: '', changedAt: new Date() };
  const stored = storedKeys(
    keys.map((each) => (each === key ? fresh : each)),
    lastKeyIdOf(channel),
  );
  return { ...stored, ...backInService(channel, stored) };
}
