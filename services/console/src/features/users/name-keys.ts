import { isDuplicate, type Step, User } from '@tollgate/db';
import { nameFields } from './identities.ts';

const rowsAtOnce = 1000;

/**
 * Gives the accounts of releases that told names apart by more the keys by which names are compared now. Of two that have the same, one gets
 * it; the other one stays what it is, and signs in with its name as it is written.
 */
export async function giveNameKeys({ from, note }: Step): Promise<void> {
  for (let last = Number(from ?? 0); ; ) {
    const accounts = await User.find({ id: { $gt: last } })
      .select('id username nameKey nameSkeleton')
      .sort({ id: 1 })
      .limit(rowsAtOnce)
      .lean();
    const newest = accounts.at(-1);
    if (!newest) return;
    // A pod of the release before may rename one meanwhile.
    const writes = (['nameKey', 'nameSkeleton'] as const).flatMap((field) =>
      accounts
        .map(({ _id, username, [field]: known = null }) => ({
          filter: { _id, username, [field]: known },
          key: nameFields(username)[field],
        }))
        .filter(({ filter, key }) => filter[field] !== key)
        .map(({ filter, key }) => ({ updateOne: { filter, update: { $set: { [field]: key } } } })),
    );
    if (writes.length > 0)
      await User.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
      });
    last = newest.id;
    await note(last);
  }
}
