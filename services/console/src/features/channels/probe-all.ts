import { type ChannelTestsView, channelStatus } from '@tollgate/contracts';
import { Channel, type ChannelKeyRow } from '@tollgate/db';
import { UpstreamError } from '@tollgate/providers';
import type { Context } from '../../context.ts';
import { disableChannel, disableKey, enableChannel, enableKey, isDisabling } from './automatic-status.ts';
import { type Probe, probeChannel } from './probe.ts';

/** A hash: how far the test of all channels has come that runs, or ran last. */
const progressKey = 'channel-tests:progress';

interface Progress {
  total: number;
  tested: number;
  failed: number;
}

/** Notes how far a test of all channels has come, for whoever looks, on whichever console. */
function progressOf({ redis, wallet }: Pick<Context, 'redis' | 'wallet'>) {
  return {
    begin: async (total: number): Promise<void> =>
      void (await redis.hset(progressKey, { total, tested: 0, failed: 0, startedAt: wallet.time(), endedAt: 0 })),
    note: async ({ tested, failed }: Omit<Progress, 'total'>): Promise<void> => void (await redis.hset(progressKey, { tested, failed })),
    end: async (): Promise<void> => void (await redis.hset(progressKey, { endedAt: wallet.time() })),
  };
}

/** `isRunning`: it runs, or waits for a console. */
export async function channelTests({ redis }: Pick<Context, 'redis'>, isRunning: boolean): Promise<ChannelTestsView> {
  const { total = 0, tested = 0, failed = 0, startedAt = 0, endedAt = 0 } = await redis.hgetall(progressKey);
  return {
    running: isRunning,
    total: Number(total),
    tested: Number(tested),
    failed: Number(failed),
    started_time: Math.floor(Number(startedAt) / 1000),
    ended_time: Math.floor(Number(endedAt) / 1000),
  };
}

/** Tests one channel after the other; a test that fails to be made stops none of the rest. Returns how many failed. */
export async function probeChannels(context: Context, signal: AbortSignal): Promise<{ tested: number; failed: number }> {
  const progress = progressOf(context);
  let [tested, failed] = [0, 0];
  const channels = await Channel.find().sort({ id: 1 }).select({ id: 1, status: 1, keys: 1 }).lean();
  await progress.begin(channels.length);
  for (const { id, status, keys } of channels) {
    signal.throwIfAborted();
    try {
      const probe = await probeChannel(context.egress, id);
      if (probe.failure) failed += 1;
      const isOfKeys = keys?.length ? await judgeKeys(context, { id, keys }, probe) : false;
      if (!isOfKeys) await judge(context, { id, status }, probe);
    } catch (error) {
      context.log.warn({ err: error, channelId: id }, 'a channel could not be tested'); // such as one deleted meanwhile
    }
    tested += 1;
    await progress.note({ tested, failed });
  }
  await progress.end();
  return { tested, failed };
}

const mostKeysTested = 20;

/**
 * The same for a channel with several keys: the test was of the first enabled one. Keys that a rule has disabled are tested, the
 * longest disabled ones first. True where the test speaks of a key alone, not of the channel.
 */
async function judgeKeys(
  context: Context,
  { id, keys }: { id: number; keys: ChannelKeyRow[] },
  { failure }: Pick<Probe, 'failure'>,
): Promise<boolean> {
  const { AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled } = context.options.values;
  const resting = keys.filter(({ status }) => status === channelStatus.autoDisabled);
  const oldest = resting.sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime()).slice(0, mostKeysTested);
  for (const key of AutomaticEnableChannelEnabled ? oldest : []) {
    if ((await probeChannel(context.egress, id, { keyId: key.id })).failure === undefined) await enableKey(context, id, key.id);
  }
  const first = keys.find(({ status }) => status === channelStatus.enabled);
  const isKeys = failure instanceof UpstreamError && isDisabling(failure, context.options.values);
  if (first === undefined || !isKeys) return first === undefined;
  if (AutomaticDisableChannelEnabled) await disableKey(context, id, { keyId: first.id, reason: failure.message });
  return true;
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
