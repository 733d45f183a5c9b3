import { beginOf, channelFailure, channelFailuresKey, channelStatus, type OptionValues } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import type { UpstreamError } from '@tollgate/providers';
import { audit } from '../../audit/audit.ts';
import { byRule } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { notifyRoots } from '../../notices/notify.ts';
import { changeChannel } from './change.ts';
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
 * taken by one console only. Returns how many channels were switched off.
 */
export async function reviewFailures(context: Context): Promise<number> {
  const reports = (await context.redis.rpop(channelFailuresKey, mostAtOnce)) ?? [];
  if (!context.options.values.AutomaticDisableChannelEnabled) return 0;
  let switchedOff = 0;
  for (const report of reports) {
    const parsed = channelFailure.safeParse(JSON.parse(report));
    if (!parsed.success || !isDisabling(parsed.data as Parameters<typeof isDisabling>[0], context.options.values)) continue;
    if (await disableChannel(context, parsed.data.channelId, parsed.data.message)) switchedOff += 1;
  }
  return switchedOff;
}
