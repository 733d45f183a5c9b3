import {
  type CreateUserBody,
  type ListUsersQuery,
  type ManageUserBody,
  type Page,
  role,
  type UpdateUserBody,
  type UserView,
  userStatus,
} from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { type Said, undoable } from '../../http/answer.ts';
import { viewsOf } from '../../http/export.ts';
import { holds, listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { changeRow } from '../../row-change.ts';
import { keepUndo } from '../../undo/keep-undo.ts';
import { refuseUnknownGroups } from '../pricing/groups.ts';
import { nameFields, throwTaken } from './identities.ts';
import { openAccount } from './open-account.ts';
import { changeQuota, refuseUnfitQuota } from './quota.ts';
import { userViews } from './views.ts';

type Filter = Record<string, unknown>;

/** Users below the caller's rank and the caller; deleted ones too. The super administrator sees all. */
export async function listUsers(context: Context, query: ListUsersQuery, caller: Caller): Promise<Page<UserView>> {
  const filter = filterOf(query, caller);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal(
    slice,
    (limit) => User.find(filter).sort({ id: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => User.countDocuments(filter, limits),
  );
  return pageOf(slice, await shownViews(context, rows, caller), total);
}

/** All of them, for an export. */
export function userRows({ wallet }: Context, query: UserFilters, caller: Caller): AsyncGenerator<UserView> {
  return viewsOf(User.find(filterOf(query, caller)).sort({ id: -1 }).lean().cursor(), (users) => userViews(wallet, users));
}

type UserFilters = Pick<ListUsersQuery, 'keyword' | 'group'>;

function filterOf(query: UserFilters, caller: Caller): Filter {
  const conditions: Filter[] = [];
  if (caller.role < role.root) conditions.push({ $or: [{ role: { $lt: caller.role } }, { id: caller.id }] });
  if (query.group !== '') conditions.push({ group: query.group });
  if (query.keyword !== '') conditions.push({ $or: matching(query.keyword) });
  return conditions.length > 0 ? { $and: conditions } : {};
}

export async function getUser(context: Context, id: number, caller: Caller): Promise<UserView> {
  const user = await accountRow(id);
  if (user.id !== caller.id) refuseEqualOrHigher(user, caller);
  const [view] = await shownViews(context, [user], caller);
  return view as UserView;
}

/** Makes an ordinary account and gives it what new accounts get. */
export async function createUser(context: Context, body: CreateUserBody, actor: Caller): Promise<void> {
  if ((body.role ?? role.user) >= actor.role) throw new AppError('same_or_higher_rank');
  const passwordHash = await context.passwords.hash(body.password);
  const { id } = await openAccount(context, { username: body.username, displayName: body.display_name, passwordHash });
  await audit(actor, 'user.create', `user:${id}`, { after: { username: body.username } });
}

/** Changes what the body names and nothing else; quota goes through the ledger. */
export async function updateUser(context: Context, body: UpdateUserBody, actor: Caller): Promise<void> {
  const passwordHash = body.password ? await context.passwords.hash(body.password) : undefined;
  const {
    before: user,
    changed,
    after,
  } = await changeRow<AccountRow>(User, {
    read: async () => {
      const row = await accountRow(body.id);
      if (row.id !== actor.id || actor.role < role.root) refuseEqualOrHigher(row, actor);
      return row;
    },
    fields: async (row) => {
      if (body.group !== undefined) refuseUnknownGroups(context.options.values, [body.group], [row.group]);
      await refuseUnfitQuota(context, body);
      return {
        ...(body.username !== undefined && renamed(row, body.username)),
        ...(body.display_name !== undefined && { displayName: body.display_name }),
        ...(body.group !== undefined && { group: body.group }),
        ...(passwordHash !== undefined && newPassword(passwordHash)),
      };
    },
    editing: { seen: body.version, view: (row) => viewOf(context, row) },
  }).catch(throwTaken);
  if (changed.length > 0)
    await audit(actor, 'user.update', `user:${user.id}`, {
      before: shown(user, changed),
      after: { ...shown(after, changed), ...(body.password && { password: '(changed)' }) },
    });
  if (body.password) await context.sessions.endAll(user.id);
  await context.announce('user', user.id);
  if (body.quota !== undefined || body.add_quota !== undefined) await changeQuota(context, user, body, actor);
}

/** One of the five acts on another user; answers the status and role that it has afterwards. A deletion alone has no act that is its opposite. */
export async function manageUser(
  context: Context,
  { id, action }: ManageUserBody,
  actor: Caller,
): Promise<Said<Pick<UserView, 'role' | 'status'>>> {
  const changes = changesOf(action);
  const change = await changeRow<AccountRow>(User, {
    read: () => accountRow(id),
    fields: (row) => {
      if (row.role === role.root && action !== 'enable') throw new AppError('root_protected');
      refuseEqualOrHigher(row, actor);
      if (action === 'enable' && row.status !== userStatus.disabled && row.status !== userStatus.enabled)
        throw new AppError('user_not_enableable');
      if (action === 'promote' && actor.role < role.root) throw new AppError('only_root_promotes');
      if (action === 'promote' && row.role >= role.admin) throw new AppError('already_admin');
      if (action === 'demote' && row.role === role.user) throw new AppError('already_common_user');
      return changes;
    },
  });
  const user = change.before;
  if (action === 'disable' || action === 'delete') await context.sessions.endAll(id);
  await audit(actor, `user.${action}`, `user:${id}`, { before: { role: user.role, status: user.status }, after: changes });
  await context.announce('user', id);
  const undo = action === 'delete' ? await keepUndo(actor, { action: 'user.delete', kind: 'user', changed: [change] }) : undefined;
  return undoable({ role: changes.role ?? user.role, status: changes.status ?? user.status }, undo);
}

export type AccountRow = UserDoc & { _id: unknown };

/** An account that is not closed. */
export async function accountRow(id: number): Promise<AccountRow> {
  const user = await User.findOne({ id, deletedAt: null }).select('+passwordHash +accessTokenHash +formerProofs').lean();
  if (!user) throw new AppError('record_not_found');
  return user;
}

/** A name that stays as it is keeps its keys, or stays without them. */
export function renamed({ username }: AccountRow, name: string): Partial<AccountRow> {
  return name === username ? {} : nameFields(name);
}

/** Whoever knew the old password, or took an access token by it, is out. */
export function newPassword(passwordHash: string): Partial<AccountRow> {
  return { passwordHash, accessTokenHash: undefined, mustChangePassword: undefined };
}

/** Views of users for somebody who may edit them: their quota is remembered as what he was shown. */
async function shownViews({ wallet, shown }: Context, users: UserDoc[], caller: Caller): Promise<UserView[]> {
  const views = await userViews(wallet, users);
  await shown.note(
    caller,
    views.map(({ id, quota }) => ({ kind: 'user', id, quota })),
  );
  return views;
}

/** The user's view; the row must be there. */
export async function viewOf({ wallet }: Context, user: Parameters<typeof userViews>[1][number]): Promise<UserView> {
  const [view] = await userViews(wallet, [user]);
  if (!view) throw new AppError('record_not_found');
  return view;
}

/** Root may touch everyone; others only those below them. */
export function refuseEqualOrHigher(user: { role: number }, caller: Caller): void {
  if (caller.role < role.root && user.role >= caller.role) throw new AppError('same_or_higher_rank');
}

function changesOf(action: ManageUserBody['action']): { role?: number; status?: number; deletedAt?: Date } {
  switch (action) {
    case 'promote':
      return { role: role.admin };
    case 'demote':
      return { role: role.user };
    case 'disable':
      return { status: userStatus.disabled };
    case 'enable':
      return { status: userStatus.enabled };
    case 'delete':
      return { deletedAt: new Date() };
  }
}

function matching(keyword: string): Filter[] {
  const part = holds(keyword);
  const byText = [{ username: part }, { email: part }, { displayName: part }];
  return /^\d{1,15}$/.test(keyword) ? [{ id: Number(keyword) }, ...byText] : byText;
}

/** What the audit log may show of an account: the changed fields, no password. */
function shown(account: AccountRow, changed: (keyof AccountRow & string)[]): Record<string, unknown> {
  const {
    passwordHash: _,
    accessTokenHash: __,
    nameKey: ___,
    ...fields
  } = Object.fromEntries(changed.map((name) => [name, account[name]]));
  return fields;
}
