import { channelStatus, channelTypeInfo, keyTail, mostKeys } from '@tollgate/contracts';
import { Channel, type ChannelDoc, type ChannelKeyRow, type ChannelKeySecret, resealed, seal, unseal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { keyDigest, keyDigests } from './change.ts';
import type { ChannelRow } from './views.ts';

/** The stored secrets of a channel. None of them may leave the service. */
export interface KeySecrets {
  keySealed: string;
  keyDigest?: string | null;
  keySecrets?: ChannelKeySecret[] | null;
}
export type KeyedRow = ChannelRow & KeySecrets;

/** One key of a channel with its sealed secret. */
export type HeldKey = ChannelKeyRow & Omit<ChannelKeySecret, 'id'>;

const secretFields = '+keySealed +keyDigest +keySecrets';

export async function keyedRow(id: number): Promise<KeyedRow> {
  const channel = await Channel.findOne({ id }).select(secretFields).lean();
  if (!channel) throw new AppError('record_not_found');
  return channel as KeyedRow;
}

/** Where a key of a channel is sealed for. */
export function placeOfKey(channelId: number): string {
  return `channel:${channelId}:key`;
}

/** All keys of a channel; the only one of a channel that never had several is its key 1. */
export function keysOf(channel: KeyedRow): HeldKey[] {
  const { id, keys, keySecrets, keySealed, createdAt } = channel;
  if (!keys?.length) {
    const key = unseal(keySealed, placeOfKey(id));
    return [{ ...newKey(1, key, createdAt), sealed: keySealed, digest: keyDigest(key) }];
  }
  const secrets = new Map((keySecrets ?? []).map((secret) => [secret.id, secret]));
  return keys.flatMap((key) => {
    const secret = secrets.get(key.id);
    return secret ? [{ ...key, sealed: secret.sealed, digest: secret.digest }] : [];
  });
}

/**
 * The text of a channel's key: the first enabled one, or that with this id; `noKey` is the one it had before it had several.
 * Throws: AppError `record_not_found`.
 */
export function keyText(channel: KeyedRow, keyId?: number): string {
  const isOnly = keyId === undefined || !channel.keys?.length;
  const sealed = isOnly ? channel.keySealed : keysOf(channel).find(({ id }) => id === Math.max(keyId, 1))?.sealed;
  if (sealed === undefined) throw new AppError('record_not_found');
  return unseal(sealed, placeOfKey(channel.id));
}

function newKey(id: number, key: string, createdAt: Date, name = ''): ChannelKeyRow {
  return { id, name, tail: keyTail(key), status: channelStatus.enabled, reason: '', changedAt: createdAt, createdAt };
}

/** A new key of a channel with its sealed secret. */
export function heldKey(channelId: number, { id, text, name }: { id: number; text: string; name: string }): HeldKey {
  return { ...newKey(id, text, new Date(), name), sealed: seal(text, placeOfKey(channelId)), digest: keyDigest(text) };
}

export type StoredKeys = Pick<ChannelDoc, 'keys' | 'lastKeyId'> & KeySecrets;

/** The fields of a channel that has these keys, of which the last id given is `lastKeyId`. Throws: AppError where there are none, or too many. */
export function storedKeys(keys: readonly HeldKey[], lastKeyId: number): StoredKeys {
  const first = keys.find(({ status }) => status === channelStatus.enabled) ?? keys[0];
  if (first === undefined) throw new AppError('invalid_parameter', { reason: 'a channel needs a key' });
  if (keys.length > mostKeys) throw new AppError('invalid_parameter', { reason: 'a channel has at most 5000 keys' });
  return {
    keys: keys.map(({ sealed: _, digest: __, ...row }) => row),
    keySecrets: keys.map(({ id, sealed, digest }) => ({ id, sealed, digest })),
    keySealed: first.sealed,
    keyDigest: first.digest,
    lastKeyId,
  };
}

/** Keys behind those that a channel has; one that it has already is passed over. */
export function withNewKeys(
  channelId: number,
  { keys, lastKeyId, texts, name = '' }: { keys: readonly HeldKey[]; lastKeyId: number; texts: readonly string[]; name?: string },
): StoredKeys {
  const known = new Set(keys.map(({ digest }) => digest));
  const all = [...keys];
  let last = lastKeyId;
  for (const text of texts) {
    if (keyDigests(text).some((each) => known.has(each))) continue;
    last += 1;
    const key = heldKey(channelId, { id: last, text, name: name !== '' && texts.length > 1 ? `${name} ${last}` : name });
    known.add(key.digest);
    all.push(key);
  }
  return storedKeys(all, last);
}

/** The fields of a channel with one key, which never had several. */
export function onlyKey(channelId: number, key: string): Pick<StoredKeys, 'keySealed'> & { keyDigest: string } {
  return { keySealed: seal(key, placeOfKey(channelId)), keyDigest: keyDigest(key) };
}

/** The highest key id that was given in a channel. */
export function lastKeyIdOf({ lastKeyId, keys }: Pick<ChannelRow, 'lastKeyId' | 'keys'>): number {
  return Math.max(lastKeyId ?? 1, ...(keys ?? []).map(({ id }) => id));
}

/** The same secrets for another channel. */
export function secretsFor(source: KeyedRow, channelId: number): KeySecrets {
  const moved = (sealed: string): string => seal(unseal(sealed, placeOfKey(source.id)), placeOfKey(channelId));
  return secretsBy(source, ({ sealed, digest }) => ({ sealed: moved(sealed), digest }));
}

/** The same secrets under the newest master key. Throws when no key opens one. */
export function resealedSecrets(channel: { id: number } & KeySecrets): KeySecrets {
  const place = placeOfKey(channel.id);
  return secretsBy(channel, ({ sealed }) => ({ sealed: resealed(sealed, place), digest: keyDigest(unseal(sealed, place)) }));
}

type Secret = Omit<ChannelKeySecret, 'id'>;

function secretsBy({ keySealed, keyDigest: known, keySecrets }: KeySecrets, change: (secret: Secret) => Secret): KeySecrets {
  const { sealed, digest } = change({ sealed: keySealed, digest: known ?? '' });
  const several = keySecrets?.map((secret) => ({ id: secret.id, ...change(secret) }));
  return { keySealed: sealed, keyDigest: digest, ...(several?.length && { keySecrets: several }) };
}

/** One key a line, but for types whose key is a JSON document: those are one document, or a JSON array of them. */
export function keysIn(text: string, type: number): string[] {
  const isJson = channelTypeInfo(type)?.needs.key.format === 'json';
  const keys = isJson ? documentsIn(text.trim()) : text.split('\n').map((line) => line.trim());
  return [...new Set(keys.filter((key) => key !== ''))];
}

function documentsIn(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const documents: unknown = JSON.parse(text);
    if (Array.isArray(documents)) return documents.map((each) => (typeof each === 'string' ? each.trim() : JSON.stringify(each)));
  } catch {
    // refused as a malformed key below
  }
  return [text];
}
