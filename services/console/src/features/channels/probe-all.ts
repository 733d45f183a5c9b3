import { channelStatus } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { disableChannel, enableChannel, isDisabling } from './automatic-status.ts';
import { type Probe, probeChannel } from './probe.ts';

const lockKey = 'job:test-channels';
/** The lock outlives the longest test of one channel; it is renewed before each, so a console that died blocks nobody for long. */
const lockSeconds = 120;

/** Starts a test of every channel and answers at once. One test runs at a time over all consoles. Throws `channel_test_running`. */
export async function startProbingAll(context: Context): Promise<void> {
  const taken = await context.redis.set(lockKey, '1', 'EX', lockSeconds, 'NX');
  if (taken === null) throw new AppError('channel_test_running');
  void probeAll(context)
    .catch((error) => context.log.error({ err: error }, 'the test of all channels broke off'))
    .finally(() => context.redis.del(lockKey).catch((error) => context.log.warn({ err: error }, 'the lock of the test is left to expire')));
}

async function probeAll(context: Context): Promise<void> {
  const channels = await Channel.find().sort({ id: 1 }).select({ id: 1, status: 1 }).lean();
  for (const { id, status } of channels) {
    await context.redis.expire(lockKey, lockSeconds);
    try {
      await judge(context, { id, status }, await probeChannel(context.egress, id));
    } catch (error) {
      context.log.warn({ err: error, channelId: id }, 'a channel could not be tested'); // such as one deleted meanwhile
    }
  }
}

/** What a test means for the channel's status. A type that cannot be tested is left as it is. */
async function judge(context: Context, { id, status }: { id: number; status: number }, { failure, durationMs }: Probe): Promise<void> {
  const { AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled, ChannelDisableThreshold } = context.options.values;
  const slow = ChannelDisableThreshold > 0 && durationMs > ChannelDisableThreshold * 1000;
  if (status === channelStatus.enabled && AutomaticDisableChannelEnabled) {
    if (failure instanceof UpstreamError && isDisabling(failure, context.options.values))
      await disableChannel(context, id, failure.message);
    else if (!failure && slow) await disableChannel(context, id, `Response time exceeds threshold: ${durationMs} ms`);
  }
  if (status === channelStatus.autoDisabled && AutomaticEnableChannelEnabled && !failure && !slow) await enableChannel(context, id);
}
