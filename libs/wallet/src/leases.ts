import type { SharedClock } from './clock.ts';
import type { WalletRedis } from './commands.ts';
import { limitKeys, type Subject } from './keys.ts';
import type { LimitKind, LimitRules } from './limit-rules.ts';
import type { Lease, LeaseEnd, Reached, Wallet } from './wallet.ts';

type LeaseVerbs = Pick<Wallet, 'lease' | 'renewLeases' | 'endLeases'>;

/** What a call takes of the limits of a group, a model or a channel; and the end of what it took of any. */
export function leaseVerbs(redis: WalletRedis, clock: SharedClock): LeaseVerbs {
  return {
    async lease(subject, { rules, tokens, requestId, lifeMs }) {
      const keys = limitKeys(subject);
      const [isTaken, ...reply] = await redis.walletLease(...keys, rules.text, tokens, requestId, lifeMs);
      if (isTaken === 0) return { ok: false, reached: reachedBy(subject, { rules, tokens }, reply) };
      const [atMs = 0, ...used] = reply;
      return { ok: true, lease: { subject, keys, requestId, rules, tokens, atMs, used } };
    },

    async renewLeases(leases, lifeMs) {
      const untilMs = clock.read() + lifeMs;
      await Promise.all(
        leases
          .filter(({ rules }) => has(rules, 'c'))
          .flatMap(({ keys: [, calls], requestId }) => [redis.zadd(calls, 'XX', untilMs, requestId), redis.pexpire(calls, 2 * lifeMs)]),
      );
    },

    async endLeases(leases, end) {
      await Promise.all(byShard(leases).map((together) => endTogether(redis, together, end)));
    },
  };
}

/** How many requests, requests that have not failed, and tokens a lease has counted too little. */
function changeOf({ tokens }: Lease, end: LeaseEnd): Record<LimitKind, number> {
  return { r: end.how === 'passed' ? -1 : 0, s: end.how === 'reported' ? 0 : -1, t: (end.tokens ?? 0) - tokens, c: 0 };
}

/** Nothing is said where nothing would be changed. */
function wouldChange(lease: Lease, end: LeaseEnd): boolean {
  const change = changeOf(lease, end);
  return lease.rules.rules.some(({ kind }) => kind === 'c' || change[kind] !== 0);
}

/** What a call took of its user and its token: counted in one step, and ended in one. */
export function isOwn({ subject }: Lease): boolean {
  return 'userId' in subject;
}

/** What one call took together. */
function byShard(leases: readonly Lease[]): Lease[][] {
  const own = leases.filter(isOwn);
  const others = leases.filter((lease) => !isOwn(lease)).map((lease) => [lease]);
  return own.length > 0 ? [own, ...others] : others;
}

async function endTogether(redis: WalletRedis, leases: Lease[], end: LeaseEnd): Promise<void> {
  const { keys, values } = endingOf(leases, end);
  if (keys.length > 0) await redis.walletEndLease(keys.length, ...keys, ...values);
}

/** What the scripts are told to end leases of one call that were counted together; no keys where there is nothing to change. */
export function endingOf(leases: readonly Lease[], end: LeaseEnd): { keys: string[]; values: (string | number)[] } {
  const changed = leases.filter((lease) => wouldChange(lease, end));
  const [first] = changed;
  if (first === undefined) return { keys: [], values: [] };
  const { r, s, t } = changeOf(first, end);
  const keys = changed.flatMap((lease) => [...lease.keys]);
  return { keys, values: [first.requestId, first.atMs, r, s, t, ...changed.map(({ rules }) => rules.text)] };
}

interface Weighed {
  rules: LimitRules;
  tokens: number;
}

export function reachedBy(subject: Subject, { rules, tokens }: Weighed, [rule = 1, used = 0, waitMs = 0]: readonly number[]): Reached {
  const reached = rules.rules[rule - 1];
  if (reached === undefined) throw new Error(`there is no rule ${rule} of a ${subject.kind}`);
  return { subject, rule: reached, used, tokens, ...(waitMs > 0 && { waitMs }), isTooMuch: waitMs < 0 };
}

function has({ rules }: LimitRules, kind: LimitKind): boolean {
  return rules.some((rule) => rule.kind === kind);
}
