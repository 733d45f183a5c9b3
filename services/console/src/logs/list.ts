import { type ListLogsQuery, type LogView, type Page, totalCap } from '@tollgate/contracts';
import { UsageLog } from '@tollgate/db';
import type { Caller } from '../auth/caller.ts';
import { listTimeoutMs, pageOf, sliceOf } from '../http/page.ts';
import { named, ownScope, rowFilter, type Scope, scopeOf, shown } from './filter.ts';
import { logView, ownLogView } from './views.ts';

export async function listLogs(query: ListLogsQuery): Promise<Page<LogView>> {
  return list(query, await scopeOf(query), logView);
}

/** The caller's own rows; where a call was sent is the operator's business and left out. */
export async function listOwnLogs(query: ListLogsQuery, caller: Caller): Promise<Page<LogView>> {
  return list(query, ownScope(caller), ownLogView);
}

async function list(query: ListLogsQuery, scope: Scope, view: typeof logView): Promise<Page<LogView>> {
  const filter = await shown(rowFilter(await named(query), scope));
  const slice = sliceOf(query);
  const [rows, total] = await Promise.all([
    UsageLog.find(filter).sort({ at: -1 }).skip(slice.skip).limit(slice.size).maxTimeMS(listTimeoutMs).lean(),
    UsageLog.countDocuments(filter, { limit: totalCap, maxTimeMS: listTimeoutMs }),
  ]);
  return pageOf(slice, rows.map(view), total);
}
