import { type Bus, type Consumption, topics } from '@tollgate/bus';
import type { Logger } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { BillingMetrics } from '../metrics.ts';
import { epochNotes } from '../settlement/epoch-notes.ts';
import { refund } from './refund.ts';

export const refundGroup = 'billing.refunds';

interface ConsumerDependencies {
  bus: Bus;
  wallet: Wallet;
  logger: Logger;
  metrics: Pick<BillingMetrics, 'refunded'>;
  maxBatch?: number;
}

/** Refunds the charges of failed tasks. When a datastore is down the batch throws and the bus delivers it again. */
export function startRefunds({ bus, wallet, logger, metrics, maxBatch }: ConsumerDependencies): Promise<Consumption> {
  const noteEpoch = epochNotes(topics.taskFailed.name, wallet);
  return bus.consume({
    topic: topics.taskFailed,
    group: refundGroup,
    maxBatch,
    async handleBatch(batch, { reject }) {
      for (const epoch of new Set(batch.map(({ coordinates }) => coordinates.epoch))) await noteEpoch(epoch);
      const refunded = await refund(batch, { wallet, reject });
      metrics.refunded(refunded);
      if (refunded.refunded > 0) logger.info(refunded, 'failed tasks were refunded');
    },
  });
}
