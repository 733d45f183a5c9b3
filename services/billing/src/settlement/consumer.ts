import { type Bus, type Consumption, topics } from '@tollgate/bus';
import type { Logger } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { BillingMetrics } from '../metrics.ts';
import { epochNotes } from './epoch-notes.ts';
import type { NoteBalances } from './note-balances.ts';
import { settle } from './settle.ts';
import { eventValidator } from './validate-events.ts';

export const settlementGroup = 'billing.settlement';

export interface ConsumerDependencies {
  bus: Bus;
  wallet: Wallet;
  logger: Logger;
  metrics: BillingMetrics;
  logsShown(): boolean;
  noteBalances?: NoteBalances;
  maxBatch?: number;
}

/** Charges usage as it arrives. When a datastore is down the batch throws, and the bus pauses and delivers it again. */
export function startSettlement({
  bus,
  wallet,
  logger,
  metrics,
  logsShown,
  noteBalances,
  maxBatch = 1_000,
}: ConsumerDependencies): Promise<Consumption> {
  const noteEpoch = epochNotes(topics.usageRecorded.name, wallet);
  const validate = eventValidator(wallet);

  return bus.consume({
    topic: topics.usageRecorded,
    group: settlementGroup,
    maxBatch,
    async handleBatch(delivered, { reject }) {
      const rejections = await validate(delivered, wallet.time());
      for (const [delivery, reason] of rejections) reject(delivery, reason);
      const batch = delivered.filter((delivery) => !rejections.has(delivery));
      const [first] = batch;
      if (!first) return;
      for (const epoch of new Set(batch.map(({ coordinates }) => coordinates.epoch))) await noteEpoch(epoch);
      const settled = await settle(batch, {
        wallet,
        logsShown: logsShown(),
        noteBalances,
        onUnknownUser: (userId) => logger.warn({ userId }, 'usage of a user without a wallet: created an empty one'),
      });
      metrics.settled(settled, wallet.time() - first.value.at - first.value.durationMs);
      if (settled.duplicates > 0) logger.info({ duplicates: settled.duplicates }, 'events published twice were dropped');
    },
    /** Otherwise the sweep would publish the event again and create another dead letter each time. */
    async onDead({ raw }) {
      const hold = holdNamedIn(raw);
      if (hold) await wallet.quarantine(hold);
    },
  });
}

/** The hold of an unreadable or invalid event, if the text names it. */
function holdNamedIn(text: string): { userId: number; requestId: string } | undefined {
  try {
    const { userId, id } = JSON.parse(text) as { userId?: unknown; id?: unknown };
    return Number.isSafeInteger(userId) && typeof id === 'string' ? { userId: userId as number, requestId: id } : undefined;
  } catch {
    return undefined; // not parseable
  }
}
