import type { UsageSums } from '@tollgate/db';
import type { DayList, Key } from './day-lists.ts';

/** So many keys are looked up on the days that do not list them. */
const mostCandidates = 500;

export interface Dearest {
  /** Each key, the dearest first, with what it used by day, begin in unix seconds. This is exact. */
  used: Map<Key, Map<number, UsageSums>>;
  /** Nobody who is not among them cost as much. */
  isExact: boolean;
}

/** What keys used on one day. */
type UsedOn = (at: number, keys: Key[]) => Promise<Map<Key, UsageSums>>;

/**
 * The keys that cost the most over all days, told by the days' lists. A key may stand in none of them and yet have cost something each day, less than all that are
 * listed: where that could be as much as what is shown, the answer says that it is not exact. `unlisted` are days that have no list; who cost the most on them is not known.
 */
export async function dearestOf(
  { lists, unlisted = [] }: { lists: DayList[]; unlisted?: number[] },
  top: number,
  usedOn: UsedOn,
): Promise<Dearest> {
  const { candidates, mostOfOthers, hides } = candidatesOf(lists, top, unlisted.length > 0 ? top : mostCandidates);
  const used = new Map(candidates.map((key) => [key, new Map<number, UsageSums>()]));
  for (const list of lists) {
    const listed = new Set<Key>();
    for (let place = 0; place < list.size; place++) {
      const key = list.keyAt(place);
      const own = used.get(key);
      if (own) own.set(list.at, list.usedAt(place));
      if (own && !list.isWhole) listed.add(key);
    }
    if (!list.isWhole)
      await lookUp(
        list.at,
        candidates.filter((key) => !listed.has(key)),
      );
  }
  for (const at of unlisted) await lookUp(at, candidates);

  const costs = candidates.map((key): [Key, number] => [key, costOf(used.get(key))]).sort(dearerFirst);
  const shown = costs.slice(0, top);
  const [, least = Number.NEGATIVE_INFINITY] = shown.length < top ? [] : (shown.at(-1) as [Key, number]);
  return {
    used: new Map(shown.map(([key]) => [key, used.get(key) as Map<number, UsageSums>])),
    isExact: unlisted.length === 0 && (!hides || mostOfOthers < least),
  };

  async function lookUp(at: number, keys: Key[]): Promise<void> {
    if (keys.length === 0) return;
    for (const [key, sum] of await usedOn(at, keys)) used.get(key)?.set(at, sum);
  }
}

/** Who may be among the dearest; and what anybody else cost at most, where lists hide somebody. */
function candidatesOf(lists: DayList[], top: number, most: number): { candidates: Key[]; mostOfOthers: number; hides: boolean } {
  const beyondAll = lists.reduce((sum, { beyond }) => sum + beyond, 0);
  const hides = lists.some(({ isWhole }) => !isWhole);
  const known = new Map<Key, { cost: number; atMost: number }>();
  for (const { size, keyAt, quotaAt, beyond } of lists) {
    for (let place = 0; place < size; place++) {
      const key = keyAt(place);
      const quota = quotaAt(place);
      const own = known.get(key);
      if (own) {
        own.cost += quota;
        own.atMost += quota - beyond;
      } else known.set(key, { cost: quota, atMost: beyondAll + quota - beyond });
    }
  }
  const ranked = [...known].map(([key, { cost }]): [Key, number] => [key, cost]).sort(dearerFirst);
  const [, least] = ranked[top - 1] ?? [undefined, Number.NEGATIVE_INFINITY];
  const atMost = ([key]: [Key, number]): [Key, number] => [key, known.get(key)?.atMost ?? 0];
  const others = ranked.slice(top).map(atMost);
  const mayBe = others.filter(([, highest]) => highest >= least).sort(dearerFirst);
  const chosen = mayBe.slice(0, Math.max(0, most - top));
  const left = mayBe.length > chosen.length ? mayBe.slice(chosen.length) : others.filter(([, highest]) => highest < least);
  return {
    candidates: [...ranked.slice(0, top), ...chosen].map(([key]) => key),
    mostOfOthers: left.reduce((highest, [, other]) => Math.max(highest, other), beyondAll),
    hides,
  };
}

function costOf(days: Map<number, UsageSums> | undefined): number {
  let cost = 0;
  for (const { quota } of days?.values() ?? []) cost += quota;
  return cost;
}

function dearerFirst([a, one]: [Key, number], [b, other]: [Key, number]): number {
  return other - one || (a < b ? -1 : 1);
}
