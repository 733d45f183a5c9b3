import { chargedBalancesKey, chargedBudgetsKey } from '@tollgate/contracts';
import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import type { BudgetStates } from './charge-budgets.ts';

export type NoteBalances = (wallets: ReadonlyMap<number, { balance: number }>, budgets: BudgetStates) => void;

/** Writes the remaining balance of charged wallets, and which budgets were charged, one command each per batch. Charging does not wait for it. */
export function balanceNotes(redis: Redis, logger: Logger): NoteBalances {
  const failed = (error: unknown) => logger.warn({ err: error }, 'remaining balances could not be recorded');
  return (wallets, budgets) => {
    const charged = Array.from(budgets, ([payer, own]) => own.map(({ id }) => `${id}|${payer}`)).flat();
    if (charged.length > 0) redis.sadd(chargedBudgetsKey, ...charged).catch(failed);
    if (wallets.size === 0) return;
    const fields = Array.from(wallets, ([userId, { balance }]) => [userId, balance]).flat();
    redis.hset(chargedBalancesKey, ...fields).catch(failed);
  };
}
