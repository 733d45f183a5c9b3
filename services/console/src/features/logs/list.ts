import { type Language, type ListLogsQuery, type LogFilters, type LogView, type Page, totalCap } from '@tollgate/contracts';
import { UsageLog, type UsageLogDoc } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { viewsOf } from '../../http/export.ts';
import { pageOf, sliceOf } from '../../http/page.ts';
import { type Filter, named, ownScope, rowFilter, type Scope, scopeOf, shown } from './filter.ts';
import { newestRows } from './newest.ts';
import { logView, ownLogView } from './views.ts';

export async function listLogs(query: ListLogsQuery, language: Language): Promise<Page<LogView>> {
  return list(query, await scopeOf(query), (row) => logView(row, language));
}

/** The caller's own rows; where a call was sent is the operator's business and left out. */
export async function listOwnLogs(query: ListLogsQuery, caller: Caller, language: Language): Promise<Page<LogView>> {
  return list(query, ownScope(caller), (row) => ownLogView(row, language));
}

/** All rows that the filters leave, the newest first, for an export. */
export async function logRows(filters: LogFilters, language: Language): Promise<AsyncGenerator<LogView>> {
  return all(filters, await scopeOf(filters), (row) => logView(row, language));
}

export async function ownLogRows(filters: LogFilters, caller: Caller, language: Language): Promise<AsyncGenerator<LogView>> {
  return all(filters, ownScope(caller), (row) => ownLogView(row, language));
}

async function all(filters: LogFilters, scope: Scope, view: (row: UsageLogDoc) => LogView): Promise<AsyncGenerator<LogView>> {
  const filter = await shown(rowFilter(await named(filters), scope));
  return viewsOf(UsageLog.find(filter).sort({ at: -1 }).lean().cursor({ batchSize: 500 }), (rows) => rows.map(view));
}

const timedOut = 50; // MongoDB's MaxTimeMSExpired

/** The longest a count may take: combined filters have no index of their own, and a page should not wait for its total. */
const countTimeoutMs = 40;

async function list(query: ListLogsQuery, scope: Scope, view: (row: UsageLogDoc) => LogView): Promise<Page<LogView>> {
  const filter = await shown(rowFilter(await named(query), scope));
  const slice = sliceOf(query);
  const { rows, more } = await newestRows(filter, slice);
  const isLast = !more && (rows.length > 0 || slice.skip === 0);
  const total = isLast ? slice.skip + rows.length : await count(filter, slice.skip + rows.length + (more ? 1 : 0));
  return pageOf(
    slice,
    rows.map((row) => view(row)),
    total,
  );
}

/** How many rows there are, at most the cap; `known` of them when counting takes too long, so that the next page can be asked for. */
async function count(filter: Filter, known: number): Promise<number> {
  try {
    return await UsageLog.countDocuments(filter, { limit: totalCap, maxTimeMS: countTimeoutMs });
  } catch (error) {
    if ((error as { code?: unknown }).code !== timedOut) throw error;
    return Math.min(known, totalCap);
  }
}
