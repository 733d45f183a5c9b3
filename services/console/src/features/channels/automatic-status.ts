import { beginOf, channelFailure, channelFailuresKey, channelStatus, type OptionValues } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import type { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import { byRule } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { notifyRoots } from '../../notices/notify.ts';
import { changeRow } from '../../row-change.ts';
import { changeChannel } from './change.ts';
import { type KeyedRow, keyedRow } from './key-rows.ts';
import { disabledKey, enabledKey } from './keys.ts';
import type { ChannelRow } from './views.ts';

type Failure = Pick<UpstreamError, 'kind' | 'code' | 'type' | 'message'>;

/** Whether a provider's failure means that nothing will work there until a person acts. Only its own words count, never a caller's. */
export function isDisabling(failure: Failure, options: Pick<OptionValues, 'AutomaticDisableKeywords'>): boolean {
  if (failure.kind === 'credentials' || failure.kind === 'balance') return true;
  const message = failure.message.toLowerCase();
  return options.AutomaticDisableKeywords.some((keyword) => message.includes(keyword.toLowerCase()));
}

/** Takes an enabled channel that permits it out of service and says why. */
export async function disableChannel(context: Context, channelId: number, reason: string): Promise<boolean> {
  return change(context, channelId, {
    when: { status: channelStatus.enabled, autoBan: true },
    to: { status: channelStatus.autoDisabled, statusReason: beginOf(reason, 500) },
  });
}

/** Disables one of several keys of a channel and notes the reason; the channel, too, where it was the last enabled key. */
export async function disableKey(
  context: Context,
  channelId: number,
  { keyId, reason }: { keyId: number; reason: string },
): Promise<boolean> {
  return changeKey(context, channelId, { keyId, reason, change: (channel) => disabledKey(channel, keyId, beginOf(reason, 500)) });
}

export async function enableKey(context: Context, channelId: number, keyId: number): Promise<boolean> {
  return changeKey(context, channelId, { keyId, reason: '', change: (channel) => enabledKey(channel, keyId) });
}

interface KeyChange {
  keyId: number;
  reason: string;
  change(channel: KeyedRow): Partial<KeyedRow> | undefined;
}

async function changeKey(context: Context, channelId: number, { keyId, reason, change: changeOf }: KeyChange): Promise<boolean> {
  const row = { read: () => keyedRow(channelId), fields: (channel: KeyedRow) => changeOf(channel) ?? {} };
  const { after, changed } = await changeRow<KeyedRow>(Channel, row).catch(ofGone);
  if (after === undefined || changed.length === 0) return false;
  const status = after.keys?.find(({ id }) => id === keyId)?.status ?? 0;
  await audit(byRule, 'channel.key_status', `channel:${channelId}`, { after: { key: keyId, status, reason } });
  await context.announce('channel', channelId);
  context.log.warn({ channelId, keyId, status, reason }, 'a rule changed the status of a key');
  if (changed.includes('status')) await tellRoots(context, channelId, { status: after.status, statusReason: after.statusReason });
  return true;
}

function ofGone(error: unknown): { after?: undefined; changed: never[] } {
  if (error instanceof AppError && error.code === 'record_not_found') return { changed: [] };
  throw error;
}

/** Puts a channel that a rule had taken out of service back into it. */
export async function enableChannel(context: Context, channelId: number): Promise<boolean> {
  return change(context, channelId, {
    when: { status: channelStatus.autoDisabled },
    to: { status: channelStatus.enabled, statusReason: '' },
  });
}

async function change(
  context: Context,
  channelId: number,
  { when, to }: { when: { status: number; autoBan?: true }; to: { status: number; statusReason: string } },
): Promise<boolean> {
  const isMeant = (channel: ChannelRow): boolean => channel.status === when.status && (when.autoBan === undefined || channel.autoBan);
  if (!(await changeChannel(channelId, (channel) => (isMeant(channel) ? { ...to, statusChangedAt: new Date() } : {})))) return false;
  await audit(byRule, 'channel.status', `channel:${channelId}`, { before: { status: when.status }, after: to });
  await context.announce('channel', channelId);
  context.log.warn({ channelId, ...to }, 'a rule changed the status of a channel');
  await tellRoots(context, channelId, to);
  return true;
}

async function tellRoots(
  context: Context,
  channelId: number,
  { status, statusReason }: { status: number; statusReason: string },
): Promise<void> {
  const name = (await Channel.findOne({ id: channelId }).select('name').lean())?.name ?? '';
  const code = status === channelStatus.enabled ? 'channel_on' : 'channel_off';
  await notifyRoots(context, { code, values: { channel: `#${channelId} ${name}`, reason: statusReason } });
}

const mostAtOnce = 100;

/**
 * Looks through what the relays say went wrong with channels, and takes those out of service that need a person. Each report is
 * taken by one console only. Returns how many channels and keys were switched off.
 */
export async function reviewFailures(context: Context): Promise<number> {
  const reports = (await context.redis.rpop(channelFailuresKey, mostAtOnce)) ?? [];
  if (!context.options.values.AutomaticDisableChannelEnabled) return 0;
  let switchedOff = 0;
  for (const report of reports) {
    const parsed = channelFailure.safeParse(JSON.parse(report));
    if (!parsed.success || !isDisabling(parsed.data as Parameters<typeof isDisabling>[0], context.options.values)) continue;
    const { channelId, keyId, message } = parsed.data;
    const isOff = await (keyId === undefined
      ? disableChannel(context, channelId, message)
      : disableKey(context, channelId, { keyId, reason: message }));
    if (isOff) switchedOff += 1;
  }
  return switchedOff;
}
