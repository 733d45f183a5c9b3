import type { Language, ListLogsQuery, LogFilters, LogView, Page } from '@tollgate/contracts';
import { UsageLog, type UsageLogDoc } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { viewsOf } from '../../http/export.ts';
import { pageOf, shortCountMs, sliceOf, totalOf } from '../../http/page.ts';
import { named, ownScope, rowFilter, type Scope, scopeOf, shown } from './filter.ts';
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
  return viewsOf(UsageLog.find(filter).sort({ at: -1 }).lean().cursor({ batchSize: 100 }), (rows) => rows.map(view));
}

async function list(query: ListLogsQuery, scope: Scope, view: (row: UsageLogDoc) => LogView): Promise<Page<LogView>> {
  const filter = await shown(rowFilter(await named(query), scope));
  const slice = sliceOf(query);
  const found = await newestRows(filter, slice);
  const total = await totalOf(slice, found, {
    count: (limits) => UsageLog.countDocuments(filter, limits),
    maxTimeMS: shortCountMs,
  });
  return pageOf(
    slice,
    found.rows.map((row) => view(row)),
    total,
  );
}
