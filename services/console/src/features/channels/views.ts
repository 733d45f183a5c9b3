import { type ChannelView, channelStatus, keyModes, limitsOf } from '@tollgate/contracts';
import { type ChannelDoc, ChannelUsage } from '@tollgate/db';
import { settingWithoutSecret } from './proxies.ts';

export type ChannelRow = Omit<ChannelDoc, 'keySealed' | 'keyDigest' | 'keySecrets'> & { _id: unknown };

/** Channels as the console shows them, with what each has served. There is no key in them. */
export async function channelViews(channels: ChannelRow[]): Promise<ChannelView[]> {
  const nowMs = Date.now();
  const used = await usedQuotas(channels.map((channel) => channel.id));
  return channels.map((channel) => ({
    id: channel.id,
    type: channel.type,
    name: channel.name,
    status: statusOf(channel, nowMs),
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
    max_input_tokens: channel.maxInputTokens ?? 0,
    expired_time: channel.expiresAt ? seconds(channel.expiresAt) : -1,
    ...limitsOf(channel),
    channel_info: channelInfo(channel),
    used_quota: used.get(channel.id) ?? 0,
    balance: channel.balance,
    balance_updated_time: seconds(channel.balanceUpdatedAt),
    created_time: seconds(channel.createdAt),
    test_time: seconds(channel.testedAt),
    response_time: channel.responseTimeMs,
    test_error: channel.testError ?? '',
    other_info: reasonOf(channel, nowMs),
    version: channel.version ?? 0,
  }));
}

/** The keys of a channel as other products of the family show them. */
function channelInfo({ keys, keyMode }: ChannelRow): ChannelView['channel_info'] {
  const all = keys ?? [];
  const off = all.flatMap((key, place) => (key.status === channelStatus.enabled ? [] : [{ ...key, place }]));
  return {
    is_multi_key: all.length > 0,
    multi_key_size: all.length,
    multi_key_status_list: Object.fromEntries(off.map(({ place, status }) => [place, status])),
    ...(off.length > 0 && {
      multi_key_disabled_reason: Object.fromEntries(off.map(({ place, reason }) => [place, reason])),
      multi_key_disabled_time: Object.fromEntries(off.map(({ place, changedAt }) => [place, seconds(changedAt)])),
    }),
    multi_key_polling_index: 0,
    multi_key_mode: keyModes.find((mode) => mode === keyMode) ?? 'random',
  };
}

/** That a channel has expired is computed: nothing has to be written when the time comes. */
export function isExpired({ expiresAt }: Pick<ChannelRow, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && expiresAt !== undefined && expiresAt.getTime() <= nowMs;
}

function statusOf(channel: ChannelRow, nowMs: number): number {
  return channel.status === channelStatus.enabled && isExpired(channel, nowMs) ? channelStatus.autoDisabled : channel.status;
}

/** Why a channel rests that nobody has switched off, and since when. */
function reasonOf(channel: ChannelRow, nowMs: number): string {
  if (channel.status === channelStatus.enabled && isExpired(channel, nowMs))
    return JSON.stringify({ status_reason: 'The channel has expired', status_time: seconds(channel.expiresAt) });
  if (!channel.statusReason) return '';
  return JSON.stringify({ status_reason: channel.statusReason, status_time: seconds(channel.statusChangedAt) });
}

async function usedQuotas(channelIds: number[]): Promise<Map<number, number>> {
  return usedQuotasOf({ channelId: { $in: channelIds } });
}

export async function allUsedQuotas(): Promise<Map<number, number>> {
  return usedQuotasOf({});
}

async function usedQuotasOf(filter: Record<string, unknown>): Promise<Map<number, number>> {
  const rows = await ChannelUsage.aggregate<{ _id: number; usedQuota: number }>([
    { $match: filter },
    { $group: { _id: '$channelId', usedQuota: { $sum: '$usedQuota' } } },
  ]);
  return new Map(rows.map(({ _id, usedQuota }) => [_id, usedQuota]));
}

function seconds(date: Date | null | undefined): number {
  return date ? Math.floor(date.getTime() / 1000) : 0;
}
