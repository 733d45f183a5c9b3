import { isDuplicate, nameKeyOf, type Step, User } from '@tollgate/db';

const rowsAtOnce = 1000;

/**
 * Gives the accounts of releases that told names apart by more the key by which names are compared now. Of two that have the same, one gets
 * it; the other one stays what it is, and comes in by its name as it is written.
 */
export async function giveNameKeys({ from, note }: Step): Promise<void> {
  for (let last = Number(from ?? 0); ; ) {
    const accounts = await User.find({ id: { $gt: last } })
      .select('id username nameKey')
      .sort({ id: 1 })
      .limit(rowsAtOnce)
      .lean();
    const newest = accounts.at(-1);
    if (!newest) return;
    // A pod of the release before may rename one meanwhile.
    const writes = accounts
      .map(({ _id, username, nameKey = null }) => ({ filter: { _id, username, nameKey }, nameKey: nameKeyOf(username) }))
      .filter(({ filter, nameKey }) => filter.nameKey !== nameKey)
      .map(({ filter, nameKey }) => ({ updateOne: { filter, update: { $set: { nameKey } } } }));
    if (writes.length > 0)
      await User.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      });
    last = newest.id;
    await note(last);
  }
}
