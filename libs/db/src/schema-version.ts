import mongoose from 'mongoose';

/**
 * The newest migration that this release knows, and the format of what it writes. Increase it with each migration added to the console's
 * list.
 */
export const schemaVersion = 4;

/** The one row of `schema`: the version of the database and the running migration. */
export interface SchemaRow {
  _id: 'schema';
  /** The last completed migration. */
  version: number;
  /** Releases below this version cannot use the database any more. */
  least: number;
  /** The process that migrates; null: none. */
  owner: string | null;
  /** A heartbeat: increases while a process migrates, and stops when it dies. */
  beat: number;
  /** The progress of the running migration, in its own format. */
  at: unknown;
  /** `npm run copy-data` began to fill this database and has not finished. */
  isUnfinishedCopy?: boolean;
}

export function schemaRows() {
  return mongoose.connection.collection<SchemaRow>('schema');
}

/**
 * Throws when a migration ended support for this release (an old pod must not start again), and when the database is an unfinished copy,
 * which lacks accounts and tokens.
 */
export async function refuseEndedRelease(known = schemaVersion): Promise<void> {
  const row = await schemaRows().findOne({ _id: 'schema' });
  if (row?.isUnfinishedCopy === true)
    throw new Error('This database is an unfinished copy. Continue with npm run copy-data -- --to <it> --again. Nothing was changed.');
  if (row === null || row.least <= known) return;
  throw new Error(
    `The database is at version ${row.version}, which needs a release that knows at least ${row.least}; this one knows ${known}. Start a newer release: nothing was changed.`,
  );
}
