import { z } from 'zod';
import { probeChannels } from '../features/channels/probe-all.ts';
import { notifyRoots } from '../notices/notify.ts';
import { job } from './job.ts';

/** Tests every channel, and switches off and on as the options say; root is told of the end when somebody asked for it. */
export const probeAll = job({
  name: 'probe-all',
  data: z.strictObject({ byHand: z.boolean().default(false) }),
  alone: true,
  attempts: 3,
  everyMs: ({ frequencies }) => frequencies.channelTestsMs,
  async handle(context, { byHand }, signal) {
    const { tested, failed } = await probeChannels(context, signal);
    if (byHand) await notifyRoots(context, { code: 'channels_tested', values: { tested: String(tested), failed: String(failed) } });
  },
});
