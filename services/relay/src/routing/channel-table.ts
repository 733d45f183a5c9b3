import { slices } from '@tollgate/runtime';
import { Abilities, byPreference, type Ranking, type Served } from './abilities.ts';
import type { RoutedChannel } from './routed-channel.ts';

export type { RoutedChannel } from './routed-channel.ts';

/** Channels by priority, the highest first. The same object as long as none of them changes, so that what follows from it can be kept. */
export type Tiers = readonly (readonly RoutedChannel[])[];

/** Which channels serve a model in a group, best tier first. */
export interface ChannelTable {
  tiers(group: string, model: string): Tiers;
  channel(id: number): RoutedChannel | undefined;
  /** A rule has switched off channels that serve this: it is not to be had now, but it exists. */
  isSuspended(group: string, model: string): boolean;
  models(group: string): Iterable<string>;
}

/** A channel and what it serves. */
export interface ListedChannel extends Served {
  routed: RoutedChannel;
  /** A rule has switched it off. */
  isSuspended: boolean;
}

/** A table in which single channels can be changed: others, and what they serve, are not touched. */
export interface EditableTable extends ChannelTable {
  /** Puts a channel in the place of the one with its id; undefined takes that out. */
  change(id: number, channel: ListedChannel | undefined): void;
}

/** A table of many channels, filled in slices. */
export async function channelTable(channels: ReadonlyMap<number, ListedChannel>): Promise<EditableTable> {
  const listed = new Map(channels);
  const enabled = new Abilities();
  const suspended = new Abilities();
  const tiersOf = new WeakMap<Ranking, Tiers>();
  const pause = slices();
  for (const channel of [...listed.values()].sort((a, b) => byPreference(a.routed, b.routed))) {
    homeOf(channel)?.append(channel.routed, channel);
    const turn = pause();
    if (turn !== undefined) await turn;
  }

  /** Where it is found by what it serves; nowhere when a person has switched it off. */
  function homeOf(channel: ListedChannel): Abilities | undefined {
    if (channel.routed.isEnabled) return enabled;
    return channel.isSuspended ? suspended : undefined;
  }

  return {
    tiers(group, model) {
      const ranking = enabled.of(group, model) ?? enabled.of(group, foldedName(model));
      if (ranking === undefined) return [];
      let tiers = tiersOf.get(ranking);
      if (tiers === undefined) {
        tiers = inTiers(ranking);
        tiersOf.set(ranking, tiers);
      }
      return tiers;
    },
    channel: (id) => listed.get(id)?.routed,
    isSuspended: (group, model) => suspended.of(group, model) !== undefined,
    models: (group) => enabled.models(group),
    change(id, channel) {
      const old = listed.get(id);
      if (old !== undefined) homeOf(old)?.remove(old.routed, old);
      if (channel === undefined) {
        listed.delete(id);
        return;
      }
      listed.set(id, channel);
      homeOf(channel)?.add(channel.routed, channel);
    },
  };
}

function inTiers(ranking: Ranking): Tiers {
  const tiers: RoutedChannel[][] = [];
  for (const channel of ranking) {
    const last = tiers.at(-1);
    if (last?.[0]?.priority === channel.priority) last.push(channel);
    else tiers.push([channel]);
  }
  return tiers;
}

/** Custom assistants of one kind are served, and priced, under one name. */
function foldedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}
