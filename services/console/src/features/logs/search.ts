import {
  type ApiKeyLogsQuery,
  type Language,
  type LogView,
  logType,
  type Page,
  type SearchLogsQuery,
  tokenStatus,
  userStatus,
} from '@tollgate/contracts';
import { Token, User } from '@tollgate/db';
import { addressRule } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { exactly, pageOf } from '../../http/page.ts';
import { keyHashOf } from '../tokens/service.ts';
import { withCountedId } from './failures.ts';
import { type Filter, ownScope, type Scope, shown } from './filter.ts';
import { failureSource, usageSource } from './list.ts';
import { type Dated, newerFirst, newestRows } from './newest.ts';

/** So many rows are answered, the newest; who wants more asks for a list with filters. */
const newest = 100;

/** The newest rows of all users that a keyword finds: a type as a number, a request id, or the whole name of a model, token or user. */
export async function searchLogs({ keyword }: SearchLogsQuery, language: Language): Promise<Page<LogView>> {
  const user = keyword === '' ? null : await User.findOne({ username: keyword }).select('id').lean();
  return newestOf(matching(keyword, user ? [{ userId: user.id }] : []), { everybody: true }, language);
}

/** The same among the caller's own rows. */
export async function searchOwnLogs({ keyword }: SearchLogsQuery, caller: Caller, language: Language): Promise<Page<LogView>> {
  const filters = matching(keyword, []).map((filter) => ({ userId: caller.id, ...filter }));
  return newestOf(filters, ownScope(caller), language);
}

/** The newest rows of one token, for whoever has its key; none of a key that may not be used, or not from this address. */
export async function listLogsOfKey(
  given: ApiKeyLogsQuery & { header: string | undefined; address: string },
  nowMs: number,
  language: Language,
): Promise<Page<LogView>> {
  const key = (given.key || (given.header ?? '').replace(/^Bearer\s+/i, '')).trim().replace(/^sk-/, '');
  const token = await Token.findOne({ keyHash: keyHashOf(key), deletedAt: null }).lean();
  if (token?.status !== tokenStatus.enabled || (token.expiresAt && token.expiresAt.getTime() <= nowMs)) return pageWith([]);
  if (addressRule(token.allowIps, token.denyIps)?.has(given.address) === false) return pageWith([]);
  const owner = await User.exists({ id: token.userId, status: userStatus.enabled, deletedAt: null });
  if (!owner) return pageWith([]);
  return newestOf([{ userId: token.userId, tokenId: token.id }], { userId: token.userId, isOwn: true }, language);
}

/** One filter for each thing that a keyword can be: each has an index, all of them together have none. */
function matching(keyword: string, others: Filter[]): Filter[] {
  if (keyword === '') return [{}];
  if (/^[1-5]$/.test(keyword)) return [{ type: Number(keyword) }];
  return [{ _id: keyword }, { model: keyword }, { tokenName: keyword }, ...others];
}

async function newestOf(filters: Filter[], scope: Scope, language: Language): Promise<Page<LogView>> {
  const sources = await Promise.all(
    filters.flatMap(({ type, ...filter }) => [
      ...(type === logType.error
        ? []
        : [shown({ ...filter, ...(type !== undefined && { type }) }).then((each) => usageSource(each, scope, language))]),
      ...(type === undefined || type === logType.error ? [withCountedId(filter).then((each) => failureSource(each, scope, language))] : []),
    ]),
  );
  const found = await Promise.all(
    sources.map(async ({ collection, filter, view }) =>
      (await newestRows<Dated>(collection, filter, { skip: 0, size: newest })).rows.map((row) => ({ row, view })),
    ),
  );
  const each = new Map(found.flat().map((one) => [`${one.row._id} ${'code' in one.row}`, one]));
  const items = [...each.values()].sort((a, b) => newerFirst(a.row, b.row)).slice(0, newest);
  return pageWith(items.map(({ row, view }) => view(row)));
}

function pageWith(items: LogView[]): Page<LogView> {
  return pageOf({ page: 1, size: newest, skip: 0 }, items, exactly(items.length));
}
