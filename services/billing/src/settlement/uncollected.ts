import { rows, type WalletRow } from '@tollgate/db';

/** Records on the log rows what the wallet could not pay, then removes it from the wallet. Repeatable. */
export async function copyUncollected(userId: number, shortfalls: WalletRow['shortfalls']): Promise<void> {
  const notes = shortfalls.map(({ id, uncollected }) => ({ updateOne: { filter: { _id: id }, update: { $set: { uncollected } } } }));
  await rows.usageLogs().bulkWrite(notes, { ordered: false });
  await rows.wallets().updateOne({ _id: userId }, { $pull: { shortfalls: { id: { $in: shortfalls.map(({ id }) => id) } } } });
}

/** Finishes what dead processes left. Returns the number of charges recorded. */
export async function copyAllUncollected(): Promise<number> {
  let finished = 0;
  for await (const wallet of rows.wallets().find({ 'shortfalls.0': { $exists: true } }, { projection: { shortfalls: 1 } })) {
    await copyUncollected(wallet._id, wallet.shortfalls);
    finished += wallet.shortfalls.length;
  }
  return finished;
}
