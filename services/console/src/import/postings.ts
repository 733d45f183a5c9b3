import { type LogText, logType } from '@tollgate/contracts';
import { ImportRow } from '@tollgate/db';
import type { Place } from './places.ts';
import type { Posting } from './run.ts';

/** Notes which quota of the source has arrived here. */
export async function setPosted(all: readonly { place: Place; quota: number }[]): Promise<void> {
  if (all.length === 0) return;
  await ImportRow.bulkWrite(
    all.map(({ place, quota }) => ({ updateOne: { filter: { _id: place._id }, update: { $set: { quota }, $unset: { quotaAfter: 1 } } } })),
  );
}

/** Whose balance follows which account of the source. */
export interface Account {
  sourceId: string;
  /** At the source, never below 0. */
  quota: number;
  place: Place;
  username: string;
}

/**
 * Brings what was posted for an account to what the source says: by an opening entry the first time, by a correction later. Each posting is
 * noted before it is made, so that a run that was killed is finished by the same one. Returns what is refused: a correction downward
 * that the balance here does not cover any more.
 */
export async function followBalance(run: Posting, account: Account): Promise<number> {
  const { place, quota } = account;
  const before = place.quota;
  run.report.sums.earlier += before;
  if (!run.apply) {
    run.report.sums.balances += quota - before;
    return 0;
  }
  if (place.quotaAfter !== undefined && place.quotaAfter !== null) await post(run, account, place.quotaAfter);
  if (place.quota !== quota) {
    place.posting += 1;
    place.quotaAfter = quota;
    await ImportRow.updateOne({ _id: place._id }, { $set: { posting: place.posting, quotaAfter: quota } });
    await post(run, account, quota);
  }
  run.report.sums.balances += place.quota - before;
  run.report.sums.refused += quota - place.quota;
  return quota - place.quota;
}

async function post(run: Posting, { sourceId, place, username }: Account, quotaAfter: number): Promise<void> {
  const amount = quotaAfter - place.quota;
  const id = `import:${run.name}:user:${sourceId}:${place.posting}`;
  const text: LogText = { code: 'balance_imported', values: { source: run.name, quota: amount } };
  const log = { type: logType.system, username, text };
  const { state } = await run.wallet.post({ id, userId: place.id, amount, reason: 'import', log });
  if (state === 'applied') place.quota = quotaAfter;
  place.quotaAfter = null;
  await ImportRow.updateOne({ _id: place._id }, { $set: { quota: place.quota }, $unset: { quotaAfter: 1 } });
}
