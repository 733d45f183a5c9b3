import { listedParts } from '@tollgate/db';
import { z } from 'zod';
import { writeLists } from '../features/logs/usage-dearest.ts';
import { job } from './job.ts';

const month = 31 * 86_400;

/** Writes down what cost the most on the days that are over, so that nobody who looks at a month waits for their sums. */
export const listDearest = job({
  name: 'list-dearest',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 3_600_000,
  async handle({ wallet, log }, _data, signal) {
    const now = Math.floor((await wallet.now()) / 1000);
    for (const by of listedParts) {
      const days = await writeLists(by, { start: now - month, end: now }, { now, signal });
      if (days > 0) log.info({ by, days }, 'the dearest of days that are over are written down');
    }
  },
});
