import { importLogChoices, type OptionKey } from '@tollgate/contracts';
import { isDuplicate } from '@tollgate/db';
import type { Egress } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { Passwords } from '../auth/passwords.ts';
import type { ImportKind, Report } from './report.ts';
import type { Product, Source } from './source.ts';

/** How logs come: not at all, as one row for each month, account and model, or each row by itself. */
export type LogChoice = (typeof importLogChoices)[number];

export function isLogChoice(text: string): text is LogChoice {
  return (importLogChoices as readonly string[]).includes(text);
}

/** One import under way. */
export interface Run {
  /** Under which what was imported is known, so that a second run changes nothing. */
  name: string;
  product: Product;
  source: Source;
  /** Else it is a dry run. */
  apply: boolean;
  logs: LogChoice;
  report: Report;
  wallet: Wallet;
  passwords: Passwords;
  egress: Egress;
  /** Of the first run: what the source does not date is dated so. */
  startedAt: Date;
  /** Ids of the source that are kept: those of the kind that are greater than `after`, up to `to`. */
  ranges: { kind: string; after: number; to: number }[];
  /** Accounts that are here, or will be, by their id at the source; 0 where a dry run cannot know the new one. */
  userIds: Map<number, number>;
  usernames: Map<number, string>;
  /** Tokens here and their owners, by their id at the source, as `userIds`. */
  tokens: Map<number, { id: number; userId: number }>;
  /** Secrets of authenticator apps, by account of the source; '' where one cannot be read. */
  secondSteps: ReadonlyMap<number, string>;
  /** Groups that have a price once the import is done. */
  groups: ReadonlySet<string>;
  /** What the channels serve that this run makes. */
  models: Set<string>;
  /** Options that the import sets. */
  options: Map<OptionKey, string>;
}

/** What postings and an undo need of a run. */
export type Posting = Pick<Run, 'name' | 'apply' | 'report' | 'wallet'>;

export function noteChange(
  { report }: Pick<Run, 'report'>,
  kind: ImportKind | 'model',
  change: { which: string | number; text: string },
): void {
  report.changed.push({ kind, which: String(change.which), text: change.text });
}

export function noteLeftOut(
  { report }: Pick<Run, 'report'>,
  kind: ImportKind | 'table',
  left: { which: string | number; text: string },
): void {
  report.leftOut.push({ kind, which: String(left.which), text: left.text });
}

/** The rows that can be read; the others are reported. */
export function readable<Row>(
  run: Run,
  kind: ImportKind,
  { rows, schema }: { rows: readonly Record<string, unknown>[]; schema: Parser<Row> },
): Row[] {
  return rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return [parsed.data as Row];
    const [issue] = parsed.error?.issues ?? [];
    noteLeftOut(run, kind, {
      which: String(row.ref || (row.id ?? row.key)),
      text: `cannot be read: ${issue?.path.join('.')} ${issue?.message}`,
    });
    return [];
  });
}

interface Parser<Row> {
  safeParse(row: unknown): { success: boolean; data?: Row; error?: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** The end of the year 9999: what is later is no date of anything. */
const latestSeconds = 253_402_300_799;

/** The time of a row in Unix seconds; what has none, or an impossible one, is dated by the first run. */
export function timeOf({ startedAt }: Run, seconds: number): Date {
  return seconds > 0 && seconds <= latestSeconds ? new Date(seconds * 1000) : startedAt;
}

interface Writing<Row> {
  /** Goes on with the others where a row is refused. */
  insert(rows: Row[]): Promise<unknown>;
  /** How many rows with these ids there are. */
  count(ids: number[]): Promise<number>;
}

/**
 * Inserts rows that a killed run may have inserted in part. Throws an Error where somebody else has taken what a row needs meanwhile (an id,
 * a name): the next run finds it taken and says so.
 */
export async function insertRows<Row extends { id: number }>(rows: Row[], { insert, count }: Writing<Row>): Promise<void> {
  if (rows.length === 0) return;
  try {
    const written = await insert(rows);
    // A row that does not fit its schema is passed over without an error.
    if (Array.isArray(written) && written.length < rows.length)
      throw new Error(
        `${rows.length - written.length} rows do not fit here. Nothing of them is written: report this as a fault of the import.`,
      );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const found = await count(rows.map(({ id }) => id));
    if (found < rows.length) throw new Error('An id or a name was taken meanwhile. Run the import again.', { cause: error });
  }
}
