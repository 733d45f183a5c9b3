import { UsageLog, type UsageLogDoc } from '@tollgate/db';
import { listTimeoutMs, lookAhead } from '../../http/page.ts';
import type { Filter } from './filter.ts';

interface Found {
  rows: UsageLogDoc[];
  /** How many older ones follow, up to `lookAhead`. */
  beyond: number;
}

/**
 * A page of the log, newest first, and by id within one millisecond, so that every server and every page sees the same order. The
 * indexes know the moment alone: ids in them would cost each call of everybody some microseconds and 200 bytes. So the page is found by the
 * moment, with its neighbours; only where its first or last moment goes on beyond it are the rows of its moments asked for by id, which
 * an index bounds to little more than the page.
 */
export async function newestRows(filter: Filter, { skip, size }: { skip: number; size: number }): Promise<Found> {
  const before = skip > 0 ? 1 : 0;
  const found = await UsageLog.find(filter)
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
    rows: isCut ? await byMomentAndId(filter, { newest: newest.at, oldest: oldest.at, skip, size }) : rows.sort(newerFirst),
    beyond,
  };
}

async function byMomentAndId(
  filter: Filter,
  { newest, oldest, skip, size }: { newest: Date; oldest: Date; skip: number; size: number },
): Promise<UsageLogDoc[]> {
  const newer = { ...filter, at: { ...(filter.at as object | undefined), $gt: newest } };
  const above = skip === 0 ? 0 : await UsageLog.countDocuments(newer, { limit: skip, maxTimeMS: listTimeoutMs });
  return UsageLog.find({ ...filter, at: { $gte: oldest, $lte: newest } })
    .sort({ at: -1, _id: -1 })
    .skip(skip - above)
    .limit(size)
    .maxTimeMS(listTimeoutMs)
    .lean();
}

function isSameMoment(a: UsageLogDoc | undefined, b: UsageLogDoc | undefined): boolean {
  return a?.at.getTime() === b?.at.getTime();
}

/** The order of every list of rows. */
export function newerFirst(a: UsageLogDoc, b: UsageLogDoc): number {
  return b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1);
}
