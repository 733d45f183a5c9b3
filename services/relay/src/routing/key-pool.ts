import { noKey } from '@tollgate/contracts';
import type { KeyPool, PooledKey, RoutedChannel } from './routed-channel.ts';

/** The channel as it is called with one of its keys: an object of its own, so that whatever calls it needs to know of no other key. */
export function withKey(channel: RoutedChannel, key: PooledKey): RoutedChannel {
  key.channel ??= { ...channel, pool: undefined, chosenKey: key, target: { ...channel.target, key: key.key } };
  return key.channel;
}

/** A channel with the key that something in its upstream account is bound to; undefined where the channel or that key is disabled or gone. */
export function boundToKey(channel: RoutedChannel | undefined, keyId = noKey): RoutedChannel | undefined {
  if (channel === undefined) return undefined;
  const { pool } = channel;
  // What was bound before the channel had several keys is bound to what is now its first one.
  if (pool === undefined) return keyId <= 1 ? channel : undefined;
  const key = pool.keys.find(({ id }) => id === Math.max(keyId, 1));
  return key && withKey(channel, key);
}

/** An attempt with a key begins. */
export function occupy({ chosenKey }: RoutedChannel): void {
  if (chosenKey !== undefined) chosenKey.open += 1;
}

/** The attempt with a key has ended. */
export function giveBack({ chosenKey }: RoutedChannel): void {
  if (chosenKey !== undefined) chosenKey.open -= 1;
}

export function keyIdOf({ chosenKey }: Pick<RoutedChannel, 'chosenKey'>): number {
  return chosenKey?.id ?? noKey;
}

interface Choice {
  isUsable(key: PooledKey): boolean;
  /** Chosen if it is usable: a conversation has its cache there. */
  preferredId: number | undefined;
  random(): number;
}

/** Chooses among the usable keys as the channel's strategy says; undefined where there is none. */
export function chooseKey(pool: KeyPool, { isUsable, preferredId, random }: Choice): PooledKey | undefined {
  const { mode, keys } = pool;
  if (preferredId !== undefined) {
    const preferred = keys.find(({ id }) => id === preferredId);
    if (preferred !== undefined && isUsable(preferred)) return preferred;
  }
  if (mode === 'fill') return keys.find(isUsable);
  if (mode === 'polling') return inTurn(pool, isUsable);
  let chosen: PooledKey | undefined;
  let alike = 0;
  for (const key of keys) {
    if (!isUsable(key)) continue;
    if (mode === 'least_busy' && chosen !== undefined && key.open !== chosen.open) {
      if (key.open > chosen.open) continue;
      alike = 0;
    }
    alike += 1;
    if (random() * alike < 1) chosen = key;
  }
  return chosen;
}

function inTurn(pool: KeyPool, isUsable: (key: PooledKey) => boolean): PooledKey | undefined {
  const { keys, cursor } = pool;
  for (let step = 0; step < keys.length; step += 1) {
    const at = (cursor + step) % keys.length;
    const key = keys[at] as PooledKey;
    if (!isUsable(key)) continue;
    pool.cursor = at + 1;
    return key;
  }
  return undefined;
}
