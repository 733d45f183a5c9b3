import {
  type ApiKeyLogsQuery,
  type Language,
  type LogView,
  type Page,
  type SearchLogsQuery,
  tokenStatus,
  userStatus,
} from '@tollgate/contracts';
import { Token, type UsageLogDoc, User } from '@tollgate/db';
import { addressRule } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { exactly, pageOf } from '../../http/page.ts';
import { keyHashOf } from '../tokens/service.ts';
import { type Filter, shown } from './filter.ts';
import { newerFirst, newestRows } from './newest.ts';
import { logView, ownLogView } from './views.ts';

/** So many rows are answered, the newest; who wants more asks for a list with filters. */
const newest = 100;

/** The newest rows of all users that a keyword finds: a type as a number, a request id, or the whole name of a model, token or user. */
export async function searchLogs({ keyword }: SearchLogsQuery, language: Language): Promise<Page<LogView>> {
  const user = keyword === '' ? null : await User.findOne({ username: keyword }).select('id').lean();
  const rows = await newestOf(matching(keyword, user ? [{ userId: user.id }] : []));
  return pageWith(rows.map((row) => logView(row, language)));
}

/** The same among the caller's own rows. */
export async function searchOwnLogs({ keyword }: SearchLogsQuery, caller: Caller, language: Language): Promise<Page<LogView>> {
  const filters = matching(keyword, []).map((filter) => ({ userId: caller.id, ...filter }));
  return pageWith((await newestOf(filters)).map((row) => ownLogView(row, language)));
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
  const rows = await newestOf([{ userId: token.userId, tokenId: token.id }]);
  return pageWith(rows.map((row) => ownLogView(row, language)));
}

/** One filter for each thing that a keyword can be: each has an index, all of them together have none. */
function matching(keyword: string, others: Filter[]): Filter[] {
  if (keyword === '') return [{}];
  if (/^[1-4]$/.test(keyword)) return [{ type: Number(keyword) }];
  return [{ _id: keyword }, { model: keyword }, { tokenName: keyword }, ...others];
}

async function newestOf(filters: Filter[]): Promise<UsageLogDoc[]> {
  const found = await Promise.all(filters.map(async (filter) => (await newestRows(await shown(filter), { skip: 0, size: newest })).rows));
  const each = new Map(found.flat().map((row) => [row._id, row]));
  return [...each.values()].sort(newerFirst).slice(0, newest);
}

function pageWith(items: LogView[]): Page<LogView> {
  return pageOf({ page: 1, size: newest, skip: 0 }, items, exactly(items.length));
}
