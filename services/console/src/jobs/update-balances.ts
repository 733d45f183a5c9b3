import { z } from 'zod';
import { updateBalances } from '../features/channels/balance.ts';
import { job } from './job.ts';

/** Asks the providers of all enabled channels what their accounts have left. */
export const updateAllBalances = job({
  name: 'update-balances',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: ({ frequencies }) => frequencies.balancesMs,
  handle: async (context, _data, signal) => void (await updateBalances(context, signal)),
});
