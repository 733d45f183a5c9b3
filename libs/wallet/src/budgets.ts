import type { BudgetUnit, BudgetUse, BudgetWindow } from '@tollgate/contracts';
import { type BudgetBucketRow, rows } from '@tollgate/db';
import { bucketAt } from './budget-windows.ts';
import type { WalletRedis } from './commands.ts';
import { budgetField, walletKey } from './keys.ts';

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
  /** The quota in `used` that this call holds. */
  amount: number;
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

/** The hold's `budgets` in Redis, and the arguments of the reserve script. */
export function budgetArguments({ rules, tokens, minimumTokens }: CallWithBudgets) {
  const fields = rules.map(budgetField);
  const text = rules.map(({ limit }, i) => `${fields[i]} ${limit ?? '-'}`).join(' ');
  return { text, values: [tokens, minimumTokens, text, rules.length, ...fields, ...rules.map(({ limit }) => limit ?? '-')] };
}

/** `sinceMs`: when the call was reserved, by Redis's clock, which fixes its buckets. */
export function heldBudgets(
  rules: readonly BudgetRule[],
  { sinceMs, ...held }: Pick<HeldBudgets, 'text' | 'tokens' | 'amount' | 'used'> & { sinceMs: number },
): HeldBudgets {
  const uses = rules.map(({ id, unit, window, timeZone }) => ({ id, unit, ...bucketAt(window, timeZone, sinceMs) }));
  return { rules, uses, ...held };
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
    await redis.walletProjectBudget(walletKey(payer), budgetField(rule), ...values);
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
  const states = await Promise.all(asked.map(({ payer, rule }) => redis.hgetBuffer(walletKey(payer), budgetField(rule))));
  return Promise.all(
    asked.map(async ({ payer, rule }, i) => {
      const { spent, held, nextMs } = budgetState(states[i]);
      if (spent !== undefined && nextMs > nowMs) return { spent, held };
      const buckets = await storedBuckets(payer, rule, nowMs);
      return { spent: buckets.reduce((sum, bucket) => sum + bucket.spent, 0), held };
    }),
  );
}

/** Reads a budget as `budgets.lua` packs it. `spent` is undefined where Redis does not know it. */
export function budgetState(packed: Buffer | null | undefined): { spent: number | undefined; held: number; nextMs: number } {
  if (packed == null) return { spent: undefined, held: 0, nextMs: 0 };
  const [spent = 0, reported = 0, held = 0, nextMs = 0, version = -1] = [0, 8, 16, 24, 32].map((at) => packed.readDoubleLE(at));
  return { spent: version < 0 ? undefined : spent, held: held + reported, nextMs };
}
