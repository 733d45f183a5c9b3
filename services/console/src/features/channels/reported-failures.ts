import { z } from 'zod';
import type { Context } from '../../context.ts';
import { disableChannel, isDisabling } from './automatic-status.ts';

const listKey = 'channel:failures';
const mostAtOnce = 100;

const failure = z.object({
  channelId: z.int(),
  kind: z.string(),
  code: z.union([z.string(), z.number()]).nullable(),
  type: z.string(),
  message: z.string(),
});

/**
 * Looks through what the relays say went wrong with channels, and takes those out of service that need a person. Each report is
 * taken by one console only. Returns how many channels were switched off.
 */
export async function reviewFailures(context: Context): Promise<number> {
  const reports = (await context.redis.rpop(listKey, mostAtOnce)) ?? [];
  if (!context.options.values.AutomaticDisableChannelEnabled) return 0;
  let switchedOff = 0;
  for (const report of reports) {
    const parsed = failure.safeParse(JSON.parse(report));
    if (!parsed.success || !isDisabling(parsed.data as Parameters<typeof isDisabling>[0], context.options.values)) continue;
    if (await disableChannel(context, parsed.data.channelId, parsed.data.message)) switchedOff += 1;
  }
  return switchedOff;
}
