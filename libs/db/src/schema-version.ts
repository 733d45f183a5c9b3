import mongoose from 'mongoose';

/** The newest migration that this release knows; what it writes has this shape. Raised with each one that is added to the console's list. */
export const schemaVersion = 4;

/** The one row of `schema`: how far the database is, and who is at work on it. */
export interface SchemaRow {
  _id: 'schema';
  /** The newest migration that is complete. */
  version: number;
  /** Releases that know less than this one cannot work with the database any more. */
  least: number;
  /** The process that migrates; null: nobody does. */
  owner: string | null;
  /** Grows while somebody is at work: one that stands still is dead. */
  beat: number;
  /** How far the running migration has come, in its own words. */
  at: unknown;
  /** `npm run copy-data` has begun to fill this database, and not ended. */
  isUnfinishedCopy?: boolean;
}

export function schemaRows() {
  return mongoose.connection.collection<SchemaRow>('schema');
}

/**
 * Throws when the database was changed so that this release would misread it (an old pod must not come back after that), and when it is
 * a copy that was broken off: accounts and tokens are missing from it.
 */
export async function refuseEndedRelease(known = schemaVersion): Promise<void> {
  const row = await schemaRows().findOne({ _id: 'schema' });
  if (row?.isUnfinishedCopy === true)
    throw new Error('This database is a copy that is not whole. Go on with npm run copy-data -- --to <it> --again: nothing was changed.');
  if (row === null || row.least <= known) return;
  throw new Error(
    `The database is at version ${row.version}, which needs a release that knows at least ${row.least}; this one knows ${known}. Start a newer release: nothing was changed.`,
  );
}
