import { promptTokensOf, type Usage } from '@tollgate/contracts';
import { affordableOutputTokens, type CallPrice, estimateQuota } from '@tollgate/pricing';
import { AppError } from '@tollgate/runtime';
import type { LeaseEnd, LimitedReservation, ReserveRequest } from '@tollgate/wallet';
import { shortOf } from '../auth/authenticate.ts';
import type { Caller } from '../auth/callers.ts';
import type { Call, CheckedCall, HeldCall, Hold } from '../context/call.ts';
import { noteChange } from '../context/changes.ts';
import type { Relay } from '../context/relay.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';
import { budgetRefusal, callBudgets } from './budgets.ts';
import { callLimits, endLeases, ownLimits, refuseBeyond, renewLeases, withoutReached } from './limits.ts';
import { dearestPrice } from './priced-fields.ts';

/** With less than this affordable a call is refused rather than cut short at once. */
export const shortestAnswerTokens = 16;

export interface OutputWish {
  /** The longest answer that the caller asks for, of one choice; undefined: as long as it gets. */
  maxTokens: number | undefined;
  choices: number;
  /** Tokens that may be paid for as output beside the answers: a prediction that does not come true. */
  besides?: number;
  /** The answer may be speech. */
  isSpoken?: boolean;
}

/** What a call may cost, and what of it counts in budgets. */
export function boundsOf(call: CheckedCall, wish: OutputWish & { longest: number }) {
  const { checked } = call;
  const { caller, promptEstimate, most } = checked;
  const { longest, choices, besides = 0, isSpoken } = wish;
  const used = most === undefined ? likelyMost(promptEstimate) : { ...likelyMost(promptEstimate), ...most };
  const price = dearestPrice(checked, used);
  const shortest = Math.min(longest, shortestAnswerTokens);
  const least = most === undefined ? promptEstimate : { ...promptEstimate, ...most };
  const prompt = promptTokensOf(used) + besides;
  return {
    used,
    price,
    shortest,
    prompt,
    /** Of the longest and of the shortest answer that makes sense. */
    amount: estimateQuota({ used, moreOutput: longest * choices + besides, isSpoken }, price),
    minimum: estimateQuota({ used: least, moreOutput: shortest * choices + besides, isSpoken }, price),
    likelyTokens: promptTokensOf(used) + (wish.maxTokens ?? 0) * choices,
    budgeted: callBudgets(
      { caller, run: call.run, model: checked.model },
      { tokens: prompt + longest * choices, minimumTokens: promptTokensOf(least) + shortest * choices },
    ),
  };
}

/** A call with its quota held. */
export interface Reserved {
  held: HeldCall;
  /** The longest affordable answer, in tokens of one choice, where the balance does not carry the longest possible one. */
  outputLimit: number | undefined;
}

/**
 * Holds quota for a call: what pays for the longest answer of each choice, or, where the balance does not carry that, what it
 * carries; and counts it, in the same step, against the limits that concern it, those of the channel that would be asked first among them.
 * Throws: AppError `insufficient_user_quota`, `insufficient_token_quota`, `token_quota_depleted`, `rate_limit_exceeded`, `call_beyond_limit`, `budget_exceeded`,
 * `budget_used_up`, `service_unavailable`.
 */
export async function reserve(
  relay: Relay,
  call: CheckedCall,
  wish: OutputWish & { longest: number; channel: RoutedChannel | undefined },
): Promise<Reserved> {
  const { caller } = call.checked;
  const { longest, choices, besides = 0, isSpoken, channel } = wish;
  const { used, price, amount, minimum, likelyTokens, budgeted, prompt, shortest } = boundsOf(call, wish);
  const hold = holdOf(relay, call, { caller, amount, likelyTokens });
  const limits = callLimits(relay, call, { tokens: hold.likelyTokens, channel });
  const isWhole = wantsWhole(call);
  if (isWhole && budgeted !== undefined) budgeted.minimumTokens = budgeted.tokens;
  const needed = isWhole ? amount : minimum;
  const reserved = await reserveInTurn(relay, call, { ...hold, minimum: needed, limits, budgeted });
  if (!reserved.ok) throw refusedBy(relay, reserved, needed);
  const held = withHold(call, { hold, reserved, channel });
  const byBudget = budgeted === undefined ? Number.POSITIVE_INFINITY : (held.hold.heldBudgets?.tokens ?? 0) - prompt;
  if (reserved.amount >= amount && byBudget >= longest * choices) return { held, outputLimit: undefined };
  const byMoney =
    reserved.amount >= amount ? Number.POSITIVE_INFINITY : affordableOutputTokens(reserved.amount, { used, isSpoken }, price) - besides;
  const affordable = Math.min(byMoney, byBudget);
  if (!Number.isFinite(affordable)) return { held, outputLimit: undefined };
  const outputLimit = Math.max(shortest, Math.floor(affordable / choices));
  if (outputLimit < longest) noteChange(call, 'max_tokens', `lowered to ${outputLimit} (${shorteningOf(held.hold)})`);
  return { held, outputLimit };
}

const policyHeader = 'x-budget-policy';

/**
 * Whether the caller would rather be refused than get a shorter answer: `X-Budget-Policy: full-or-refuse`.
 * Throws: AppError `invalid_request` for another policy.
 */
function wantsWhole({ request }: Call): boolean {
  const policy = request.headers[policyHeader];
  if (policy === undefined || policy === 'shorten') return false;
  if (policy === 'full-or-refuse') return true;
  throw new AppError('invalid_request', { reason: `${policyHeader} is full-or-refuse or shorten` });
}

/** Why an answer is shorter than the caller asked for: a budget that the call uses up, or else the balance. */
function shorteningOf({ heldBudgets }: Hold): string {
  const full = heldBudgets?.rules.findIndex(({ limit }, i) => limit !== undefined && (heldBudgets.used[i] ?? 0) >= limit) ?? -1;
  return full < 0 ? 'balance' : `budget ${heldBudgets?.rules[full]?.id}`;
}

function withHold(
  call: CheckedCall,
  { hold, reserved, channel }: { hold: Hold; reserved: AskedOfMoney & { ok: true }; channel: RoutedChannel | undefined },
): HeldCall {
  hold.amount = reserved.amount;
  if ('budgets' in reserved) hold.heldBudgets = reserved.budgets;
  if ('leases' in reserved) {
    hold.leases = reserved.leases;
    if (channel?.limits !== undefined) hold.first = { channelId: channel.id, reached: reserved.leftOut };
  }
  return Object.assign(call, { hold });
}

/**
 * Holds an amount for something that lasts and lets the payer's calls go on beside it: no call waits for it to end.
 * Throws: AppError `insufficient_user_quota`, `insufficient_token_quota`, `rate_limit_exceeded`, `service_unavailable`.
 */
export async function reserveBesideCalls(
  relay: Relay,
  call: CheckedCall,
  { amount, channel }: { amount: number; channel: RoutedChannel | undefined },
): Promise<HeldCall> {
  const hold = holdOf(relay, call, { caller: call.checked.caller, amount, likelyTokens: 0 });
  const reserved = await reserveWithin(relay, call, { ...hold, limits: callLimits(relay, call, { tokens: 0, channel }) });
  if (!reserved.ok) throw refusedBy(relay, reserved, amount);
  return withHold(call, { hold, reserved, channel });
}

function refusedBy(relay: Relay, refused: AskedOfMoney & { ok: false }, needed: number): AppError {
  if (refused.reason === 'budget') return budgetRefusal(relay, refused.exceeded);
  return shortOf(refused.reason, { available: refused.available, needed });
}

/** A hold of a call as it begins. */
export function holdOf(
  { limits: { RELAY_HOLD_MS } }: Relay,
  { id: requestId }: Call,
  { caller, ...weighed }: { caller: Caller; amount: number; likelyTokens: number },
): Hold {
  const { userId, tokenId, unlimited: tokenUnlimited } = caller;
  return {
    userId,
    tokenId,
    tokenUnlimited,
    requestId,
    ...weighed,
    deadlineMs: Date.now() + RELAY_HOLD_MS,
    isOver: false,
    heldBudgets: undefined,
    leases: undefined,
    first: undefined,
  };
}

/** What a prompt hardly weighs more than. Texts are weighed to within a quarter, images of unseen size as the usual ones. */
function likelyMost(estimate: Usage): Usage {
  return {
    ...estimate,
    textInput: withQuarter(estimate.textInput),
    cacheWrite5m: withQuarter(estimate.cacheWrite5m),
    cacheWrite1h: withQuarter(estimate.cacheWrite1h),
    audioInput: withQuarter(estimate.audioInput),
    imageInput: estimate.imageInput * 2,
  };
}

/** A short text is weighed to within a token. */
function withQuarter(tokens: number): number {
  return tokens === 0 ? 0 : tokens + Math.max(1, Math.ceil((tokens - 8) / 4));
}

/** Refused for want of money, it tries again as often as another call of the user ends: what that one held and did not use may do. */
export async function reserveInTurn(relay: Relay, call: Call, request: ReserveRequest): Promise<AskedOfMoney> {
  const { turns, limits } = relay;
  const { userId } = request;
  const untilMs = performance.now() + limits.RELAY_TURN_MS;
  for (let isFirst = false; ; isFirst = true) {
    const reserved = await reserveWithin(relay, call, request);
    if (reserved.ok) {
      call.exceeded = undefined;
      turns.taken(userId);
      turns.next(userId);
      return reserved;
    }
    const isFinal = reserved.reason === 'budget' && reserved.exceeded.roomAtMs !== 0; // no open call holds what is missing
    if (reserved.reason === 'budget') call.exceeded = reserved.exceeded;
    if (isFinal || call.isGone || !(await turns.wait(userId, { untilMs, bytes: call.bufferedBytes, isFirst }))) {
      turns.next(userId);
      return reserved;
    }
    request.deadlineMs = Date.now() + limits.RELAY_HOLD_MS;
  }
}

type AskedOfMoney = Exclude<LimitedReservation, { reason: 'limit' }>;

/** A limit that is reached is not asked again where limits are only watched. Throws: AppError that says which one. */
async function reserveWithin(relay: Relay, call: Call, request: ReserveRequest): Promise<AskedOfMoney> {
  for (;;) {
    let reserved: LimitedReservation;
    try {
      reserved = await relay.wallet.reserve(request);
    } catch (cause) {
      throw notReserved(relay, request, cause);
    }
    if (reserved.ok || reserved.reason !== 'limit') return reserved;
    try {
      refuseBeyond(relay, call, reserved.reached);
    } catch (refusal) {
      relay.turns.next(request.userId); // who waits for a turn need not be beyond it: his token is another
      throw refusal;
    }
    request.limits = request.limits && withoutReached(request.limits, reserved.reached);
  }
}

function notReserved(relay: Relay, request: ReserveRequest, cause: unknown): AppError {
  relay.logger.error({ requestId: request.requestId, err: cause }, 'nothing could be reserved');
  // Whether Redis did it nobody knows: if it did, this or the sweep takes it back.
  relay.wallet.release(request).catch(() => undefined);
  return new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
}

/** Gives the quota of a call back that failed, or was free, and ends its turn, if that is not over. Nobody waits for it: if Redis is away, the sweep does it. */
export function release(relay: Relay, hold: Hold, end: LeaseEnd = { how: 'failed' }): void {
  if (hold.isOver) return;
  hold.isOver = true;
  if (hold.leases !== undefined) endLeases(relay, hold, hold.leases, end);
  relay.wallet
    .release(hold)
    .catch((error: unknown) => relay.logger.warn({ requestId: hold.requestId, err: error }, 'a hold was left to the sweep'))
    .finally(() => relay.turns.ended(hold.userId));
}

/** The hold that carries `delivered` and as much again as may come until the next look at it. */
export function holdFor(delivered: Usage, price: CallPrice, moreTokens: number): number {
  return estimateQuota({ used: delivered, moreOutput: moreTokens }, price);
}

/** Moves the deadlines of holds whose calls go on, so that no sweep takes them for dead. */
export function renewHolds(relay: Relay): () => void {
  const lifeMs = relay.limits.RELAY_HOLD_MS;
  const timer = setInterval(() => {
    const nowMs = Date.now();
    for (const call of relay.openCalls) {
      const { hold } = call;
      if (hold === undefined || hold.isOver) continue;
      if (hold.leases !== undefined) renewLeases(relay, hold, hold.leases);
      if (hold.deadlineMs - nowMs > (lifeMs * 2) / 3) continue;
      hold.deadlineMs = nowMs + lifeMs;
      relay.wallet
        .progress(hold, { deadlineMs: hold.deadlineMs })
        .catch((error: unknown) => relay.logger.warn({ requestId: call.id, err: error }, 'a hold could not be renewed'));
    }
  }, lifeMs / 6);
  timer.unref();
  return () => clearInterval(timer);
}

/** Counts a call that costs nothing as a request of its user and token, by a hold of nothing; where they have no limits nothing is done. */
export async function holdNothing(relay: Relay, call: Call, caller: Caller): Promise<void> {
  call.hold = await heldForLimits(relay, call, caller);
}

/**
 * Refuses a caller who is beyond a limit, without counting this call: clients that poll a task would use up their requests by it.
 * Throws: AppError `rate_limit_exceeded`.
 */
export async function assertWithinLimits(relay: Relay, call: Call, caller: Caller): Promise<void> {
  const hold = await heldForLimits(relay, call, caller);
  if (hold !== undefined) release(relay, hold, { how: 'passed' });
}

async function heldForLimits(relay: Relay, call: Call, caller: Caller): Promise<Hold | undefined> {
  const limits = ownLimits(relay, caller, 0);
  if (limits === undefined) return undefined;
  const hold = holdOf(relay, call, { caller, amount: 0, likelyTokens: 0 });
  const reserved = await reserveInTurn(relay, call, { ...hold, limits });
  if ('leases' in reserved) hold.leases = reserved.leases;
  return hold;
}
