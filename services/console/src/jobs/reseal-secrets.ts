import { z } from 'zod';
import { resealAll } from '../features/system/reseal.ts';
import { job } from './job.ts';

/** Seals with the newest master key what older ones sealed. */
export const resealSecrets = job({
  name: 'reseal-secrets',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  async handle({ redis, log }, _data, signal) {
    const { changed, unreadable } = await resealAll(redis, signal);
    log.info({ changed, unreadable }, 'stored secrets were sealed with the newest master key');
  },
});
