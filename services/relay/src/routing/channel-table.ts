import { defaultPrices } from '@tollgate/contracts';
import { slices } from '@tollgate/runtime';
import { Abilities, byPreference, type Ranked, type Ranking, type Served } from './abilities.ts';
import type { RoutedChannel } from './routed-channel.ts';

export type { RoutedChannel } from './routed-channel.ts';

/** Channels by priority, the highest first. The same object as long as none of them changes, so that what follows from it can be kept. */
export type Tiers = readonly (readonly RoutedChannel[])[];

/** Which channels serve a model in a group, best tier first. */
export interface ChannelTable {
  tiers(group: string, model: string): Tiers;
  /** undefined: there is none, or it cannot be called (`isUnusable`). */
  channel(id: number): RoutedChannel | undefined;
  /** The channel exists, but its key or its settings cannot be read, or nothing is built for its type. */
  isUnusable(id: number): boolean;
  /** Channels that serve this and may not be called now: they are disabled, or unusable. */
  resting(group: string, model: string): readonly ListedChannel[];
  models(group: string): Iterable<string>;
}

/** A channel and what it serves. */
export interface ListedChannel extends Served, Ranked {
  /** undefined: it cannot be used as it is stored. */
  routed: RoutedChannel | undefined;
  /** A rule has switched it off, and may switch it on again. */
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
  const enabled = new Abilities<RoutedChannel>();
  const resting = new Abilities<ListedChannel>();
  const tiersOf = new WeakMap<Ranking<RoutedChannel>, Tiers>();
  const pause = slices();
  for (const channel of [...listed.values()].sort(byPreference)) {
    if (channel.routed?.isEnabled) enabled.append(channel.routed, channel);
    else resting.append(channel, channel);
    const turn = pause();
    if (turn !== undefined) await turn;
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
    isUnusable(id) {
      const channel = listed.get(id);
      return channel !== undefined && channel.routed === undefined;
    },
    resting: (group, model) => resting.of(group, model) ?? resting.of(group, foldedName(model)) ?? [],
    models: (group) => enabled.models(group),
    change(id, channel) {
      const old = listed.get(id);
      if (old?.routed?.isEnabled) enabled.remove(old.routed, old);
      else if (old !== undefined) resting.remove(old, old);
      if (channel === undefined) {
        listed.delete(id);
        return;
      }
      listed.set(id, channel);
      if (channel.routed?.isEnabled) enabled.add(channel.routed, channel);
      else resting.add(channel, channel);
    },
  };
}

function inTiers(ranking: Ranking<RoutedChannel>): Tiers {
  const tiers: RoutedChannel[][] = [];
  for (const channel of ranking) {
    const last = tiers.at(-1);
    if (last?.[0]?.priority === channel.priority) last.push(channel);
    else tiers.push([channel]);
  }
  return tiers;
}

const folds = defaultPrices.completionRatioRules.flatMap(({ rename, when: { prefix } }) =>
  rename === undefined || typeof prefix !== 'string' ? [] : [{ prefix, rename }],
);

/** Custom assistants of one kind are served, and priced, under one name. */
function foldedName(model: string): string {
  return folds.find(({ prefix }) => model.startsWith(prefix))?.rename ?? model;
}
