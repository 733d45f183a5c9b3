import { defaultPrices } from '@tollgate/contracts';
import type { Provider } from '@tollgate/providers';
import { slices } from '@tollgate/runtime';
import type { RoutedChannel } from './routed-channel.ts';

/** What decides the order of channels. */
interface Ranked {
  id: number;
  priority: number;
}

/** Channels in the order in which they are preferred; never edited, another takes its place. */
type Ranking<Item extends Ranked> = readonly Item[];

/** Names, each once. */
interface Served {
  groups: readonly string[];
  models: readonly string[];
}

/**
 * Which channels there are for a group and a model. Adding and removing one costs what that one serves: of the others that
 * serve the same only the place of the new one is looked for.
 */
class Abilities<Item extends Ranked> {
  readonly #groups = new Map<string, Map<string, Ranking<Item>>>();
  /** A channel that is alone in what it serves, which most may be, is so in one list for all its models. */
  readonly #alone = new WeakMap<Item, Ranking<Item>>();

  of(group: string, model: string): Ranking<Item> | undefined {
    return this.#groups.get(group)?.get(model);
  }

  models(group: string): Iterable<string> {
    return this.#groups.get(group)?.keys() ?? [];
  }

  add(channel: Item, { groups, models }: Served): void {
    for (const group of groups) {
      const served = this.#servedIn(group);
      for (const model of models) {
        const ranking = served.get(model);
        served.set(model, ranking === undefined ? this.#listOf(channel) : ranking.toSpliced(placeOf(channel, ranking), 0, channel));
      }
    }
  }

  remove(channel: Item, { groups, models }: Served): void {
    for (const group of groups) {
      const served = this.#groups.get(group);
      if (served === undefined) continue;
      for (const model of models) {
        const ranking: Ranking<Item> | undefined = served.get(model);
        const place: number = ranking === undefined ? -1 : placeOf(channel, ranking);
        if (ranking?.[place] !== channel) continue;
        if (ranking.length === 1) served.delete(model);
        else served.set(model, ranking.length === 2 ? this.#listOf(ranking[1 - place] as Item) : ranking.toSpliced(place, 1));
      }
      if (served.size === 0) this.#groups.delete(group);
    }
  }

  /** As `add`, for one that no channel so far is preferred to less: a table is filled so, in order, without any search or copy. */
  append(channel: Item, { groups, models }: Served): void {
    for (const group of groups) {
      const served = this.#servedIn(group);
      for (const model of models) {
        const ranking = served.get(model) as Item[] | undefined;
        if (ranking === undefined) served.set(model, this.#listOf(channel));
        else if (ranking.length === 1) served.set(model, [ranking[0] as Item, channel]);
        else ranking.push(channel); // nobody has seen it yet
      }
    }
  }

  #servedIn(group: string): Map<string, Ranking<Item>> {
    let served = this.#groups.get(group);
    if (served === undefined) {
      served = new Map();
      this.#groups.set(group, served);
    }
    return served;
  }

  #listOf(channel: Item): Ranking<Item> {
    let list = this.#alone.get(channel);
    if (list === undefined) {
      list = [channel];
      this.#alone.set(channel, list);
    }
    return list;
  }
}

/** Where a channel stands, or would: after all that are preferred to it. */
function placeOf(channel: Ranked, ranking: Ranking<Ranked>): number {
  let [from, to] = [0, ranking.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (byPreference(ranking[middle] as Ranked, channel) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Higher priority first, then as they were made. */
function byPreference(a: Ranked, b: Ranked): number {
  return b.priority - a.priority || a.id - b.id;
}

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

/** What channels have in common that differ only in keys and addresses: who is asked, and under which names for models. */
export interface ChannelKind {
  provider: Provider;
  modelMapping: ReadonlyMap<string, string>;
  /** Callers may name what is kept in its account. */
  opensAccount: boolean;
}

const kindsOf = new WeakMap<Tiers, readonly ChannelKind[]>();

/** The kinds of these channels, each once. The channels are walked once a change of the tiers, not once a call. */
export function kindsIn(tiers: Tiers): readonly ChannelKind[] {
  let kinds = kindsOf.get(tiers);
  if (kinds === undefined) {
    kinds = kindsAmong(tiers);
    kindsOf.set(tiers, kinds);
  }
  return kinds;
}

function kindsAmong(tiers: Tiers): ChannelKind[] {
  const known = new Map<Provider, Map<ReadonlyMap<string, string>, Set<boolean>>>();
  const kinds: ChannelKind[] = [];
  for (const tier of tiers) {
    for (const { provider, modelMapping, opensAccount } of tier) {
      const mappings = known.get(provider) ?? new Map<ReadonlyMap<string, string>, Set<boolean>>();
      const seen = mappings.get(modelMapping) ?? new Set();
      if (seen.has(opensAccount)) continue;
      known.set(provider, mappings.set(modelMapping, seen.add(opensAccount)));
      kinds.push({ provider, modelMapping, opensAccount });
    }
  }
  return kinds;
}
