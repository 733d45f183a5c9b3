import { z } from 'zod';
import { probeChannels } from '../features/channels/probe-all.ts';
import { job } from './job.ts';

/** Tests every channel, and switches off and on as the options say. */
export const probeAll = job({
  name: 'probe-all',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: ({ frequencies }) => frequencies.channelTestsMs,
  handle: (context, _data, signal) => probeChannels(context, signal),
});
