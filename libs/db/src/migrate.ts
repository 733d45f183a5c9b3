import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDuplicate } from './duplicate-key.ts';
import { refuseEndedRelease, type SchemaRow, schemaRows } from './schema-version.ts';

/** The progress of a migration, from which another process resumes after a crash. */
export interface Step {
  /** The last noted progress; null at the beginning. */
  from: unknown;
  /** Stores the progress. Throws when another process has taken over: stop then. */
  note(at: unknown): Promise<void>;
}

/**
 * One change of the stored data. It may be resumed from its last note, and it runs while processes of the previous release still read and
 * write.
 */
export interface Migration {
  version: number;
  name: string;
  run(step: Step): Promise<void>;
  /** Removes data that older releases read: releases below this version are refused from then on. */
  endsReleasesBefore?: number;
}

interface MigrateOptions {
  logger: { info(facts: object, message: string): void };
  /**
   * How long a migrating process may be silent before another one takes over, measured by the waiting process, so that clocks may differ.
   */
  silentMs?: number;
  pollMs?: number;
}

/**
 * Runs the pending migrations in order, in one process at a time; the others wait until it is done. Throws what a migration throws, and
 * when the database is newer than this release.
 */
export async function migrate(
  migrations: readonly Migration[],
  { logger, silentMs = 30_000, pollMs = 250 }: MigrateOptions,
): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0;
  const owner = randomUUID();
  let seen = { beat: -1, since: performance.now() };
  for (;;) {
    await refuseEndedRelease(known);
    const row = await readRow();
    const next = migrations.find(({ version }) => version > row.version);
    if (!next) return;
    if (row.beat !== seen.beat) seen = { beat: row.beat, since: performance.now() };
    const isFree = row.owner === null || performance.now() - seen.since > silentMs;
    if (!isFree || !(await takeOver(row, owner))) {
      await delay(pollMs);
      continue;
    }
    logger.info({ version: next.version, name: next.name, from: row.at }, 'migrating the database');
    await runOne(next, { owner, from: row.at, silentMs });
    logger.info({ version: next.version, name: next.name }, 'database migrated');
  }
}

async function readRow(): Promise<SchemaRow> {
  const row = await schemaRows().findOne({ _id: 'schema' });
  if (row) return row;
  const first: SchemaRow = { _id: 'schema', version: 0, least: 0, owner: null, beat: 0, at: null };
  try {
    await schemaRows().insertOne(first);
  } catch (error) {
    if (!isDuplicate(error)) throw error; // another process was faster
  }
  return readRow();
}

/** Takes over the migration if the row is unchanged since it was read. */
async function takeOver({ version, beat }: SchemaRow, owner: string): Promise<boolean> {
  const { matchedCount } = await schemaRows().updateOne({ _id: 'schema', version, beat }, { $set: { owner }, $inc: { beat: 1 } });
  return matchedCount === 1;
}

async function runOne({ version, run, endsReleasesBefore = 0 }: Migration, { owner, from, silentMs }: Running): Promise<void> {
  const own = { _id: 'schema' as const, owner };
  const heartbeat = setInterval(
    () =>
      void schemaRows()
        .updateOne(own, { $inc: { beat: 1 } })
        .catch(() => undefined),
    silentMs / 5,
  ); // a missed beat is harmless
  try {
    await run({
      from,
      async note(at) {
        const { matchedCount } = await schemaRows().updateOne(own, { $set: { at }, $inc: { beat: 1 } });
        if (matchedCount === 0) throw new Error(`another process has taken over migration ${version}`);
      },
    });
    await schemaRows().updateOne(own, { $set: { version, owner: null, at: null }, $max: { least: endsReleasesBefore }, $inc: { beat: 1 } });
  } catch (error) {
    await schemaRows().updateOne(own, { $set: { owner: null }, $inc: { beat: 1 } });
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

interface Running {
  owner: string;
  from: unknown;
  silentMs: number;
}
