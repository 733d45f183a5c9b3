import type { UsageRecorded } from '@tollgate/contracts';
import type { HoldReply, NotProjected, WalletRedis } from './commands.ts';
import { holdKey, indexKey, reportedRange, tokenKey, walletKey } from './keys.ts';
import type { Projection } from './projection.ts';
import type { HoldOwner, Reservation, Settlement, Wallet } from './wallet.ts';

/** A reported hold is looked at again after this long; by then billing has usually charged it. */
const republishAfterMs = 30_000;

type HoldVerbs = Pick<Wallet, 'reserve' | 'progress' | 'report' | 'release' | 'settle'>;

/** The life of a hold: reserved, perhaps grown, then reported and settled, or released. */
export function holdVerbs(redis: WalletRedis, projection: Projection): HoldVerbs {
  const keysOf = ({ userId, tokenId, requestId }: HoldOwner) =>
    [walletKey(userId), tokenKey(userId, tokenId), holdKey(userId, requestId), indexKey(userId)] as const;

  return {
    async reserve({ amount, minimum = amount, deadlineMs, ...owner }) {
      const run = () => redis.walletReserve(...keysOf(owner), amount, minimum, limitedToken(owner), lifeMs(deadlineMs));
      return reservationOf(await projection.seeded(owner.userId, owner.tokenId, run));
    },

    async progress(owner, { amount, event, deadlineMs }) {
      const draft = event ? JSON.stringify(event) : '';
      const run = () =>
        redis.walletProgress(...keysOf(owner), amount ?? '', limitedToken(owner), lifeMs(deadlineMs), draft, event?.quota ?? 0);
      return reservationOf(await projection.seeded(owner.userId, owner.tokenId, run));
    },

    async report(owner, event) {
      const text = JSON.stringify(event);
      const score = reportedRange + republishAfterMs;
      const run = () => redis.walletReport(...keysOf(owner), event.quota, limitedToken(owner), text, score);
      const [, uncollected, accepted] = await projection.seeded(owner.userId, owner.tokenId, run);
      const json = uncollected === event.uncollected ? text : JSON.stringify({ ...event, uncollected });
      return { uncollected, accepted: accepted === 1, json };
    },

    async release(owner) {
      await redis.walletRelease(...keysOf(owner));
    },

    async settle(settlements) {
      await Promise.all(settlements.map((settlement) => redis.walletSettle(...settleArguments(settlement))));
    },
  };
}

/** What goes to the bus: the event as it was reported, with what the hold knows better. */
export function eventFor(text: string, { uncollected, lost }: { uncollected: number; lost: boolean }): UsageRecorded {
  const event = JSON.parse(text) as UsageRecorded;
  event.uncollected = uncollected;
  return lost ? { ...event, endReason: 'relay_lost', usageSource: 'estimated' } : event;
}

/** Machines differ in what time it is, not in how long a while lasts: deadlines are kept by Redis's clock. */
function lifeMs(deadlineMs: number): number {
  return Math.round(deadlineMs - Date.now());
}

function limitedToken({ tokenId, tokenUnlimited }: HoldOwner): number | '' {
  return tokenUnlimited || tokenId === 0 ? '' : tokenId;
}

function reservationOf(reply: Exclude<HoldReply, NotProjected>): Reservation {
  return reply[0] === 1 ? { ok: true, amount: reply[1] } : { ok: false, reason: reply[1], available: reply[2] };
}

function settleArguments({ userId, requestIds, wallet, tokens }: Settlement): [number, ...(string | number)[]] {
  const keys = [walletKey(userId), indexKey(userId)];
  for (const requestId of requestIds) keys.push(holdKey(userId, requestId));
  const values = [requestIds.length, wallet.balance, wallet.version];
  const rest: (string | number)[] = values;
  for (const { tokenId, remain, version } of tokens) {
    keys.push(tokenKey(userId, tokenId));
    rest.push(tokenId, remain ?? '', version ?? 0);
  }
  return [keys.length, ...keys, ...rest];
}
