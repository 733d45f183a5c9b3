import { rows } from '@tollgate/db';
import type { WalletRedis } from './commands.ts';
import type { Projection } from './projection.ts';
import type { Wallet } from './wallet.ts';

const pageSize = 500;

/** Refreshes Redis's copies of balances after a restore: Redis was backed up before the database and is older. */
export function catchUpVerb(redis: WalletRedis, projection: Projection): Pick<Wallet, 'catchUp'> {
  async function catchUpWallets(userIds: number[]): Promise<void> {
    const found = rows.wallets().find({ _id: { $in: userIds } }, { projection: { balance: 1, version: 1 } });
    for await (const { _id, balance, version } of found) await projection.refreshWallet(_id, { balance, version });
  }

  async function catchUpTokens(tokenIds: number[]): Promise<void> {
    const found = rows.tokenWallets().find({ _id: { $in: tokenIds } }, { projection: { userId: 1, remain: 1, version: 1 } });
    for await (const { _id, userId, remain, version } of found) await projection.refreshToken(userId, _id, { remain, version });
  }

  return {
    async catchUp() {
      for await (const ids of idsIn(redis, '{u*}:wallet:*')) await catchUpWallets(ids);
      for await (const ids of idsIn(redis, '{u*}:token:*')) await catchUpTokens(ids);
    },
  };
}

/** The ids at the ends of the matching keys, page by page. */
async function* idsIn(redis: WalletRedis, pattern: string): AsyncGenerator<number[]> {
  for await (const keys of redis.scanStream({ match: pattern, count: pageSize }) as AsyncIterable<string[]>) {
    const ids = keys.map((key) => Number(key.slice(key.lastIndexOf(':') + 1)));
    if (ids.length > 0) yield ids;
  }
}
