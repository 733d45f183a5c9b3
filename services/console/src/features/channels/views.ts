import type { ChannelView } from '@tollgate/contracts';
import { type ChannelDoc, ChannelUsage } from '@tollgate/db';
import { settingWithoutSecret } from './proxies.ts';

export type ChannelRow = Omit<ChannelDoc, 'keySealed' | 'keyDigest'> & { _id: unknown };

/** Channels as the console shows them, with what each has served. There is no key in them. */
export async function channelViews(channels: ChannelRow[]): Promise<ChannelView[]> {
  const used = await usedQuotas(channels.map((channel) => channel.id));
  return channels.map((channel) => ({
    id: channel.id,
    type: channel.type,
    name: channel.name,
    status: channel.status,
    base_url: channel.baseUrl,
    other: channel.other,
    openai_organization: channel.organization || null,
    models: channel.models.join(','),
    group: channel.groups.join(','),
    model_mapping: channel.modelMapping || null,
    status_code_mapping: channel.statusCodeMapping || null,
    test_model: channel.testModel || null,
    auto_ban: channel.autoBan ? 1 : 0,
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag || null,
    setting: settingWithoutSecret(channel.setting) || null,
    used_quota: used.get(channel.id) ?? 0,
    balance: channel.balance,
    balance_updated_time: seconds(channel.balanceUpdatedAt),
    created_time: seconds(channel.createdAt),
    test_time: seconds(channel.testedAt),
    response_time: channel.responseTimeMs,
    test_error: channel.testError ?? '',
    other_info: channel.statusReason
      ? JSON.stringify({ status_reason: channel.statusReason, status_time: seconds(channel.statusChangedAt) })
      : '',
    version: channel.version ?? 0,
  }));
}

async function usedQuotas(channelIds: number[]): Promise<Map<number, number>> {
  const rows = await ChannelUsage.aggregate<{ _id: number; usedQuota: number }>([
    { $match: { channelId: { $in: channelIds } } },
    { $group: { _id: '$channelId', usedQuota: { $sum: '$usedQuota' } } },
  ]);
  return new Map(rows.map(({ _id, usedQuota }) => [_id, usedQuota]));
}

function seconds(date: Date | null | undefined): number {
  return date ? Math.floor(date.getTime() / 1000) : 0;
}
