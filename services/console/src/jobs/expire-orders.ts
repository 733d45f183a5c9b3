import { z } from 'zod';
import { expireOrders } from '../features/orders/expire.ts';
import { job } from './job.ts';

/** Says of orders that nobody has paid in time that they are over, and forgets those of long ago. */
export const expireUnpaidOrders = job({
  name: 'expire-orders',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 3_600_000,
  async handle({ wallet, log }, _data, signal) {
    const done = await expireOrders(await wallet.now(), signal);
    if (done.expired + done.deleted > 0) log.info(done, 'orders that nobody paid are over');
  },
});
