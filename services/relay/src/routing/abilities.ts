/** What decides the order of channels. */
export interface Ranked {
  id: number;
  priority: number;
}

/** Channels in the order in which they are preferred; never edited, another takes its place. */
export type Ranking<Item extends Ranked> = readonly Item[];

/** Names, each once. */
export interface Served {
  groups: readonly string[];
  models: readonly string[];
}

/**
 * Which channels there are for a group and a model. Adding and removing one costs what that one serves: of the others that
 * serve the same only the place of the new one is looked for.
 */
export class Abilities<Item extends Ranked> {
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
export function byPreference(a: Ranked, b: Ranked): number {
  return b.priority - a.priority || a.id - b.id;
}
