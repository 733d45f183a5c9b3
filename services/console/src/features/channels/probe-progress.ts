import type { ChannelTestsView } from '@tollgate/contracts';
import type { Context } from '../../context.ts';

/** A hash: how far the test of all channels has come that runs, or ran last. */
const progressKey = 'channel-tests:progress';

interface Progress {
  total: number;
  tested: number;
  failed: number;
}

/** Notes how far a test of all channels has come, for whoever looks, on whichever console. */
export function progressOf({ redis, wallet }: Pick<Context, 'redis' | 'wallet'>) {
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
