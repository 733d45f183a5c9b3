import { connectDatabase, disconnectDatabase, rows } from '@tollgate/db';
import { type HoldOwner, openWallet, tokenKey, type Wallet, walletKey } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { freshId } from './builders.ts';
import { engines } from './engines.ts';

export interface MoneyStores {
  redis: Redis;
  wallet: Wallet;
  /** A user with this balance, and a token of theirs with this much left (unlimited when left out). */
  userWith(money: { balance: number; remain?: number }): Promise<HoldOwner>;
  /** What Redis holds of a user. */
  projected(userId: number): Promise<{ balance: number; held: number }>;
  projectedToken(owner: HoldOwner): Promise<{ remain: number; held: number }>;
  storedBalance(userId: number): Promise<number | undefined>;
}

/** A database, a Redis and a wallet for a suite: call it in `describe`, read it in tests. */
export function withMoneyStores(): MoneyStores {
  const stores = {} as MoneyStores;
  before(async function () {
    this.timeout(60_000);
    const { mongodbUri, redisUrl } = await engines();
    await connectDatabase(mongodbUri());
    stores.redis = new Redis(await redisUrl(), { enableAutoPipelining: true });
    stores.wallet = openWallet({ redis: stores.redis });
  });
  after(async () => {
    try {
      await stores.redis?.quit();
    } finally {
      await disconnectDatabase(); // else the next suite of this process finds mongoose connected to this one's database
    }
  });
  stores.userWith = async ({ balance, remain }) => {
    const [userId, tokenId] = [freshId(), freshId()];
    await stores.wallet.post({ id: `grant:${userId}`, userId, amount: balance, reason: 'test' });
    await stores.wallet.openToken({ tokenId, userId, remain: remain ?? 0 });
    return { userId, tokenId, tokenUnlimited: remain === undefined, requestId: `call-${freshId()}` };
  };
  stores.projected = async (userId) => numbers(await stores.redis.hgetall(walletKey(userId)));
  stores.projectedToken = async ({ userId, tokenId }) => numbers(await stores.redis.hgetall(tokenKey(userId, tokenId)));
  stores.storedBalance = async (userId) => (await rows.wallets().findOne({ _id: userId }))?.balance;
  return stores;
}

function numbers<T>(hash: Record<string, string>): T {
  return Object.fromEntries(Object.entries(hash).map(([field, value]) => [field, Number(value)])) as T;
}
