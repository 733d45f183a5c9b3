import type { BudgetUnit, LogText, UsageRecorded } from '@tollgate/contracts';
import type { BudgetExceeded, BudgetRule, BudgetUsage, CallWithBudgets, HeldBudgets } from './budgets.ts';
import type { LimitKeys, Subject } from './keys.ts';
import type { LimitRule, LimitRules } from './limit-rules.ts';

/** The call that a hold belongs to, passed to all verbs of a hold. The object given to `reserve` qualifies. */
export interface HoldOwner {
  userId: number;
  /** 0: the playground, which has no token. */
  tokenId: number;
  /** The remaining quota of an unlimited token (and of token 0) is not checked. */
  tokenUnlimited: boolean;
  requestId: string;
  /** What the call holds of budgets, as `reserve` returned it; undefined: it has none. */
  heldBudgets?: HeldBudgets | undefined;
}

export interface ReserveRequest extends Omit<HoldOwner, 'heldBudgets'> {
  /** Quota to hold: the maximum cost of the call. */
  amount: number;
  /** The call is refused when less than this is available. Between minimum and amount, what is available is held. Default: `amount`. */
  minimum?: number;
  /** When the sweep may end the hold, in ms since 1970 by this process's clock. Redis converts it to its own clock. */
  deadlineMs: number;
  /** Limits that are checked and counted in the same step. Omitted: nothing is limited. */
  limits?: CallWithLimits | undefined;
  /** Budgets that the call counts in, in the same step. Omitted: there are none. */
  budgeted?: CallWithBudgets | undefined;
}

/** The limits of a call. All subjects are counted, or none. */
export interface CallWithLimits {
  subjects: readonly { subject: Subject; rules: LimitRules }[];
  /** Tokens that the call may use. */
  tokens: number;
  /** Holds the call even when the last subject is at a limit, without counting it there: another channel may serve the call. */
  lastIsOptional?: boolean;
}

/** `amount` is what is held now; `available` is what the user or token can still spend. */
export type Reservation = { ok: true; amount: number } | { ok: false; reason: 'user' | 'token'; available: number };

/** Includes the leases that were counted, and the limit because of which the last subject was not. */
export type LimitedReservation =
  | Reservation
  | { ok: true; amount: number; budgets: HeldBudgets }
  | { ok: true; amount: number; leases: Lease[]; leftOut: LimitExceeded | undefined; budgets?: HeldBudgets | undefined }
  | { ok: false; reason: 'budget'; exceeded: BudgetExceeded }
  | { ok: false; reason: 'limit'; reached: LimitExceeded };

/** What one call counts against the limits of one subject. The call is open until its lease is ended or expires. */
export interface Lease {
  subject: Subject;
  keys: LimitKeys;
  rules: LimitRules;
  requestId: string;
  /** When the call was counted, by Redis's clock. */
  atMs: number;
  /** The estimated tokens. */
  tokens: number;
  /** What was used by each rule then, including this call. */
  used: readonly number[];
}

/** A limit that refuses a call. */
export interface LimitExceeded {
  subject: Subject;
  rule: LimitRule;
  used: number;
  /** Tokens that the call might use. */
  tokens: number;
  /** In how many ms there is room for this call; omitted when unknown. */
  waitMs?: number;
  /** The call alone exceeds the limit. */
  isTooMuch: boolean;
}

/**
 * How a call ended. `reported`: it used these tokens. `failed`: it counts as a request only. `passed`: it does not count at all, because
 * another channel serves the call.
 */
export type LeaseEnd = { how: 'reported'; tokens: number } | { how: 'failed' | 'passed'; tokens?: undefined };

export interface Progress {
  /** Minimum total amount of the hold (not an increment). Omitted: unchanged. */
  amount?: number;
  /** The bill if the relay died now. Replaces the previous draft, even when the growth is refused. */
  event?: UsageRecorded;
  /** The new deadline, as in `ReserveRequest`. */
  deadlineMs: number;
}

export interface Reported {
  /** The part of the quota that the balance did not cover. */
  uncollected: number;
  /** False when another event of this call is stored already (by the sweep): then do not publish this one. */
  accepted: boolean;
  /** The event for the bus: `pushEncoded(String(userId), json)`. */
  json: string;
}

/** What billing charged: all holds of one user in one batch, and the new values of the database. */
export interface Settlement {
  userId: number;
  requestIds: string[];
  wallet: { balance: number; version: number };
  /** All tokens of these events. Tokens without a wallet have no `remain`. */
  tokens: { tokenId: number; remain?: number; version?: number }[];
  /** The budgets of these events, with what the database has of the buckets that they count in. */
  budgets?: { id: string; unit: BudgetUnit; buckets: { from: Date; until: Date; spent: number; version: number }[] }[];
}

/** A hold that is due. `overdueMs` counts from its deadline, or from its last publication. */
export interface DueHold {
  userId: number;
  requestId: string;
  overdueMs: number;
}

export type Expiry =
  /** Answered but not charged: publish `event`, then call `republished`. `lost`: the hold was open until now. */
  | { state: 'reported'; event: UsageRecorded; lost: boolean; reportedAtMs: number }
  /** Nothing was delivered: the hold is gone. */
  | { state: 'released' }
  /** Another process handled it, or the deadline moved. */
  | { state: 'none' };

/** One change of a wallet other than usage. `id` derives from the fact (`redeem:<code>`, `task-refund:<task>`). */
export interface Posting {
  id: string;
  userId: number;
  /** Quota; a negative amount is refused when the balance does not cover it. */
  amount: number;
  /** Maximum balance afterwards. A positive amount that would exceed it is refused. Omitted: no maximum. */
  most?: number;
  reason: string;
  /** Also adds the amount to this token (refund of a call that was charged to it). */
  tokenId?: number;
  /** A row of the log, `_id` = `id`, written once even when the posting is repeated. */
  log?: { type: 1 | 3 | 4; username?: string; content?: string; text?: LogText; quota?: number };
}

/** `first` is false when the posting was finished before. */
export interface Posted {
  state: 'applied' | 'refused';
  first: boolean;
  balance: number;
}

export interface Balance {
  balance: number;
  usedQuota: number;
  requests: number;
}

export interface TokenBalance {
  remain: number;
  used: number;
  accessedAt: Date | null;
}

/** Number of holds that have not ended: `open` calls are running, `reported` ones are answered and not charged yet. */
export interface HoldCounts {
  open: number;
  reported: number;
}

/** The money verbs. Repeating one with the same arguments changes nothing. They throw when a datastore is down. */
export interface Wallet {
  /** Holds quota before a call. */
  reserve(request: ReserveRequest): Promise<LimitedReservation>;
  /**
   * Grows a hold, stores a draft of what was delivered so far, and moves the deadline. When growth is refused, only the amount is
   * unchanged.
   */
  progress(owner: HoldOwner, progress: Progress): Promise<Reservation | { ok: false; reason: 'budget'; available: number }>;
  /**
   * Writes the event into the hold, which keeps it until billing has charged it, and frees the unused rest. Ends the call's leases in the
   * same step.
   */
  report(owner: HoldOwner, event: UsageRecorded, ending?: { leases: readonly Lease[]; end: LeaseEnd }): Promise<Reported>;
  /** Ends the hold of a call that failed, free of charge. A reported hold stays. */
  release(owner: HoldOwner): Promise<void>;
  /** Ends holds whose events are charged, in one round trip. */
  settle(settlements: Settlement[]): Promise<void>;

  /** Counts a held call against the limits of one more subject (the next channel), or returns the limit that it would exceed. */
  lease(
    subject: Subject,
    call: { rules: LimitRules; tokens: number; requestId: string; lifeMs: number },
  ): Promise<{ ok: true; lease: Lease } | { ok: false; reached: LimitExceeded }>;
  /** Extends leases of running calls to `lifeMs` from now. */
  renewLeases(leases: readonly Lease[], lifeMs: number): Promise<void>;
  /** Ends leases of `reserve` and `lease` and corrects their estimates. Call it once per lease: a second call would count again. */
  endLeases(leases: readonly Lease[], end: LeaseEnd): Promise<void>;

  /** Redis's time in ms since 1970, the one clock that all processes share. */
  now(): Promise<number>;
  /** Redis's time without waiting, from its last answer (a few seconds old at most); this machine's time before the first answer. */
  time(): number;
  /** Holds that are due by that clock, the most overdue first. */
  due(nowMs: number, limit: number): Promise<DueHold[]>;
  /** Ends an overdue open hold, or returns the event of a reported one. */
  expire(hold: { userId: number; requestId: string }, nowMs: number): Promise<Expiry>;
  /** Records that the event was published again; the hold is not due before `nextMs`. */
  republished(hold: { userId: number; requestId: string }, nextMs: number): Promise<void>;
  /** The event of a reported hold is among the dead letters: the hold keeps guarding the balance and is never due again. */
  quarantine(hold: { userId: number; requestId: string }): Promise<void>;
  /** The request ids of those holds that exist, open or reported. */
  existingHolds(holds: { userId: number; requestId: string }[]): Promise<Set<string>>;
  counts(): Promise<HoldCounts>;

  /**
   * Stores the number of answered calls per user that began in that hour (ms since 1970), as counted so far by `source`, one process.
   * Repeatable; kept for two days.
   */
  noteAnswers(hourMs: number, source: string, counts: ReadonlyMap<number, number>): Promise<void>;
  /** The sum over all processes, by user. */
  answers(hourMs: number): Promise<Map<number, number>>;

  /** Creates an empty wallet for a user; `post` adds money. */
  open(userId: number): Promise<void>;
  /** Changes a wallet by a ledger entry, exactly once by `id`. Throws when the id was used for another user or amount. */
  post(posting: Posting): Promise<Posted>;
  /** Finishes entries that a dead process left pending. Returns their number. */
  finishPending(olderThanMs?: number): Promise<number>;
  /** Reads the database; zeros for a user without a wallet. */
  balance(userId: number): Promise<Balance>;
  balances(userIds: number[]): Promise<Map<number, Balance>>;
  /**
   * The balance less what is reported and not settled yet; 0 for a user without a wallet. The console shows this value and edits count from
   * it. Running calls are not subtracted. Throws when Redis is down.
   */
  remaining(userIds: number[]): Promise<Map<number, number>>;

  openToken(token: { tokenId: number; userId: number; remain: number }): Promise<void>;
  /** Sets what a token may still spend, at its owner's request. */
  setTokenRemain(token: { tokenId: number; userId: number; remain: number }): Promise<void>;
  /**
   * Adds to what a token may still spend, or removes at most what it has when `amount` is negative. Returns false without a change when the
   * result would exceed `most`.
   */
  addTokenRemain(token: { tokenId: number; userId: number; amount: number; most?: number }): Promise<boolean>;
  tokenBalances(tokenIds: number[]): Promise<Map<number, TokenBalance>>;
  /** Like `remaining`, for tokens with a limit, by token id. */
  tokensRemaining(tokens: { tokenId: number; userId: number }[]): Promise<Map<number, number>>;
  /** What payers used of budgets in the current windows, in the budgets' units. */
  budgetUsages(asked: readonly { payer: number; rule: Pick<BudgetRule, 'id' | 'unit'> }[]): Promise<BudgetUsage[]>;
  /** Sets every balance in Redis to the database's where that is newer: after a restore Redis is the older of the two. */
  catchUp(): Promise<void>;
}
