import { channelStatus, type OptionValues } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import type { UpstreamError } from '@tollgate/providers';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';

/** Who acts when a rule does. */
const rule: Caller = { id: 0, username: 'system', role: 0, group: '', session: undefined };

type Failure = Pick<UpstreamError, 'kind' | 'code' | 'type' | 'message'>;

/** Whether a provider's failure means that nothing will work there until a person acts. Only its own words count, never a caller's. */
export function isDisabling(failure: Failure, options: Pick<OptionValues, 'AutomaticDisableKeywords'>): boolean {
  if (failure.kind === 'credentials' || failure.kind === 'balance') return true;
  const message = failure.message.toLowerCase();
  return options.AutomaticDisableKeywords.some((keyword) => message.includes(keyword.toLowerCase()));
}

/** Takes an enabled channel that permits it out of service and says why. */
export async function disableChannel(context: Context, channelId: number, reason: string): Promise<boolean> {
  const filter = { id: channelId, status: channelStatus.enabled, autoBan: true };
  return change(context, filter, { status: channelStatus.autoDisabled, statusReason: reason.slice(0, 500) });
}

/** Puts a channel that a rule had taken out of service back into it. */
export async function enableChannel(context: Context, channelId: number): Promise<boolean> {
  return change(context, { id: channelId, status: channelStatus.autoDisabled }, { status: channelStatus.enabled, statusReason: '' });
}

async function change(
  context: Context,
  filter: { id: number; status: number },
  after: { status: number; statusReason: string },
): Promise<boolean> {
  const { modifiedCount } = await Channel.updateOne(filter, { $set: { ...after, statusChangedAt: new Date() } });
  if (modifiedCount === 0) return false;
  await audit(rule, 'channel.status', `channel:${filter.id}`, { before: { status: filter.status }, after });
  await context.announce('channel', filter.id);
  context.log.warn({ channelId: filter.id, ...after }, 'a rule changed the status of a channel');
  return true;
}
