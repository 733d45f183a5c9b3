import { type BudgetMode, namedEntry } from '@tollgate/contracts';
import { Budget, type BudgetSubject } from '@tollgate/db';
import type { BudgetRule } from '@tollgate/wallet';

/** A budget of a caller: of their token, of themselves, or the one that each user of their group has. */
export interface CallerBudget extends BudgetRule {
  name: string;
  mode: BudgetMode;
  amount: number;
  /** Undefined: all models. */
  models: Readonly<Record<string, true>> | undefined;
}

/** The budgets that apply to a caller; undefined: none. */
export async function readBudgets(caller: {
  userId: number;
  /** The token, and the parent of a child token. */
  tokenIds: readonly number[];
  userGroup: string;
}): Promise<CallerBudget[] | undefined> {
  const { userId, tokenIds, userGroup } = caller;
  const subjects: { subject: BudgetSubject; subjectId: string }[] = [
    { subject: 'user', subjectId: String(userId) },
    { subject: 'group', subjectId: userGroup },
    ...tokenIds.map((id) => ({ subject: 'token' as const, subjectId: String(id) })),
  ];
  const found = await Budget.find({ $or: subjects }).sort({ id: 1 }).lean();
  if (found.length === 0) return undefined;
  return found.map(({ id, name, unit, amount, window, timeZone, models, mode }) => ({
    ...{ id: String(id), name, unit, amount, window, timeZone, mode },
    limit: mode === 'hard' ? amount : undefined,
    models: models.length === 0 ? undefined : Object.fromEntries(models.map((model) => [model, true as const])),
  }));
}

/** Those that count calls of a model. */
export function budgetsFor(budgets: readonly CallerBudget[], model: string): CallerBudget[] {
  return budgets.filter(({ models }) => models === undefined || namedEntry(models, model) === true);
}
