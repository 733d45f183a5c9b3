import { chargedBudgetsKey, neverMs } from '@tollgate/contracts';
import { Budget, type BudgetDoc, User } from '@tollgate/db';
import { windowEnd } from '@tollgate/wallet';
import type { Context } from '../context.ts';
import { percentOf } from '../features/budgets/service.ts';
import { moneyText } from './low-balances.ts';
import { notify } from './notify.ts';

const takenKey = `${chargedBudgetsKey}:taken`;
const thresholds = [100, 80, 50] as const;
const longestSilenceMs = 400 * 86_400_000;

/**
 * Sends a notice when a payer has used 50, 80 or 100 percent of a budget: each at most once in a window, and only the highest that is
 * reached. Safe to repeat: what a process that died had taken is looked at first.
 */
export async function warnOfBudgets(context: Context, signal: AbortSignal): Promise<void> {
  const { redis, wallet } = context;
  await redis.renamenx(chargedBudgetsKey, takenKey).catch((error: Error) => {
    if (!error.message.includes('no such key')) throw error;
  });
  const noted = (await redis.smembers(takenKey)).map((text) => text.split('|') as [id: string, payer: string]);
  const ids = [...new Set(noted.map(([id]) => Number(id)).filter(Number.isInteger))];
  const found = await Budget.find({ id: { $in: ids }, mode: { $ne: 'observe' } }).lean();
  const budgets = new Map(found.map((budget) => [String(budget.id), budget]));
  for (const [id, payer] of noted) {
    signal.throwIfAborted();
    const budget = budgets.get(id);
    if (budget === undefined) continue;
    const [usage] = await wallet.budgetUsages([{ payer: Number(payer), rule: { id, unit: budget.unit } }]);
    await warn(context, { budget, payer: Number(payer), used: usage?.spent ?? 0 });
  }
  await redis.del(takenKey);
}

async function warn(context: Context, { budget, payer, used }: { budget: BudgetDoc; payer: number; used: number }): Promise<void> {
  const percent = percentOf(used, budget.amount);
  const reached = thresholds.filter((threshold) => percent >= threshold);
  const [highest] = reached;
  if (highest === undefined) return;
  const { redis, wallet } = context;
  const nowMs = wallet.time();
  const end = windowEnd(budget.window, budget.timeZone, nowMs);
  const silenceMs = end >= neverMs ? longestSilenceMs : Math.max(1, end - nowMs);
  const firsts = [];
  for (const threshold of reached) {
    const key = `warned:budget:${budget.id}:${payer}:${budget.amount}:${threshold}`; // of another amount it is another threshold
    firsts.push(await redis.set(key, 1, 'PX', silenceMs, 'NX'));
  }
  if (firsts[0] === null) return;
  const user = await User.findOne({ id: payer, deletedAt: null }).select('id email setting').lean();
  if (!user) return;
  const shown = (value: number) => (budget.unit === 'quota' ? moneyText(context, value) : `${value} ${budget.unit}`);
  const values = { budget: budget.name, percent: String(percent), used: shown(used), amount: shown(budget.amount) };
  await notify(context, user, { code: highest === 100 ? 'budget_reached' : 'budget_near', values });
}
