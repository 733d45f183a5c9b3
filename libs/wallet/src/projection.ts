import { rows } from '@tollgate/db';
import type { NotProjected, WalletRedis } from './commands.ts';
import { tokenKey, walletKey } from './keys.ts';

export interface Projection {
  /** Runs a script, and repeats it after seeding what it misses. */
  seeded<Reply extends readonly unknown[]>(
    userId: number,
    tokenId: number,
    run: () => Promise<Reply | NotProjected>,
    /** Seeds a budget of the call, by its number from 1. */
    seedBudget?: (budget: number) => Promise<void>,
  ): Promise<Exclude<Reply, NotProjected>>;
  /** Writes a new balance to Redis if Redis has this wallet. */
  refreshWallet(userId: number, state: { balance: number; version: number }): Promise<void>;
  refreshToken(userId: number, tokenId: number, state: { remain: number; version: number }): Promise<void>;
}

/** A call may miss its wallet, its token and each of its budgets. */
const mostAttempts = 50;

interface BalanceState {
  value: number;
  version: number;
}

/** Redis's copy of balances: seeded from the database at first use, replaced only by a newer version. */
export function openProjection(redis: WalletRedis): Projection {
  const seeding = new Map<string, Promise<void>>();

  /** Reads again after writing: a change in between found nothing to update in Redis. */
  async function seed(key: string, field: 'balance' | 'remain', read: () => Promise<BalanceState>): Promise<void> {
    let state = await read();
    for (;;) {
      await redis.walletProject(key, field, state.value, state.version, '1');
      const now = await read();
      if (now.version === state.version) return;
      state = now;
    }
  }

  function seedOnce(key: string, field: 'balance' | 'remain', read: () => Promise<BalanceState>): Promise<void> {
    const running = seeding.get(key) ?? seed(key, field, read).finally(() => seeding.delete(key));
    seeding.set(key, running);
    return running;
  }

  return {
    async seeded(userId, tokenId, run, seedBudget) {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const reply = await run();
        if (typeof reply[0] !== 'number') throw new Error('Redis returned an unexpected reply to a wallet script');
        if (reply[0] !== -1) return reply as Exclude<typeof reply, NotProjected>;
        if (reply[1] === 'budget') await seedBudget?.(Number(reply[2]));
        else if (reply[1] === 'wallet') await seedOnce(walletKey(userId), 'balance', () => readWallet(userId));
        else await seedOnce(tokenKey(userId, tokenId), 'remain', () => readToken(tokenId));
      }
      throw new Error(`Redis keeps losing the wallet of user ${userId}`);
    },
    async refreshWallet(userId, { balance, version }) {
      await redis.walletProject(walletKey(userId), 'balance', balance, version, '');
    },
    async refreshToken(userId, tokenId, { remain, version }) {
      await redis.walletProject(tokenKey(userId, tokenId), 'remain', remain, version, '');
    },
  };
}

async function readWallet(userId: number): Promise<BalanceState> {
  const wallet = await rows.wallets().findOne({ _id: userId }, { projection: { balance: 1, version: 1 } });
  return { value: wallet?.balance ?? 0, version: wallet?.version ?? 0 };
}

async function readToken(tokenId: number): Promise<BalanceState> {
  const token = await rows.tokenWallets().findOne({ _id: tokenId }, { projection: { remain: 1, version: 1 } });
  return { value: token?.remain ?? 0, version: token?.version ?? 0 };
}
