import { rows } from '@tollgate/db';

const keptMs = 3_600_000;

/**
 * Forgets guards of ledger entries that are long decided. A guard is needed only while its entry is pending; no guard older than
 * the oldest pending entry may go.
 */
export async function pruneGuards(nowMs = Date.now()): Promise<void> {
  const oldest = await rows.ledger().findOne({ state: 'pending' }, { sort: { at: 1 }, projection: { at: 1 } });
  const before = new Date(Math.min(nowMs, oldest?.at.getTime() ?? nowMs) - keptMs);
  const old = { at: { $lt: before } };
  for (const collection of [rows.wallets(), rows.tokenWallets()] as ReturnType<typeof rows.wallets>[]) {
    await collection.updateMany({ 'applied.at': { $lt: before } }, { $pull: { applied: old } });
  }
}
