import {
  type BudgetView,
  type CreateBudgetBody,
  type ListBudgetsQuery,
  mostBudgets,
  neverMs,
  type Page,
  role,
  type UpdateBudgetBody,
} from '@tollgate/contracts';
import { Budget, type BudgetDoc, nextId, Token, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { windowEnd } from '@tollgate/wallet';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { viewsOf } from '../../http/export.ts';
import { listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';

type BudgetContext = Pick<Context, 'wallet' | 'announce'>;
type Filters = Pick<ListBudgetsQuery, 'subject' | 'subject_id' | 'near'>;

/** Those that apply to calls of the caller: of their tokens, of their account and of their group. */
export function listOwnBudgets(context: BudgetContext, query: ListBudgetsQuery, caller: Caller): Promise<Page<BudgetView>> {
  return pageOfBudgets(context, query, { caller, scope: scopeOf(caller) });
}

export function listBudgets(context: BudgetContext, query: ListBudgetsQuery, caller: Caller): Promise<Page<BudgetView>> {
  return pageOfBudgets(context, query, { caller, scope: {} });
}

/** The caller's own, for an export; all of them for an administrator. */
export function budgetRows({ wallet }: BudgetContext, filters: Filters, caller: Caller): AsyncGenerator<BudgetView> {
  const scope = caller.role >= role.admin ? {} : scopeOf(caller);
  const found = Budget.find(filterOf(filters, scope)).sort({ id: -1 }).lean().cursor();
  return viewsOf(found, async (rows) => near(await viewsFor(wallet, rows, caller), filters));
}

function scopeOf({ id, group }: Caller): Record<string, unknown> {
  return { $or: [{ userId: id }, { subject: 'group', subjectId: group }] };
}

function filterOf({ subject, subject_id }: Filters, scope: Record<string, unknown>): Record<string, unknown> {
  return { ...scope, ...(subject !== '' && { subject }), ...(subject_id !== '' && { subjectId: subject_id }) };
}

async function pageOfBudgets(
  { wallet }: BudgetContext,
  query: ListBudgetsQuery,
  { caller, scope }: { caller: Caller; scope: Record<string, unknown> },
): Promise<Page<BudgetView>> {
  const filter = filterOf(query, scope);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal(
    slice,
    (limit) => Budget.find(filter).sort({ id: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Budget.countDocuments(filter, limits),
  );
  return pageOf(slice, near(await viewsFor(wallet, rows, caller), query), total);
}

function near(views: BudgetView[], { near: percent }: Filters): BudgetView[] {
  return percent > 0 ? views.filter((view) => view.percent >= percent) : views;
}

export async function getBudget(context: BudgetContext, id: number, caller: Caller): Promise<BudgetView> {
  return viewOf(context, await visibleBudget(id, caller), caller);
}

/** A budget that applies to the caller, or any for an administrator. */
export async function visibleBudget(id: number, caller: Caller): Promise<BudgetDoc> {
  const budget = await Budget.findOne({ id, ...(caller.role < role.admin && scopeOf(caller)) }).lean();
  if (!budget) throw new AppError('record_not_found');
  return budget;
}

/** Creates a budget that counts from now on. */
export async function createBudget(context: BudgetContext, body: CreateBudgetBody, caller: Caller): Promise<BudgetView> {
  const { name, amount, mode, models, unit, window, time_zone: timeZone, subject } = body;
  const owner = await ownerOf(body, caller);
  if ((await Budget.countDocuments({ subject, subjectId: owner.subjectId })) >= mostBudgets)
    throw new AppError('invalid_parameter', { reason: `there may be ${mostBudgets} budgets of one ${subject}` });
  const byAdmin = caller.role >= role.admin && owner.userId !== caller.id;
  const id = await nextId('budgets');
  const fields = { name, amount, mode, models, unit, window, timeZone, subject, ...owner, byAdmin, createdAt: new Date() };
  const budget = (await Budget.create({ id, ...fields })).toObject();
  await noteChange(context, caller, { action: 'budget.create', budget, after: shown(budget) });
  return viewOf(context, budget, caller);
}

export async function updateBudget(context: BudgetContext, { id, ...changes }: UpdateBudgetBody, caller: Caller): Promise<BudgetView> {
  const before = await changeableBudget(id, caller);
  const budget = await Budget.findOneAndUpdate({ id }, { $set: changes }, { returnDocument: 'after' }).lean();
  if (!budget) throw new AppError('record_not_found');
  await noteChange(context, caller, { action: 'budget.update', budget, before: shown(before), after: shown(budget) });
  return viewOf(context, budget, caller);
}

export async function deleteBudget(context: BudgetContext, id: number, caller: Caller): Promise<void> {
  const budget = await changeableBudget(id, caller);
  await Budget.deleteOne({ id });
  await noteChange(context, caller, { action: 'budget.delete', budget, before: shown(budget) });
}

/** Whose budget it will be. Users create them for themselves and their tokens, administrators also for others of lower rank and groups. */
async function ownerOf({ subject, subject_id }: CreateBudgetBody, caller: Caller): Promise<{ subjectId: string; userId: number }> {
  if (subject === 'group') {
    if (caller.role < role.admin) throw new AppError('budget_by_administrator');
    if (subject_id === '') throw new AppError('invalid_parameter', { reason: 'subject_id names no group' });
    return { subjectId: subject_id, userId: 0 };
  }
  const id = subject_id === '' && subject === 'user' ? caller.id : Number(subject_id);
  const token = subject === 'token' ? await Token.findOne({ id, deletedAt: null }).select('userId').lean() : undefined;
  const userId = subject === 'token' ? token?.userId : id;
  if (userId !== caller.id) await assertManages(caller, userId);
  return { subjectId: String(id), userId: userId as number };
}

async function assertManages(caller: Caller, userId: number | undefined): Promise<void> {
  const user =
    caller.role < role.admin
      ? null
      : await User.findOne({ id: userId ?? 0, deletedAt: null })
          .select('role')
          .lean();
  if (!user) throw new AppError('record_not_found');
  if (caller.role < role.root && (user.role ?? role.user) >= caller.role) throw new AppError('same_or_higher_rank');
}

async function changeableBudget(id: number, caller: Caller): Promise<BudgetDoc> {
  const budget = await visibleBudget(id, caller);
  if ((budget.subject === 'group' || budget.byAdmin) && caller.role < role.admin) throw new AppError('budget_by_administrator');
  if (budget.subject !== 'group' && budget.userId !== caller.id) await assertManages(caller, budget.userId);
  return budget;
}

interface BudgetChange {
  action: string;
  budget: BudgetDoc;
  before?: object;
  after?: object;
}

async function noteChange({ announce }: BudgetContext, caller: Caller, { action, budget, ...change }: BudgetChange): Promise<void> {
  const { subject, subjectId, id } = budget;
  if (subject === 'token') await announce('token', subjectId);
  else await announce('user', subject === 'user' ? subjectId : 0);
  if (caller.role >= role.admin) await audit(caller, action, `budget:${id}`, change);
}

function shown({ name, amount, mode, models, unit, window, timeZone, subject, subjectId }: BudgetDoc): object {
  return { name, amount, mode, models, unit, window, timeZone, subject, subjectId };
}

async function viewOf({ wallet }: BudgetContext, budget: BudgetDoc, caller: Caller): Promise<BudgetView> {
  const [view] = await viewsFor(wallet, [budget], caller);
  return view as BudgetView;
}

async function viewsFor(wallet: Context['wallet'], budgets: readonly BudgetDoc[], caller: Caller): Promise<BudgetView[]> {
  const nowMs = wallet.time();
  const usages = await wallet.budgetUsages(
    budgets.map(({ id, unit, userId }) => ({ payer: userId || caller.id, rule: { id: String(id), unit } })),
  );
  return budgets.map((budget, i) => {
    const { spent = 0, held = 0 } = usages[i] ?? {};
    const reset = windowEnd(budget.window, budget.timeZone, nowMs);
    return {
      ...{ id: budget.id, name: budget.name, subject: budget.subject, subject_id: budget.subjectId, user_id: budget.userId },
      ...{ unit: budget.unit, amount: budget.amount, window: budget.window, time_zone: budget.timeZone, models: budget.models },
      ...{ mode: budget.mode, by_admin: budget.byAdmin, created_time: Math.floor(budget.createdAt.getTime() / 1000) },
      ...{ used: spent, held, percent: percentOf(spent, budget.amount) },
      reset_time: reset >= neverMs ? -1 : Math.floor(reset / 1000),
    };
  });
}

/** With one decimal; a budget of nothing is used up. */
export function percentOf(used: number, amount: number): number {
  return amount === 0 ? 100 : Math.round((used / amount) * 1000) / 10;
}
