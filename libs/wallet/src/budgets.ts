import type { BudgetUnit, BudgetUse, BudgetWindow } from '@tollgate/contracts';
import { type BudgetBucketRow, rows } from '@tollgate/db';
import { windowArgs } from './budget-windows.ts';
import type { WalletRedis } from './commands.ts';
import { budgetKey } from './keys.ts';

/** A budget that applies to a call. */
export interface BudgetRule {
  id: string;
  unit: BudgetUnit;
  /** The amount; undefined: it only counts. */
  limit: number | undefined;
  window: BudgetWindow;
  timeZone: string;
}

/** The budgets of a call and the tokens that it may use. */
export interface CallWithBudgets {
  rules: readonly BudgetRule[];
  tokens: number;
  /** The call is refused when a budget of tokens has less than this left. */
  minimumTokens: number;
}

/** What a call holds of its budgets: kept with the hold and repeated with each verb, in case Redis loses the hold. */
export interface HeldBudgets {
  /** The buckets, for the event. */
  uses: BudgetUse[];
  /** What is used of each rule with this call, as it was reserved. */
  used: readonly number[];
  rules: readonly BudgetRule[];
  tokens: number;
  /** The hold's `budgets` in Redis. */
  text: string;
}

/** The budget that refuses a call. */
export interface BudgetExceeded {
  rule: BudgetRule;
  /** Charged and held, in the budget's unit. */
  used: number;
  needed: number;
  /** When there is room, in ms since 1970: 0 as soon as an open call ends, -1 never. */
  roomAtMs: number;
}

/** What a payer used of a budget. */
export interface BudgetUsage {
  /** Charged in the current window. */
  spent: number;
  /** By calls that are not charged yet. */
  held: number;
}

const letters: Record<BudgetUnit, string> = { quota: 'q', requests: 'r', tokens: 't' };

export function budgetArguments(payer: number, { rules, tokens, minimumTokens }: CallWithBudgets, nowMs: number) {
  const keys = rules.map(({ id }) => budgetKey(payer, id));
  const text = rules.map(({ unit, limit }, i) => `${letters[unit]} ${limit ?? '-'} ${keys[i]}`).join(' ');
  const each = rules.flatMap(({ unit, limit, window, timeZone }) => [letters[unit], limit ?? '', ...windowArgs(window, timeZone, nowMs)]);
  return { keys, text, values: [tokens, minimumTokens, text, rules.length, ...each] };
}

export function heldBudgets(
  rules: readonly BudgetRule[],
  { text, tokens, uses }: { text: string; tokens: number; uses: string },
): HeldBudgets {
  const numbers = uses.split(' ').map(Number);
  return {
    uses: rules.map(({ id, unit }, i) => ({ id, unit, from: numbers[3 * i] as number, until: numbers[3 * i + 1] as number })),
    used: rules.map((_, i) => numbers[3 * i + 2] as number),
    rules,
    tokens,
    text,
  };
}

type Bucket = Pick<BudgetBucketRow, 'from' | 'until' | 'version'> & { spent: number };

/** The arguments of a bucket for `store-buckets.lua`. */
export const bucketArguments = ({ from, spent, version, until }: Bucket): number[] => [from.getTime(), spent, version, until.getTime()];

async function storedBuckets(payer: number, { id, unit }: Pick<BudgetRule, 'id' | 'unit'>, nowMs: number): Promise<Bucket[]> {
  const found = await rows
    .budgetBuckets()
    .find({ budgetId: id, payer, until: { $gt: new Date(nowMs) } }, { projection: { from: 1, until: 1, version: 1, [unit]: 1 } })
    .sort({ from: 1 })
    .toArray();
  return found.map(({ from, until, version, [unit]: spent }) => ({ from, until, version, spent }));
}

/** Writes the buckets of the database to Redis. Reads again after writing: a charge in between found nothing to update in Redis. */
export async function seedBudget(redis: WalletRedis, payer: number, rule: Pick<BudgetRule, 'id' | 'unit'>, nowMs: number): Promise<void> {
  let values = (await storedBuckets(payer, rule, nowMs)).flatMap(bucketArguments);
  for (;;) {
    await redis.walletProjectBudget(1, budgetKey(payer, rule.id), ...values);
    const again = (await storedBuckets(payer, rule, nowMs)).flatMap(bucketArguments);
    if (again.join() === values.join()) return;
    values = again;
  }
}

/** What payers used of budgets, from Redis where it has them, else from the database. */
export async function budgetUsages(
  redis: WalletRedis,
  asked: readonly { payer: number; rule: Pick<BudgetRule, 'id' | 'unit'> }[],
  nowMs: number,
): Promise<BudgetUsage[]> {
  const states = await Promise.all(asked.map(({ payer, rule }) => redis.hmget(budgetKey(payer, rule.id), 'spent', 'held', 'next')));
  return Promise.all(
    asked.map(async ({ payer, rule }, i) => {
      const [spent, held, next] = states[i] as (string | null)[];
      if (spent != null && Number(next) > nowMs) return { spent: Number(spent), held: Number(held ?? 0) };
      const buckets = await storedBuckets(payer, rule, nowMs);
      return { spent: buckets.reduce((sum, bucket) => sum + bucket.spent, 0), held: Number(held ?? 0) };
    }),
  );
}
