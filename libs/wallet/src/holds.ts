import type { UsageRecorded } from '@tollgate/contracts';
import type { HoldReply, NotProjected, WalletRedis } from './commands.ts';
import { holdKey, indexKey, limitKeys, reportedRange, tokenKey, walletKey } from './keys.ts';
import { leaseOf, reachedBy, unlimited } from './leases.ts';
import type { Projection } from './projection.ts';
import type { HoldOwner, Lease, LimitedReservation, Reservation, ReserveRequest, Settlement, Subject, Wallet } from './wallet.ts';

/** A reported hold is looked at again after this long; by then billing has usually charged it. */
const republishAfterMs = 30_000;

type HoldVerbs = Pick<Wallet, 'reserve' | 'progress' | 'report' | 'release' | 'settle'>;

/** The life of a hold: reserved, perhaps grown, then reported and settled, or released. */
export function holdVerbs(redis: WalletRedis, projection: Projection): HoldVerbs {
  const keysOf = ({ userId, tokenId, requestId }: HoldOwner) =>
    [walletKey(userId), tokenKey(userId, tokenId), holdKey(userId, requestId), indexKey(userId)] as const;

  return {
    async reserve({ amount, minimum = amount, deadlineMs, limits, ...owner }) {
      const { userId, tokenId } = owner;
      const money = () => [amount, minimum, limitedToken(owner), lifeMs(deadlineMs)] as const;
      if (limits === undefined) {
        const run = () => redis.walletReserve(...keysOf(owner), ...money());
        return reservationOf(await projection.seeded(userId, tokenId, run));
      }
      const counted = subjectsOf(owner, limits);
      const [user, token] = counted;
      const keys = [...keysOf(owner), ...user.keys, ...token.keys] as const;
      const run = () => redis.walletReserveLimited(...keys, ...money(), user.rules.text, token.rules.text, limits.tokens, owner.requestId);
      return limitedReservationOf(await projection.seeded(userId, tokenId, run), { counted, tokens: limits.tokens });
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

type Counted = readonly [user: CountedSubject, token: CountedSubject];
type CountedSubject = Pick<Lease, 'subject' | 'keys' | 'requestId' | 'rules'>;

function subjectsOf({ userId, tokenId, requestId }: HoldOwner, limits: NonNullable<ReserveRequest['limits']>): Counted {
  const counted = (subject: Subject, rules = unlimited) => ({ subject, keys: limitKeys(subject), requestId, rules });
  return [counted({ kind: 'user', userId }, limits.user), counted({ kind: 'token', userId, tokenId }, limits.token)];
}

type LimitedReply = Exclude<Awaited<ReturnType<WalletRedis['walletReserveLimited']>>, NotProjected>;

function limitedReservationOf(reply: LimitedReply, { counted, tokens }: { counted: Counted; tokens: number }): LimitedReservation {
  if (reply[0] === -2) {
    const [, kind, ...reached] = reply;
    const { subject, rules } = counted[kind === 'user' ? 0 : 1];
    return { ok: false, reason: 'limit', reached: reachedBy(subject, { rules, tokens }, reached) };
  }
  const [isHeld, amount, atMs, ...used] = reply as [1, number, number?, ...number[]];
  if (isHeld !== 1 || atMs === undefined) return reservationOf(reply as [1, number]);
  const leases: Lease[] = [];
  for (const { rules, ...of } of counted) {
    if (rules.rules.length > 0) leases.push(leaseOf(of, { rules, tokens, atMs, used: used.splice(0, rules.rules.length) }));
  }
  return { ok: true, amount, leases };
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
