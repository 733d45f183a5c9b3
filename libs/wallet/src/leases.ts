import type { SharedClock } from './clock.ts';
import type { WalletRedis } from './commands.ts';
import { limitKeys, type Subject } from './keys.ts';
import { fieldOf, type LimitKind, type LimitRules } from './limit-rules.ts';
import type { Lease, LeaseEnd, LimitExceeded, Wallet } from './wallet.ts';

type LeaseVerbs = Pick<Wallet, 'lease' | 'renewLeases' | 'endLeases'>;

/** Counts a call against the limits of one more subject, and ends what was counted for any. */
export function leaseVerbs(redis: WalletRedis, clock: SharedClock): LeaseVerbs {
  return {
    async lease(subject, { rules, tokens, requestId, lifeMs }) {
      const keys = limitKeys(subject);
      const [isTaken, ...reply] = await redis.walletLease(...keys, tokens, requestId, lifeMs, ...rules.scriptArgs);
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
      const { keys, values } = endingOf(leases, end);
      if (keys.length > 0) await redis.walletEndLeases(keys.length, ...keys, ...values);
    },
  };
}

/** How much a lease undercounted: requests, requests that did not fail, tokens. */
function changeOf({ tokens }: Lease, end: LeaseEnd): Record<LimitKind, number> {
  return { r: end.how === 'passed' ? -1 : 0, s: end.how === 'reported' ? 0 : -1, t: (end.tokens ?? 0) - tokens, c: 0 };
}

/** Keys and arguments that end the leases of one call. No keys when nothing changes. */
export function endingOf(leases: readonly Lease[], end: LeaseEnd): { keys: string[]; values: (string | number)[] } {
  const keys: string[] = [];
  const values: (string | number)[] = [];
  for (const lease of leases) {
    const change = changeOf(lease, end);
    const { rules, forgetMs } = lease.rules;
    const changed = rules.filter(({ kind }) => change[kind] !== 0);
    const isOpen = has(lease.rules, 'c');
    if (changed.length === 0 && !isOpen) continue;
    if (keys.length === 0) values.push(lease.requestId);
    keys.push(...lease.keys);
    values.push(changed.length, forgetMs, isOpen ? '1' : '', lease.atMs, ...changed.map(fieldOf));
    for (const { windowMs, kind } of changed) values.push(windowMs, change[kind]);
  }
  return { keys, values };
}

interface Weighed {
  rules: LimitRules;
  tokens: number;
}

export function reachedBy(
  subject: Subject,
  { rules, tokens }: Weighed,
  [rule = 1, used = 0, waitMs = 0]: readonly number[],
): LimitExceeded {
  const reached = rules.rules[rule - 1];
  if (reached === undefined) throw new Error(`there is no rule ${rule} of a ${subject.kind}`);
  return { subject, rule: reached, used, tokens, ...(waitMs > 0 && { waitMs }), isTooMuch: waitMs < 0 };
}

function has({ rules }: LimitRules, kind: LimitKind): boolean {
  return rules.some((rule) => rule.kind === kind);
}
