import { setTimeout as delay } from 'node:timers/promises';
import { type ChannelFacets, channelStatus } from '@tollgate/contracts';
import type { KnownChannel, KnownChannels, OfferedModels } from '../pricing/offered-models.ts';
import { allUsedQuotas } from './views.ts';

/** Without what the tags have used. */
interface Counted extends Omit<ChannelFacets, 'tags'> {
  tags: (Omit<ChannelFacets['tags'][number], 'used_quota'> & { ids: number[] })[];
}

const countedOf = new WeakMap<KnownChannels, Counted>();
/** What tags have used is read anew when it is older. Then what was known is shown when the new sums take too long, unless it is much older. */
const [usedForMs, patienceMs, shownForMs] = [5000, 30, 3_600_000];
const used = new WeakMap<OfferedModels, { atMs: number; sums: Promise<Map<number, number>> }>();

/** By what channels can be told apart, with counts; the most first, then by name. Counted once a change of the channels: there may be thousands. */
export async function channelFacets(models: OfferedModels): Promise<ChannelFacets> {
  const known = await models.known();
  const facets = countedOf.get(known) ?? count([...known.channels.values()]);
  countedOf.set(known, facets);
  if (facets.tags.length === 0) return { ...facets, tags: [] };
  const sums = await usedBy(models);
  const tags = facets.tags.map(({ ids, ...tag }) => ({ ...tag, used_quota: ids.reduce((sum, id) => sum + (sums.get(id) ?? 0), 0) }));
  return { ...facets, tags };
}

/** The sums of thousands of channels cost a tenth of a second, on a small site next to nothing. */
function usedBy(models: OfferedModels): Promise<Map<number, number>> {
  const last = used.get(models);
  const nowMs = performance.now();
  if (last && nowMs - last.atMs < usedForMs) return last.sums;
  const fresh = { atMs: nowMs, sums: allUsedQuotas() };
  used.set(models, fresh);
  fresh.sums.catch(() => used.get(models) === fresh && used.delete(models));
  if (last === undefined || nowMs - last.atMs > shownForMs) return fresh.sums;
  return Promise.race([fresh.sums, delay(patienceMs, last.sums, { ref: false })]);
}

function count(channels: KnownChannel[]): Counted {
  const tagged = channels.filter(({ tag }) => tag !== '');
  const tags = counted(tagged, ({ tag }) => [tag]);
  const statuses = counted(channels, ({ status }) => [status]);
  return {
    total: channels.length,
    types: counted(channels, ({ type }) => [type]).map(({ of, ...counts }) => ({ type: of, ...countsOf(counts) })),
    statuses: statuses.map(({ of, rows }) => ({ status: of, count: rows.length })),
    groups: counted(channels, ({ groups }) => groups).map(({ of, ...counts }) => ({ name: of, ...countsOf(counts) })),
    tags: tags.map(({ of, rows }) => ({
      name: of,
      ...countsOf({ rows }),
      ids: rows.map(({ id }) => id),
      models: new Set(rows.flatMap(({ models }) => models)).size,
    })),
    untagged: channels.length - tagged.length,
    models: counted(channels, ({ models }) => models).map(({ of, ...counts }) => ({ name: of, ...countsOf(counts) })),
  };
}

function counted<Of extends string | number>(
  channels: KnownChannel[],
  of: (channel: KnownChannel) => readonly Of[],
): { of: Of; rows: KnownChannel[] }[] {
  const groups = new Map<Of, KnownChannel[]>();
  for (const channel of channels) {
    for (const one of new Set(of(channel))) {
      const rows = groups.get(one);
      if (rows) rows.push(channel);
      else groups.set(one, [channel]);
    }
  }
  return Array.from(groups, ([one, rows]) => ({ of: one, rows })).sort((a, b) => b.rows.length - a.rows.length || (a.of < b.of ? -1 : 1));
}

function countsOf({ rows }: { rows: KnownChannel[] }): { count: number; enabled: number } {
  return { count: rows.length, enabled: rows.filter(({ status }) => status === channelStatus.enabled).length };
}
