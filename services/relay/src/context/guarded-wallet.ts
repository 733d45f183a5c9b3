import type { DatastoreWatch } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';

/** What callers wait for fails as soon as Redis counts as down. */
export function guardedWallet(wallet: Wallet, { guard }: Pick<DatastoreWatch, 'guard'>): Wallet {
  const guarded =
    <Args extends unknown[], Result>(verb: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      guard('Redis', () => verb(...args));
  return {
    ...wallet,
    now: guarded(wallet.now),
    reserve: guarded(wallet.reserve),
    lease: guarded(wallet.lease),
    remaining: guarded(wallet.remaining),
    tokensRemaining: guarded(wallet.tokensRemaining),
    tokenBalances: guarded(wallet.tokenBalances),
    balance: guarded(wallet.balance),
    budgetUsages: guarded(wallet.budgetUsages),
  };
}
