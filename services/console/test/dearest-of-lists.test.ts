import type { UsageSums } from '@tollgate/db';
import { expect } from 'chai';
import type { DayList, Key } from '../src/features/logs/day-lists.ts';
import { dearestOf } from '../src/features/logs/dearest-of-lists.ts';

const longestList = 4;

describe('the dearest over many days, told by short lists of each', () => {
  it('are those who cost the most, or are said to be about right; what they used is exact', async () => {
    const random = dice(7);
    const seen = { exact: 0, about: 0, wrong: 0 };
    for (let run = 0; run < 3000; run++) {
      const days = siteOf(random);
      const top = 1 + Math.floor(4 * random());
      const unlistedFrom = random() < 0.1 ? 1 : days.length;
      const lists = days.slice(0, unlistedFrom).map((used, at) => listOf(at, used));
      const unlisted = days.slice(unlistedFrom).map((_, place) => unlistedFrom + place);
      const { used, isExact } = await dearestOf({ lists, unlisted }, top, async (at, keys) => only(days[at] as Day, keys));

      for (const [key, own] of used) expect(quotasOf(own), `run ${run}`).to.deep.equal(quotasOf(byDay(days, key)));
      const isRight = JSON.stringify([...used.keys()]) === JSON.stringify(dearest(days, top));
      expect(isRight || !isExact, `run ${run}`).to.equal(true);
      seen[isExact ? 'exact' : 'about']++;
      if (!isRight) seen.wrong++;
    }
    // Near ties and clear cases both come up, or this shows nothing.
    expect(seen.exact).to.be.above(300);
    expect(seen.about).to.be.above(300);
    expect(seen.wrong).to.be.above(10);
  });

  it('are exact where many cost the same and no list is cut', async () => {
    const day: Day = new Map([3, 1, 2].map((key): [number, UsageSums] => [key, sumsOf(5)]));
    const { used, isExact } = await dearestOf({ lists: [listOf(0, day)] }, 2, async () => new Map());
    expect([[...used.keys()], isExact]).to.deep.equal([[1, 2], true]);
  });
});

type Day = Map<Key, UsageSums>;

/** Some days of a dozen keys: steep or flat, with ties, with keys that got something back, with keys that are there on some days only. */
function siteOf(random: () => number): Day[] {
  const steepness = random() < 0.5 ? 3 : 0.3;
  const dayCount = 1 + Math.floor(5 * random());
  return Array.from({ length: dayCount }, () => {
    const day: Day = new Map();
    for (let key = 1; key <= 12; key++) {
      if (random() < 0.25) continue;
      const isRefund = random() < 0.05;
      day.set(key, sumsOf(isRefund ? -Math.floor(30 * random()) : Math.floor(40 * (key / 12) ** steepness + 6 * random())));
    }
    return day;
  });
}

function listOf(at: number, day: Day): DayList {
  const listed = [...day].sort(([a, one], [b, other]) => other.quota - one.quota || Number(a) - Number(b)).slice(0, longestList);
  const [key, used] = [(place: number) => listed[place]?.[0] ?? 0, (place: number) => listed[place]?.[1] ?? sumsOf(0)];
  const isWhole = listed.length < longestList;
  const beyond = isWhole ? 0 : Math.max(0, used(listed.length - 1).quota);
  return { at, end: at + 1, size: listed.length, keyAt: key, quotaAt: (place) => used(place).quota, usedAt: used, isWhole, beyond };
}

function dearest(days: Day[], top: number): Key[] {
  const costs = new Map<Key, number>();
  for (const day of days) for (const [key, { quota }] of day) costs.set(key, (costs.get(key) ?? 0) + quota);
  return [...costs]
    .sort(([a, one], [b, other]) => other - one || Number(a) - Number(b))
    .slice(0, top)
    .map(([key]) => key);
}

function byDay(days: Day[], key: Key): Map<number, UsageSums> {
  return new Map(days.flatMap((day, at): [number, UsageSums][] => (day.has(key) ? [[at, day.get(key) as UsageSums]] : [])));
}

function quotasOf(days: Map<number, UsageSums>): [number, number][] {
  return [...days].map(([at, { quota }]): [number, number] => [at, quota]).sort(([a], [b]) => a - b);
}

function only(day: Day, keys: Key[]): Day {
  return new Map([...day].filter(([key]) => keys.includes(key)));
}

function sumsOf(quota: number): UsageSums {
  return { requests: 1, promptTokens: 2, completionTokens: 3, quota, uncollected: 0 };
}

/** Random numbers that are the same in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
