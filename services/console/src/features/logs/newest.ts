import type { CallFailure, UsageLog } from '@tollgate/db';
import { listTimeoutMs, lookAhead } from '../../http/page.ts';
import type { Filter } from './filter.ts';

/** What rows of every log have: a moment and an id. */
export interface Dated {
  _id: string;
  at: Date;
}

/** A collection that is listed newest first. */
export type LogCollection = typeof UsageLog | typeof CallFailure;

interface Found<Row> {
  rows: Row[];
  /** How many older ones follow, up to `lookAhead`. */
  beyond: number;
}

/**
 * A page of the log, newest first, and by id within one millisecond, so that every server and every page sees the same order. The
 * indexes know the moment alone: ids in them would cost each call of everybody some microseconds and 200 bytes. So the page is found by the
 * moment, with its neighbours; only where its first or last moment goes on beyond it are the rows of its moments asked for by id, which
 * an index bounds to little more than the page.
 */
export async function newestRows<Row extends Dated>(
  collection: LogCollection,
  filter: Filter,
  { skip, size }: { skip: number; size: number },
): Promise<Found<Row>> {
  const before = skip > 0 ? 1 : 0;
  const found = await rowsOf<Row>(collection, filter)
    .sort({ at: -1 })
    .skip(skip - before)
    .limit(before + size + lookAhead)
    .maxTimeMS(listTimeoutMs)
    .lean();
  const rows = found.slice(before, before + size);
  const beyond = Math.max(0, found.length - before - size);
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return { rows, beyond };
  const isCut = (before > 0 && isSameMoment(found[0], newest)) || (beyond > 0 && isSameMoment(oldest, found[before + size]));
  return {
    rows: isCut
      ? await byMomentAndId<Row>(collection, filter, { newest: newest.at, oldest: oldest.at, skip, size })
      : rows.sort(newerFirst),
    beyond,
  };
}

/** The two models have no common type that may be called. */
function rowsOf<Row>(collection: LogCollection, filter: Filter) {
  return (collection as typeof UsageLog).find(filter) as unknown as Listing<Row>;
}

interface Listing<Row> {
  sort(order: Record<string, 1 | -1>): Listing<Row>;
  skip(count: number): Listing<Row>;
  limit(count: number): Listing<Row>;
  maxTimeMS(ms: number): Listing<Row>;
  lean(): Promise<Row[]>;
}

async function byMomentAndId<Row>(
  collection: LogCollection,
  filter: Filter,
  { newest, oldest, skip, size }: { newest: Date; oldest: Date; skip: number; size: number },
): Promise<Row[]> {
  const newer = { ...filter, at: { ...(filter.at as object | undefined), $gt: newest } };
  const above = skip === 0 ? 0 : await (collection as typeof UsageLog).countDocuments(newer, { limit: skip, maxTimeMS: listTimeoutMs });
  return rowsOf<Row>(collection, { ...filter, at: { $gte: oldest, $lte: newest } })
    .sort({ at: -1, _id: -1 })
    .skip(skip - above)
    .limit(size)
    .maxTimeMS(listTimeoutMs)
    .lean();
}

function isSameMoment(a: Dated | undefined, b: Dated | undefined): boolean {
  return a?.at.getTime() === b?.at.getTime();
}

/** The order of every list of rows. */
export function newerFirst(a: Dated, b: Dated): number {
  return b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1);
}
