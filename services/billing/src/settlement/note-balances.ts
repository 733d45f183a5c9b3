import { chargedBalancesKey } from '@tollgate/contracts';
import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';

export type NoteBalances = (wallets: ReadonlyMap<number, { balance: number }>) => void;

/** Writes the remaining balance of charged wallets, one command per batch. Charging does not wait for it. */
export function balanceNotes(redis: Redis, logger: Logger): NoteBalances {
  return (wallets) => {
    if (wallets.size === 0) return;
    const fields = Array.from(wallets, ([userId, { balance }]) => [userId, balance]).flat();
    redis.hset(chargedBalancesKey, ...fields).catch((error) => logger.warn({ err: error }, 'remaining balances could not be recorded'));
  };
}
