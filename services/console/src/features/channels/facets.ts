import { type ChannelFacets, channelStatus } from '@tollgate/contracts';
import { Channel, type ChannelDoc } from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import { usedQuotas } from './views.ts';

type Facts = Pick<ChannelDoc, 'id' | 'type' | 'status' | 'groups' | 'models' | 'tag'>;

/** By what channels can be told apart, with counts; the most first, then by name. */
export async function channelFacets(): Promise<ChannelFacets> {
  const channels: Facts[] = await Channel.find({}).select('-_id id type status groups models tag').maxTimeMS(listTimeoutMs).lean();
  const tagged = channels.filter(({ tag }) => tag !== '');
  const used = await usedQuotas(tagged.map(({ id }) => id));
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
      used_quota: rows.reduce((sum, { id }) => sum + (used.get(id) ?? 0), 0),
      models: new Set(rows.flatMap(({ models }) => models)).size,
    })),
    untagged: channels.length - tagged.length,
    models: counted(channels, ({ models }) => models).map(({ of, ...counts }) => ({ name: of, ...countsOf(counts) })),
  };
}

function counted<Of extends string | number>(channels: Facts[], of: (channel: Facts) => readonly Of[]): { of: Of; rows: Facts[] }[] {
  const groups = new Map<Of, Facts[]>();
  for (const channel of channels) {
    for (const one of new Set(of(channel))) {
      const rows = groups.get(one);
      if (rows) rows.push(channel);
      else groups.set(one, [channel]);
    }
  }
  return Array.from(groups, ([one, rows]) => ({ of: one, rows })).sort((a, b) => b.rows.length - a.rows.length || (a.of < b.of ? -1 : 1));
}

function countsOf({ rows }: { rows: Facts[] }): { count: number; enabled: number } {
  return { count: rows.length, enabled: rows.filter(({ status }) => status === channelStatus.enabled).length };
}
