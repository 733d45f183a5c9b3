import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelStatus } from '@tollgate/contracts/constants';
import { namesIn } from '../../shared/format.ts';

/** A tag with its channels below it; '' are those that have none. */
export interface TagGroup {
  id: string;
  tag: string;
  members: Member[];
}
/** A channel below its tag. */
export interface Member {
  id: string;
  channel: ChannelView;
}
export type TagRow = TagGroup | Member;

export function isGroup(row: TagRow): row is TagGroup {
  return 'members' in row;
}

/** The channels below their tags, in the order in which they came. */
export function groupedByTag(channels: readonly ChannelView[]): TagGroup[] {
  const groups = new Map<string, TagGroup>();
  for (const channel of channels) {
    const tag = channel.tag ?? '';
    const group = groups.get(tag) ?? { id: `tag:${tag}`, tag, members: [] };
    group.members.push({ id: `channel:${channel.id}`, channel });
    groups.set(tag, group);
  }
  return [...groups.values()];
}

/** What the channels of a tag come to together. */
export interface TagSummary {
  enabled: number;
  groups: string[];
  models: string[];
  /** Milliseconds: the mean of those that were tested; 0 where none was. */
  responseTime: number;
  usedQuota: number;
  /** Undefined where they differ. */
  priority: number | undefined;
  weight: number | undefined;
}

export function summaryOf({ members }: TagGroup): TagSummary {
  const channels = members.map(({ channel }) => channel);
  const times = channels.map(({ response_time: time }) => time).filter((time) => time > 0);
  const common = (field: 'priority' | 'weight'): number | undefined => {
    const values = new Set(channels.map((channel) => channel[field]));
    return values.size === 1 ? channels[0]?.[field] : undefined;
  };
  return {
    enabled: channels.filter(({ status }) => status === channelStatus.enabled).length,
    groups: distinct(channels.map(({ group }) => group)),
    models: distinct(channels.map(({ models }) => models)),
    responseTime: times.length > 0 ? times.reduce((sum, time) => sum + time, 0) / times.length : 0,
    usedQuota: channels.reduce((sum, { used_quota: used }) => sum + used, 0),
    priority: common('priority'),
    weight: common('weight'),
  };
}

function distinct(lists: string[]): string[] {
  return [...new Set(lists.flatMap((list) => namesIn(list)))];
}
