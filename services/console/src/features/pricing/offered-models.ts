import { setTimeout as delay } from 'node:timers/promises';
import { channelStatus } from '@tollgate/contracts';
import { Channel, type ChannelDoc } from '@tollgate/db';
import { providerOf } from '@tollgate/providers';
import { slices } from '@tollgate/runtime';

/** The models that enabled channels offer, and in which groups. The same object until a channel changes. */
export type Offered = ReadonlyMap<string, ReadonlySet<string>>;

/** By what channels are told apart. */
export type KnownChannel = Pick<ChannelDoc, 'id' | 'type' | 'status' | 'groups' | 'models' | 'tag'>;

/** All channels by their ids, and what they offer together. Another object after each change. */
export interface KnownChannels {
  channels: ReadonlyMap<number, KnownChannel>;
  offered: Offered;
}

export interface OfferedModels {
  read(): Promise<Offered>;
  /** Reads the channels that have changed since they were last read; whoever asks meanwhile waits for the same reading. */
  known(): Promise<KnownChannels>;
  /** Reads all of them for the first time, with rests that leave the console and the store to others, until somebody asks and waits. */
  readAhead(): Promise<void>;
  /** These channels have changed, named as in a notice; without a number: maybe all. */
  forget(ids?: string | number): void;
}

const batchSize = 200;
/** Between two batches that nobody waits for. */
const restMs = 100;

export function offeredModels(): OfferedModels {
  let changed: Set<number> | 'all' = 'all';
  let reading: Promise<KnownChannels> | undefined;
  let isAwaited = true;
  const rest = (): Promise<void> | undefined => (isAwaited ? undefined : delay(restMs, undefined, { ref: false }));
  const read = (): Promise<KnownChannels> => {
    if (reading && changed !== 'all' && changed.size === 0) return reading;
    const begun = readAfter(reading, changed, rest);
    [reading, changed] = [begun, new Set()];
    begun.catch(() => {
      changed = 'all'; // the next one tries again
    });
    return begun;
  };
  const known = (): Promise<KnownChannels> => {
    isAwaited = true;
    return read();
  };
  return {
    known,
    read: async () => (await known()).offered,
    async readAhead() {
      isAwaited = reading !== undefined;
      await read();
    },
    forget(ids = '') {
      const named = String(ids).split(',').map(Number).filter(Boolean);
      if (changed === 'all' || named.length === 0) changed = 'all';
      else for (const id of named) changed.add(id);
    },
  };
}

async function readAfter(
  before: Promise<KnownChannels> | undefined,
  changed: Set<number> | 'all',
  rest: () => Promise<void> | undefined,
): Promise<KnownChannels> {
  const last = await before?.catch(() => undefined);
  const ids = changed === 'all' || last === undefined ? 'all' : [...changed];
  const channels = new Map(ids === 'all' ? [] : last?.channels);
  if (ids !== 'all') for (const id of ids) channels.delete(id);
  const filter = ids === 'all' ? {} : { id: { $in: ids } };
  const pause = slices(); // there may be thousands, and others wait for the console
  for await (const channel of Channel.find(filter)
    .select('-_id id type status groups models tag')
    .lean<KnownChannel>()
    .cursor({ batchSize })) {
    channels.set(channel.id, channel);
    const turn = (channels.size % batchSize === 0 ? rest() : undefined) ?? pause();
    if (turn !== undefined) await turn;
  }
  if (ids !== 'all' && channels.size !== (await Channel.estimatedDocumentCount())) return readAfter(undefined, 'all', rest); // not all changes were told
  return { channels, offered: await offeredBy(channels) };
}

async function offeredBy(channels: ReadonlyMap<number, KnownChannel>): Promise<Offered> {
  const groupsOf = new Map<string, Set<string>>();
  const pause = slices();
  for (const { type, status, models, groups } of channels.values()) {
    if (status !== channelStatus.enabled || !providerOf(type)) continue; // else the relay has nothing to speak to it with
    for (const model of models) {
      const known = groupsOf.get(model) ?? new Set();
      for (const group of groups) known.add(group);
      groupsOf.set(model, known);
    }
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return groupsOf;
}
