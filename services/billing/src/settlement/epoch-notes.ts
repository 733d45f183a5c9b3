import { SettlementEpoch } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';

const notedEveryMs = 60_000;

/**
 * Records the epochs of a topic as they appear: reconcile must know an epoch before its first row is written, and that it is in use
 * (again).
 */
export function epochNotes(topic: string, wallet: Pick<Wallet, 'time'>): (epoch: string) => Promise<void> {
  const noted = new Map<string, number>();
  return async (epoch) => {
    const now = wallet.time();
    if (now - (noted.get(epoch) ?? 0) < notedEveryMs) return;
    const at = new Date(now);
    await SettlementEpoch.updateOne(
      { _id: epoch },
      { $set: { topic, lastSeenAt: at, closedAt: null, forgottenAt: null }, $setOnInsert: { firstSeenAt: at } },
      { upsert: true },
    );
    noted.set(epoch, now);
  };
}
