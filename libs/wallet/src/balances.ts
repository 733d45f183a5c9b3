import { rows } from '@tollgate/db';
import type { WalletRedis } from './commands.ts';
import { tokenKey, walletKey } from './keys.ts';
import { openWalletRow } from './ledger.ts';
import type { Projection } from './projection.ts';
import type { Balance, TokenBalance, Wallet } from './wallet.ts';

type BalanceVerbs = Pick<
  Wallet,
  'open' | 'balance' | 'balances' | 'remaining' | 'openToken' | 'setTokenRemain' | 'addTokenRemain' | 'tokenBalances' | 'tokensRemaining'
>;

/** Creates wallets and reads their balances. */
export function balanceVerbs(redis: WalletRedis, projection: Projection): BalanceVerbs {
  async function balances(userIds: number[]): Promise<Map<number, Balance>> {
    const found = await rows
      .wallets()
      .find({ _id: { $in: userIds } }, { projection: { balance: 1, usedQuota: 1, requests: 1 } })
      .toArray();
    const byId = new Map(found.map((row) => [row._id, row]));
    return new Map(
      userIds.map((id) => [
        id,
        { balance: byId.get(id)?.balance ?? 0, usedQuota: byId.get(id)?.usedQuota ?? 0, requests: byId.get(id)?.requests ?? 0 },
      ]),
    );
  }

  async function tokenBalances(tokenIds: number[]): Promise<Map<number, TokenBalance>> {
    const found = await rows
      .tokenWallets()
      .find({ _id: { $in: tokenIds } }, { projection: { remain: 1, used: 1, accessedAt: 1 } })
      .toArray();
    const byId = new Map(found.map((row) => [row._id, row]));
    return new Map(
      tokenIds.map((id) => {
        const row = byId.get(id);
        return [id, { remain: row?.remain ?? 0, used: row?.used ?? 0, accessedAt: row?.accessedAt ?? null } satisfies TokenBalance];
      }),
    );
  }

  /**
   * The remaining quota by Redis, each value with its reported part from one snapshot. Undefined for keys that Redis does not have: they
   * have no reported holds.
   */
  async function uncharged(keys: string[], field: 'balance' | 'remain'): Promise<(number | undefined)[]> {
    const found = await Promise.all(keys.map((key) => redis.hmget(key, field, 'reported')));
    return found.map(([value, reported]) => (value == null ? undefined : Math.max(0, Number(value) - Number(reported ?? 0))));
  }

  return {
    open: openWalletRow,
    balances,
    async remaining(userIds) {
      const left = await uncharged(userIds.map(walletKey), 'balance');
      const stored = await balances(userIds.filter((_, i) => left[i] === undefined));
      return new Map(userIds.map((id, i) => [id, left[i] ?? stored.get(id)?.balance ?? 0]));
    },
    async balance(userId) {
      return (await balances([userId])).get(userId) as Balance;
    },

    async openToken({ tokenId, userId, remain }) {
      const row = { userId, remain, used: 0, version: 1, marks: {}, applied: [], accessedAt: null };
      await rows.tokenWallets().updateOne({ _id: tokenId }, { $setOnInsert: row }, { upsert: true });
    },

    async setTokenRemain({ tokenId, userId, remain }) {
      const row = await rows
        .tokenWallets()
        .findOneAndUpdate(
          { _id: tokenId },
          { $set: { remain }, $inc: { version: 1 }, $setOnInsert: { userId, used: 0, marks: {}, applied: [], accessedAt: null } },
          { upsert: true, returnDocument: 'after', projection: { version: 1 } },
        );
      if (row) await projection.refreshToken(userId, tokenId, { remain, version: row.version });
    },

    async addTokenRemain({ tokenId, userId, amount, most = Number.MAX_SAFE_INTEGER }) {
      const tokens = rows.tokenWallets();
      for (;;) {
        const token = await tokens.findOne({ _id: tokenId }, { projection: { remain: 1, version: 1 } });
        if (!token) return true;
        const remain = Math.max(0, token.remain + amount);
        if (amount > 0 && remain > most) return false;
        const change = { $inc: { remain: remain - token.remain, version: 1 } };
        const { matchedCount } = await tokens.updateOne({ _id: tokenId, version: token.version }, change);
        if (matchedCount === 0) continue;
        await projection.refreshToken(userId, tokenId, { remain, version: token.version + 1 });
        return true;
      }
    },

    tokenBalances,
    async tokensRemaining(tokens) {
      const left = await uncharged(
        tokens.map(({ userId, tokenId }) => tokenKey(userId, tokenId)),
        'remain',
      );
      const stored = await tokenBalances(tokens.filter((_, i) => left[i] === undefined).map(({ tokenId }) => tokenId));
      return new Map(tokens.map(({ tokenId }, i) => [tokenId, left[i] ?? stored.get(tokenId)?.remain ?? 0]));
    },
  };
}
