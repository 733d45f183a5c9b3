import { completionTokensOf, promptTokensOf, type UsageRecorded } from '@tollgate/contracts';
import type { BudgetRule, CallWithBudgets } from './budgets.ts';
import { bucketArguments, budgetArguments, heldBudgets, seedBudget } from './budgets.ts';
import type { SharedClock } from './clock.ts';
import type { CountedReply, HoldReply, LimitReply, NotProjected, ProgressReply, WalletRedis } from './commands.ts';
import { budgetField, holdKey, indexKey, limitKeys, reportedRange, tokenKey, walletKey } from './keys.ts';
import { endingOf, reachedBy } from './leases.ts';
import type { Projection } from './projection.ts';
import { byTurns, type Turn } from './turn.ts';
import type { CallWithLimits, HoldOwner, LimitedReservation, Reported, Reservation, ReserveRequest, Settlement, Wallet } from './wallet.ts';

/** The sweep checks a reported hold after this long; billing has usually charged it by then. */
const republishAfterMs = 30_000;
/** The score of a reported hold, without the time by Redis's clock. */
const reportedScore = reportedRange + republishAfterMs;

/** `roomAt` of `room-at.lua`: when what is reported leaves. */
const reportedLeaves = -2;

type HoldVerbs = Pick<Wallet, 'reserve' | 'progress' | 'report' | 'release' | 'settle'>;

interface HoldDependencies {
  projection: Projection;
  clock: SharedClock;
  turn: Turn | undefined;
}

/** The verbs of a hold: reserve, progress, then report and settle, or release. */
export function holdVerbs(redis: WalletRedis, { projection, clock, turn }: HoldDependencies): HoldVerbs {
  const keysOf = ({ userId, tokenId, requestId }: HoldOwner) =>
    [walletKey(userId), tokenKey(userId, tokenId), holdKey(userId, requestId), indexKey(userId)] as const;
  const moneyOf = ({ amount, minimum = amount, deadlineMs, ...owner }: ReserveRequest) =>
    [amount, minimum, limitedToken(owner), lifeMs(deadlineMs)] as const;

  async function reserveAlone(request: ReserveRequest): Promise<Reservation> {
    const run = () => redis.walletReserve(...keysOf(request), ...moneyOf(request));
    return reservationOf(await projection.seeded(request.userId, request.tokenId, run));
  }

  /** With budgets, and with limits where there are any. */
  async function reserveBudgeted(request: ReserveRequest, budgeted: CallWithBudgets): Promise<LimitedReservation> {
    const { userId, tokenId, requestId, limits = noLimits } = request;
    const { rules } = budgeted;
    const budgets = budgetArguments(budgeted);
    const keys = [...keysOf(request), ...limits.subjects.flatMap(({ subject }) => limitKeys(subject))];
    const values = [...moneyOf(request), ...budgets.values];
    let held: ReturnType<typeof heldOf>;
    const run = async () => {
      if (limits === noLimits) {
        const reply = await redis.walletReserveBudgeted(keys.length, ...keys, ...values);
        held = heldOf(reply[0] === 1 ? reply.slice(2) : []);
        return reply;
      }
      const [reply, ...more] = await redis.walletReserveBudgetedLimited(
        keys.length,
        ...keys,
        ...values,
        ...limitArguments(limits, requestId),
      );
      held = heldOf(more);
      return reply;
    };
    const seed = (rule: number) => seedBudget(redis, userId, rules[rule - 1] as BudgetRule, clock.read());
    const reply = await projection.seeded(userId, tokenId, run, seed);
    if (reply[0] === -3) {
      const [, number, used, needed, roomAt] = reply;
      const rule = rules[number - 1] as BudgetRule;
      const untilSettled = rule.window === 'total' ? -1 : 0;
      const roomAtMs = roomAt === reportedLeaves ? untilSettled : roomAt;
      return { ok: false, reason: 'budget', exceeded: { rule, used, needed, roomAtMs } };
    }
    const reserved =
      limits === noLimits ? reservationOf(reply.slice(0, 3) as HeldReply) : limitedReservationOf(reply, { limits, requestId });
    if (!reserved.ok || held === undefined) return reserved;
    return { ...reserved, budgets: heldBudgets(rules, { text: budgets.text, amount: reserved.amount, ...held }) };
  }

  async function reserveLimited(request: ReserveRequest, limits: CallWithLimits): Promise<LimitedReservation> {
    const { userId, tokenId, requestId } = request;
    const keys = [...keysOf(request), ...limits.subjects.flatMap(({ subject }) => limitKeys(subject))];
    const values = limitArguments(limits, requestId);
    const run = () => redis.walletReserveLimited(keys.length, ...keys, ...moneyOf(request), ...values);
    return limitedReservationOf(await projection.seeded(userId, tokenId, run), { limits, requestId });
  }

  async function reportAlone({ owner, event, text, ending }: Report): Promise<Reported> {
    const { keys, values } = ending;
    const money = [event.quota, limitedToken(owner), text, reportedScore, tokensOf(event), owner.heldBudgets?.text ?? ''] as const;
    const run = () => {
      if (keys.length === 0) return redis.walletReport(...keysOf(owner), ...money);
      return redis.walletReportLimited(4 + keys.length, ...keysOf(owner), ...keys, ...money, ...values);
    };
    const [, uncollected, accepted] = await projection.seeded(owner.userId, owner.tokenId, run);
    if (accepted === 0 && keys.length > 0) await redis.walletEndLeases(keys.length, ...keys, ...values); // a report by the sweep does not end leases
    return reportedAs({ event, text }, { uncollected, accepted: accepted === 1 });
  }

  const together = turn && togetherVerbs(redis, turn, { reserve: reserveAlone, report: reportAlone });

  return {
    reserve(request) {
      const { limits, budgeted } = request;
      if (budgeted !== undefined) return reserveBudgeted(request, budgeted);
      if (limits !== undefined) return reserveLimited(request, limits);
      return together !== undefined && limitedToken(request) === '' ? together.reserve(request) : reserveAlone(request);
    },

    async progress(owner, { amount, event, deadlineMs }) {
      const draft = event ? JSON.stringify(event) : '';
      const run = () =>
        redis.walletProgress(
          ...keysOf(owner),
          amount ?? '',
          limitedToken(owner),
          lifeMs(deadlineMs),
          draft,
          event?.quota ?? 0,
          event ? tokensOf(event) : 0,
          owner.heldBudgets?.text ?? '',
        );
      return progressOf(await projection.seeded(owner.userId, owner.tokenId, run));
    },

    report(owner, event, ending) {
      const { userId, requestId } = owner;
      const leases = ending === undefined ? nothingToEnd : endingOf(ending.leases, ending.end);
      const report: Report = { owner, userId, requestId, event, text: JSON.stringify(event), ending: leases };
      const isPlain = report.ending.keys.length === 0 && limitedToken(owner) === '' && owner.heldBudgets === undefined;
      return together !== undefined && isPlain ? together.report(report) : reportAlone(report);
    },

    async release(owner) {
      await redis.walletRelease(...keysOf(owner));
    },

    async settle(settlements) {
      await Promise.all(
        settlements.map((settlement) => {
          return redis.walletSettle(...settleArguments(settlement));
        }),
      );
    },
  };
}

/** An event to be written into its hold. */
interface Report {
  owner: HoldOwner;
  userId: number;
  requestId: string;
  event: UsageRecorded;
  text: string;
  ending: ReturnType<typeof endingOf>;
}

function reportedAs({ event, text }: Pick<Report, 'event' | 'text'>, { uncollected, accepted }: Omit<Reported, 'json'>): Reported {
  return { uncollected, accepted, json: uncollected === event.uncollected ? text : JSON.stringify({ ...event, uncollected }) };
}

interface Alone {
  reserve(request: ReserveRequest): Promise<Reservation>;
  report(report: Report): Promise<Reported>;
}

/** Runs the calls of one user in one event-loop turn as one script. Only for tokens without a limit. */
function togetherVerbs(redis: WalletRedis, turn: Turn, alone: Alone): Alone {
  const keysOf = (calls: readonly { userId: number; requestId: string }[]) => {
    const userId = calls[0]?.userId ?? 0;
    return [walletKey(userId), indexKey(userId), ...calls.map(({ requestId }) => holdKey(userId, requestId))];
  };
  return {
    reserve: byTurns<ReserveRequest, Reservation>(turn, {
      alone: alone.reserve,
      async together(requests) {
        const keys = keysOf(requests);
        const values = requests.flatMap(({ amount, deadlineMs }) => [amount, lifeMs(deadlineMs)]);
        const answers = await redis.walletReserveMany(keys.length, ...keys, ...values);
        return requests.map(({ amount }, i) => (answers[i] === '1' ? { ok: true, amount } : undefined));
      },
    }),
    report: byTurns<Report, Reported>(turn, {
      alone: alone.report,
      async together(reports) {
        const keys = keysOf(reports);
        const values = reports.flatMap(({ event, text }) => [event.quota, text]);
        const answers = await redis.walletReportMany(keys.length, ...keys, reportedScore, ...values);
        return reports.map((report, i) => (answers[i] === '1' ? reportedAs(report, { uncollected: 0, accepted: true }) : undefined));
      },
    }),
  };
}

/** The event for the bus: the reported event with the facts that only the hold has. */
export function eventFor(text: string, { uncollected, lost }: { uncollected: number; lost: boolean }): UsageRecorded {
  const event = JSON.parse(text) as UsageRecorded;
  event.uncollected = uncollected;
  return lost ? { ...event, endReason: 'relay_lost', usageSource: 'estimated' } : event;
}

/** Deadlines are kept by Redis's clock: machines disagree on the time, but not on a duration. */
function lifeMs(deadlineMs: number): number {
  return Math.round(deadlineMs - Date.now());
}

function limitedToken({ tokenId, tokenUnlimited }: HoldOwner): number | '' {
  return tokenUnlimited || tokenId === 0 ? '' : tokenId;
}

type HeldReply = Exclude<HoldReply, NotProjected>;

function reservationOf(reply: HeldReply): Reservation {
  return reply[0] === 1 ? { ok: true, amount: reply[1] } : { ok: false, reason: reply[1], available: reply[2] };
}

function progressOf(reply: Exclude<ProgressReply, NotProjected>): Awaited<ReturnType<Wallet['progress']>> {
  return reply[0] === 1 ? { ok: true, amount: reply[1] } : { ok: false, reason: reply[1], available: reply[2] };
}

const tokensOf = ({ usage }: UsageRecorded): number => promptTokensOf(usage) + completionTokensOf(usage);
const noLimits: CallWithLimits = { subjects: [], tokens: 0 };

function limitArguments({ subjects, tokens, lastIsOptional }: CallWithLimits, requestId: string): (string | number)[] {
  return [tokens, requestId, lastIsOptional ? '1' : '', ...subjects.flatMap(({ rules }) => rules.scriptArgs)];
}

/** What the budgets hold, by the end of a reply; nothing where nothing is held. */
function heldOf([tokens, sinceMs, ...used]: readonly unknown[]): { tokens: number; sinceMs: number; used: number[] } | undefined {
  return tokens == null || sinceMs == null ? undefined : { tokens: Number(tokens), sinceMs: Number(sinceMs), used: used.map(Number) };
}

const nothingToEnd: ReturnType<typeof endingOf> = { keys: [], values: [] };

type LimitedReply = HeldReply | CountedReply | LimitReply;

function limitedReservationOf(
  reply: LimitedReply,
  { limits, requestId }: { limits: CallWithLimits; requestId: string },
): LimitedReservation {
  const { subjects, tokens } = limits;
  const reachedOf = (at: number, reached: readonly number[]) => {
    const { subject, rules } = subjects[at] as CallWithLimits['subjects'][number];
    return reachedBy(subject, { rules, tokens }, reached);
  };
  if (reply[0] === -2) {
    const [, at, ...reached] = reply;
    return { ok: false, reason: 'limit', reached: reachedOf(at - 1, reached) };
  }
  const [isHeld, amount, atMs, rule, ...used] = reply as CountedReply;
  if (isHeld !== 1 || atMs === undefined) return reservationOf(reply as HeldReply);
  const leftOut = rule === 0 ? undefined : reachedOf(subjects.length - 1, [rule, ...used.splice(-2)]);
  const counted = leftOut === undefined ? subjects : subjects.slice(0, -1);
  const leases = counted.map(({ subject, rules }) => {
    return { subject, keys: limitKeys(subject), rules, requestId, tokens, atMs, used: used.splice(0, rules.rules.length) };
  });
  return { ok: true, amount, leases, leftOut };
}

function settleArguments({ userId, requestIds, wallet, tokens, budgets = [] }: Settlement): [number, ...(string | number)[]] {
  const keys = [walletKey(userId), indexKey(userId)];
  const calls = new Set(requestIds); // a hold named twice would be refunded twice
  for (const requestId of calls) keys.push(holdKey(userId, requestId));
  const values = [calls.size, wallet.balance, wallet.version, tokens.length];
  const rest: (string | number)[] = values;
  for (const { tokenId, remain, version } of tokens) {
    keys.push(tokenKey(userId, tokenId));
    rest.push(tokenId, remain ?? '', version ?? 0);
  }
  for (const { id, unit, buckets } of budgets) rest.push(budgetField({ id, unit }), buckets.length, ...buckets.flatMap(bucketArguments));
  return [keys.length, ...keys, ...rest];
}
