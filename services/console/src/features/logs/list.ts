import { type Language, type ListLogsQuery, type LogFilters, type LogView, logType, type Page } from '@tollgate/contracts';
import { CallFailure, type CallFailureDoc, UsageLog, type UsageLogDoc } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { viewsOf } from '../../http/export.ts';
import { pageOf, type Slice, shortCountMs, sliceOf, type Total, totalOf } from '../../http/page.ts';
import { failureView, ownFailureView, withCountedId } from './failures.ts';
import { type Filter, failureFilter, named, ownScope, rowFilter, type Scope, scopeOf, shown } from './filter.ts';
import { type Dated, type LogCollection, newerFirst, newestRows } from './newest.ts';
import { logView, ownLogView } from './views.ts';

export async function listLogs(query: ListLogsQuery, language: Language): Promise<Page<LogView>> {
  return list(query, await sourcesOf(query, await scopeOf(query), language));
}

/** The caller's own rows; where a call was sent is the operator's business and left out. */
export async function listOwnLogs(query: ListLogsQuery, caller: Caller, language: Language): Promise<Page<LogView>> {
  return list(query, await sourcesOf(query, ownScope(caller), language));
}

/** All rows that the filters leave, the newest first, for an export. */
export async function logRows(filters: LogFilters, language: Language): Promise<AsyncGenerator<LogView>> {
  return all(await sourcesOf(filters, await scopeOf(filters), language));
}

export async function ownLogRows(filters: LogFilters, caller: Caller, language: Language): Promise<AsyncGenerator<LogView>> {
  return all(await sourcesOf(filters, ownScope(caller), language));
}

/** A collection with the rows that the filters leave of it. */
export interface LogSource {
  collection: LogCollection;
  filter: Filter;
  view(row: Dated): LogView;
}

/** The usage log, and the calls that failed, unless the type that is asked for is of one of them. */
async function sourcesOf(filters: LogFilters, scope: Scope, language: Language): Promise<LogSource[]> {
  const names = await named(filters);
  const { type } = filters;
  const sources: LogSource[] = [];
  if (type !== logType.error) sources.push(usageSource(await shown(rowFilter(names, scope)), scope, language));
  if (type <= 0 || type === logType.error) {
    sources.push(failureSource(await withCountedId(failureFilter(names, scope)), scope, language));
  }
  return sources;
}

export function usageSource(filter: Filter, scope: Scope, language: Language): LogSource {
  const view = 'isOwn' in scope ? ownLogView : logView;
  return { collection: UsageLog, filter, view: (row) => view(row as UsageLogDoc, language) };
}

export function failureSource(filter: Filter, scope: Scope, language: Language): LogSource {
  const view = 'isOwn' in scope ? ownFailureView : failureView;
  return { collection: CallFailure, filter, view: (row) => view(row as CallFailureDoc, language) };
}

async function list(query: ListLogsQuery, sources: LogSource[]): Promise<Page<LogView>> {
  const slice = sliceOf(query);
  const [only, other] = sources;
  if (only && !other) {
    const { rows, total } = await rowsOf(only, slice);
    return pageOf(slice, rows.map(only.view), total);
  }
  if (!only || !other) return pageOf(slice, [], { count: 0, isMore: false });
  const { skip, size } = slice;
  // The first pages are read from the top of both, which takes fewer queries than to find where they begin.
  const above = skip <= mostReadThrough ? skip : 0;
  const ofOther = above > 0 ? 0 : await newerThanPage(only, other, skip);
  const part = (before: number): Slice => ({ ...slice, skip: before, size: above + size });
  const [first, second] = await Promise.all([rowsOf(only, part(skip - above - ofOther)), rowsOf(other, part(ofOther))]);
  const views = new Map([...first.rows.map((row) => [row, only] as const), ...second.rows.map((row) => [row, other] as const)]);
  const rows = [...views.keys()].sort(newerFirst).slice(above, above + size);
  const total = { count: first.total.count + second.total.count, isMore: first.total.isMore || second.total.isMore };
  return pageOf(
    slice,
    rows.map((row) => views.get(row)?.view(row) as LogView),
    total,
  );
}

/** Rows above a page that are read with it. */
const mostReadThrough = 200;

/** How many rows of `other` are among the newest `skip` of both together: found by halving, so that deep pages read few rows. */
async function newerThanPage(only: LogSource, other: LogSource, skip: number): Promise<number> {
  const at = async ({ collection, filter }: LogSource, place: number) =>
    (await newestRows<Dated>(collection, filter, { skip: place, size: 1 })).rows[0];
  let [least, most] = [0, skip];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    const [one, another] = await Promise.all([at(only, skip - middle - 1), at(other, middle)]);
    // A place beyond the end of a list is older than every row.
    if (another !== undefined && (one === undefined || newerFirst(another, one) < 0)) least = middle + 1;
    else most = middle;
  }
  return least;
}

async function rowsOf({ collection, filter }: LogSource, slice: Slice): Promise<{ rows: Dated[]; total: Total }> {
  const found = await newestRows<Dated>(collection, filter, slice);
  const count = (limits: object): Promise<number> => (collection as typeof UsageLog).countDocuments(filter, limits);
  return { rows: found.rows, total: await totalOf(slice, found, { count, maxTimeMS: shortCountMs }) };
}

async function* all(sources: LogSource[]): AsyncGenerator<LogView> {
  const readers = sources.map(({ collection, filter, view }) =>
    viewsOf((collection as typeof UsageLog).find(filter).sort({ at: -1 }).lean().cursor({ batchSize: 100 }), (rows) =>
      rows.map((row) => view(row as Dated)),
    ),
  );
  try {
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      const next = newestOf(heads);
      if (next === undefined) return;
      yield heads[next]?.value as LogView;
      heads[next] = await (readers[next] as AsyncGenerator<LogView>).next();
    }
  } finally {
    for (const reader of readers) await reader.return(undefined);
  }
}

/** Which of several lists, each newest first, has the newest row; undefined: all are at their end. */
function newestOf(heads: IteratorResult<LogView>[]): number | undefined {
  let newest: { place: number; at: number } | undefined;
  for (const [place, head] of heads.entries()) {
    if (head.done) continue;
    const at = head.value.created_at;
    if (newest === undefined || at > newest.at) newest = { place, at };
  }
  return newest?.place;
}
