import { rows } from '@tollgate/db';

const keptMs = 3_600_000;

/**
 * Deletes guards of ledger entries that were decided long ago. A guard is needed while its entry is pending, so all guards from one hour
 * before the oldest pending entry on stay.
 */
export async function pruneGuards(nowMs = Date.now()): Promise<void> {
  const oldest = await rows.ledger().findOne({ state: 'pending' }, { sort: { at: 1 }, projection: { at: 1 } });
  const before = new Date(Math.min(nowMs, oldest?.at.getTime() ?? nowMs) - keptMs);
  const old = { at: { $lt: before } };
  for (const collection of [rows.wallets(), rows.tokenWallets()] as ReturnType<typeof rows.wallets>[]) {
    await collection.updateMany({ 'applied.at': { $lt: before } }, { $pull: { applied: old } });
  }
}
