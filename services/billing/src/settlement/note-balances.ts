import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';

/** A hash, user -> balance. The console takes it every few seconds and warns whose quota runs out: its `notices/low-balances.ts`. */
const key = '{charged}:balances';

export type NoteBalances = (wallets: ReadonlyMap<number, { balance: number }>) => void;

/** Notes what is left of wallets that were charged, in one command a batch. Nobody waits for it: a warning is not worth a charge. */
export function balanceNotes(redis: Redis, logger: Logger): NoteBalances {
  return (wallets) => {
    if (wallets.size === 0) return;
    const fields = Array.from(wallets, ([userId, { balance }]) => [userId, balance]).flat();
    redis.hset(key, ...fields).catch((error) => logger.warn({ err: error }, 'what is left of wallets could not be noted'));
  };
}
