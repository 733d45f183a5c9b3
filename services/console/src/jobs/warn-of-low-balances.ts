import { z } from 'zod';
import { warnOfLowBalances } from '../notices/low-balances.ts';
import { job } from './job.ts';

export const warnLowBalances = job({
  name: 'warn-of-low-balances',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 15_000,
  handle: (context, _data, signal) => warnOfLowBalances(context, signal),
});
