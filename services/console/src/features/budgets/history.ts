import { type BudgetBucketView, type NearBudgetView, role } from '@tollgate/contracts';
import { Budget, rows, User } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs } from '../../http/page.ts';
import { percentOf, visibleBudget } from './service.ts';

const mostBuckets = 1_000;
const mostLiveBuckets = 100_000;
const mostNear = 100;
const usualNear = 80;

/** What a payer used of a budget, bucket by bucket. */
export async function budgetHistory(id: number, userId: number, caller: Caller): Promise<BudgetBucketView[]> {
  const budget = await visibleBudget(id, caller);
  const payer = caller.role >= role.admin && userId > 0 ? userId : budget.userId || caller.id;
  const buckets = await rows
    .budgetBuckets()
    .find({ budgetId: String(id), payer }, { maxTimeMS: listTimeoutMs })
    .sort({ until: -1 })
    .limit(mostBuckets)
    .toArray();
  return buckets.map(({ from, quota, requests, tokens }) => ({ from: Math.floor(from.getTime() / 1000), quota, requests, tokens }));
}

/** Who used at least so many percent of a budget, the most used first. */
export async function nearBudgets(percent: number): Promise<NearBudgetView[]> {
  const live = rows
    .budgetBuckets()
    .find({ until: { $gt: new Date() } }, { projection: { marks: 0 }, maxTimeMS: listTimeoutMs })
    .limit(mostLiveBuckets);
  const used = new Map<string, { quota: number; requests: number; tokens: number }>();
  for await (const { budgetId, payer, quota, requests, tokens } of live) {
    const key = `${budgetId}|${payer}`;
    const sum = used.get(key) ?? { quota: 0, requests: 0, tokens: 0 };
    used.set(key, { quota: sum.quota + quota, requests: sum.requests + requests, tokens: sum.tokens + tokens });
  }
  const budgets = new Map((await Budget.find().lean()).map((budget) => [String(budget.id), budget]));
  const found: Omit<NearBudgetView, 'username'>[] = [];
  for (const [key, sums] of used) {
    const [budgetId = '', payer] = key.split('|');
    const budget = budgets.get(budgetId);
    if (budget === undefined) continue;
    const { id, name, amount, unit } = budget;
    const share = percentOf(sums[unit], amount);
    if (share >= (percent || usualNear))
      found.push({ budget: id, name, user_id: Number(payer), used: sums[unit], amount, unit, percent: share });
  }
  const nearest = found.sort((a, b) => b.percent - a.percent).slice(0, mostNear);
  const users = await User.find({ id: { $in: nearest.map(({ user_id }) => user_id) } })
    .select('id username')
    .lean();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return nearest.map((each) => ({ ...each, username: names.get(each.user_id) ?? '' }));
}
