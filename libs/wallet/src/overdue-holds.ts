import type { WalletRedis } from './commands.ts';
import { eventFor } from './holds.ts';
import { holdKey, indexKey, indexKeys, ownerOf, reportedRange, tokenKey, walletKey } from './keys.ts';
import type { DueHold, Wallet } from './wallet.ts';

type OverdueVerbs = Pick<Wallet, 'due' | 'expire' | 'republished' | 'quarantine' | 'existingHolds' | 'counts'>;

/** Finds and ends overdue holds, for the sweep. */
export function overdueVerbs(redis: WalletRedis): OverdueVerbs {
  return {
    async due(nowMs, limit) {
      const ranges = indexKeys.flatMap((key) => [
        redis.zrangebyscore(key, '-inf', nowMs, 'WITHSCORES', 'LIMIT', 0, limit),
        redis.zrangebyscore(key, reportedRange, reportedRange + nowMs, 'WITHSCORES', 'LIMIT', 0, limit),
      ]);
      const due: DueHold[] = [];
      for (const entries of await Promise.all(ranges)) {
        for (let i = 0; i < entries.length; i += 2) {
          const score = Number(entries[i + 1]);
          due.push({ ...ownerOf(entries[i] as string), overdueMs: nowMs - (score >= reportedRange ? score - reportedRange : score) });
        }
      }
      return due.sort((a, b) => b.overdueMs - a.overdueMs).slice(0, limit);
    },

    async expire({ userId, requestId }, nowMs) {
      const hold = holdKey(userId, requestId);
      const tokenId = (await redis.hget(hold, 'token')) ?? '';
      const keys = [walletKey(userId), tokenKey(userId, tokenId), hold, indexKey(userId)] as const;
      const reply = await redis.walletExpire(...keys, nowMs, reportedRange + nowMs);
      if (reply[0] === 'reported') {
        const [, text, uncollected, lost, reportedAt] = reply;
        return {
          state: 'reported',
          event: eventFor(text, { uncollected, lost: lost === '1' }),
          lost: lost === '1',
          reportedAtMs: Number(reportedAt),
        };
      }
      return { state: reply[0] };
    },

    async republished({ userId, requestId }, nextMs) {
      await redis.zadd(indexKey(userId), 'XX', reportedRange + nextMs, holdKey(userId, requestId));
    },

    async quarantine({ userId, requestId }) {
      const [index, hold] = [indexKey(userId), holdKey(userId, requestId)];
      const score = Number((await redis.zscore(index, hold)) ?? 0);
      if (score >= reportedRange) await redis.zadd(index, 'XX', 2 * reportedRange, hold);
    },

    async existingHolds(holds) {
      const found = await Promise.all(holds.map(({ userId, requestId }) => redis.exists(holdKey(userId, requestId))));
      return new Set(holds.filter((_, i) => found[i] === 1).map(({ requestId }) => requestId));
    },

    async counts() {
      const all = await Promise.all(
        indexKeys.flatMap((key) => [redis.zcount(key, '-inf', `(${reportedRange}`), redis.zcount(key, reportedRange, '+inf')]),
      );
      const counts = { open: 0, reported: 0 };
      all.forEach((count, i) => {
        counts[i % 2 === 0 ? 'open' : 'reported'] += count;
      });
      return counts;
    },
  };
}
