import type { LogText, UsageRecorded } from '@tollgate/contracts';
import type { LimitKeys, Subject } from './keys.ts';
import type { LimitRule, LimitRules } from './limit-rules.ts';

/** The call that a hold belongs to. All verbs of a hold take it; the object given to `reserve` will do. */
export interface HoldOwner {
  userId: number;
  /** 0: the playground, which has no token. */
  tokenId: number;
  /** An unlimited token (and token 0) is never asked what it has left. */
  tokenUnlimited: boolean;
  requestId: string;
}

export interface ReserveRequest extends HoldOwner {
  /** Quota to hold: the most that the call may cost. */
  amount: number;
  /** With less than this the call is refused; between the two, what is there is held. Default: `amount`. */
  minimum?: number;
  /** When the sweep may end the hold, in ms since 1970 by this process's clock; Redis keeps it by its own. */
  deadlineMs: number;
  /** Asked and counted in the same step. Left out: nothing is limited. */
  limits?: CallWithLimits | undefined;
}

/** What a call is counted against, all of it or nothing. */
export interface CallWithLimits {
  subjects: readonly { subject: Subject; rules: LimitRules }[];
  /** That the call may use. */
  tokens: number;
  /** The call is held also where the last subject is at a limit, and not counted against it: a channel, there may be another one. */
  lastIsOptional?: boolean;
}

/** `amount` is what is held now; `available` what the user or the token could still spend. */
export type Reservation = { ok: true; amount: number } | { ok: false; reason: 'user' | 'token'; available: number };

/** With what was counted against limits, if there are any, and the limit for which the last subject was left out. */
export type LimitedReservation =
  | Reservation
  | { ok: true; amount: number; leases: Lease[]; leftOut: Reached | undefined }
  | { ok: false; reason: 'limit'; reached: Reached };

/** What one call took of the limits of one subject: it is counted as open until it is ended, or until it is not renewed in time. */
export interface Lease {
  subject: Subject;
  keys: LimitKeys;
  rules: LimitRules;
  requestId: string;
  /** When it was counted, by Redis's clock. */
  atMs: number;
  /** As they were estimated. */
  tokens: number;
  /** What was used by each rule then, this call included. */
  used: readonly number[];
}

/** A limit that refuses a call. */
export interface Reached {
  subject: Subject;
  rule: LimitRule;
  used: number;
  /** That the call might use. */
  tokens: number;
  /** In how many ms there is room for this call; left out: nobody knows. */
  waitMs?: number;
  /** The call alone is more than the limit. */
  isTooMuch: boolean;
}

/**
 * How a call ended: it used so many tokens; it failed, so that it was a request and no more; or it was passed over, as if it had never
 * been (the next channel is asked instead).
 */
export type LeaseEnd = { how: 'reported'; tokens: number } | { how: 'failed' | 'passed'; tokens?: undefined };

export interface Progress {
  /** What the hold should be at least, in all (no increment); left out: as it is. */
  amount?: number;
  /** The bill if the relay died now; it replaces the one before, also when the growth is refused. */
  event?: UsageRecorded;
  /** The new deadline, as of a reservation. */
  deadlineMs: number;
}

export interface Reported {
  /** The part of the quota that nothing covered. */
  uncollected: number;
  /** False: another event of this call stands already (a sweep was quicker). Then nothing is to be published. */
  accepted: boolean;
  /** The event as it goes to the bus: `pushEncoded(String(userId), json)`. */
  json: string;
}

/** What billing charged: all holds of one user in one batch, and what is in the database now. */
export interface Settlement {
  userId: number;
  requestIds: string[];
  wallet: { balance: number; version: number };
  /** All tokens of these events; without `remain`, those that have no wallet. */
  tokens: { tokenId: number; remain?: number; version?: number }[];
}

/** A hold whose time has come. `overdueMs` counts from its deadline, or from its last publication. */
export interface DueHold {
  userId: number;
  requestId: string;
  overdueMs: number;
}

export type Expiry =
  /** The call was answered and nobody charged it: publish `event`, then call `republished`. `lost`: it was open until now. */
  | { state: 'reported'; event: UsageRecorded; lost: boolean; reportedAtMs: number }
  /** Nothing had been delivered: the hold is gone. */
  | { state: 'released' }
  /** Somebody was quicker, or the deadline moved. */
  | { state: 'none' };

/** One change of a wallet that is no usage. `id` derives from the fact (`redeem:<code>`, `task-refund:<task>`). */
export interface Posting {
  id: string;
  userId: number;
  /** Quota; a negative amount is refused when the balance does not cover it. */
  amount: number;
  /** What the balance may be after it; a positive amount that would make it more is refused. Without it nothing is too much. */
  most?: number;
  reason: string;
  /** Gives the amount to this token, too (refund of a call that was charged to it). */
  tokenId?: number;
  /** A row of the log, `_id` = `id`, written once however often the posting is repeated. */
  log?: { type: 1 | 3 | 4; username?: string; content?: string; text?: LogText; quota?: number };
}

/** `first` is false for a repetition of a posting that was finished before. */
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

/** How many holds have not ended: `open` calls are running, `reported` ones are answered and not charged yet. */
export interface HoldCounts {
  open: number;
  reported: number;
}

/** The money verbs. Each may be repeated with the same arguments and then changes nothing. They throw when a store is down. */
export interface Wallet {
  /** Holds quota before a call. */
  reserve(request: ReserveRequest): Promise<LimitedReservation>;
  /** Grows a hold, notes what was delivered so far, and moves the deadline. Refused: the hold stays as it was, the rest is done. */
  progress(owner: HoldOwner, progress: Progress): Promise<Reservation>;
  /**
   * Writes the event into the hold, which waits there until billing has charged it, and frees what the call did not use. In the same
   * step ends what was counted against limits.
   */
  report(owner: HoldOwner, event: UsageRecorded, ending?: { leases: readonly Lease[]; end: LeaseEnd }): Promise<Reported>;
  /** Ends the hold of a call that failed, free of charge. A reported hold stays. */
  release(owner: HoldOwner): Promise<void>;
  /** Ends holds whose events are charged; one round trip for all of them. */
  settle(settlements: Settlement[]): Promise<void>;

  /** Counts a call that is held against the limits of one more subject (the next channel), or says which of them it would break. */
  lease(
    subject: Subject,
    call: { rules: LimitRules; tokens: number; requestId: string; lifeMs: number },
  ): Promise<{ ok: true; lease: Lease } | { ok: false; reached: Reached }>;
  /** Calls that go on stay open for `lifeMs` more. */
  renewLeases(leases: readonly Lease[], lifeMs: number): Promise<void>;
  /** Ends what `reserve` and `lease` have counted, and puts right what was estimated. Once a lease: a second time would count again. */
  endLeases(leases: readonly Lease[], end: LeaseEnd): Promise<void>;

  /** What time it is, in ms since 1970: Redis's, the one clock that all processes share. */
  now(): Promise<number>;
  /** The same without waiting, as Redis said it within the last seconds; before its first word, this machine's time. */
  time(): number;
  /** Holds to look at by that clock, the most overdue first. */
  due(nowMs: number, limit: number): Promise<DueHold[]>;
  /** Ends an overdue open hold, or hands out the event of a reported one. */
  expire(hold: { userId: number; requestId: string }, nowMs: number): Promise<Expiry>;
  /** The event was published again; the hold is not due before `nextMs`. */
  republished(hold: { userId: number; requestId: string }, nextMs: number): Promise<void>;
  /** The event of a reported hold is among the dead letters: the hold goes on guarding the balance, and is due no more. */
  setAside(hold: { userId: number; requestId: string }): Promise<void>;
  /** The request ids of those that still have a hold, open or reported. */
  standing(holds: { userId: number; requestId: string }[]): Promise<Set<string>>;
  counts(): Promise<HoldCounts>;

  /**
   * Keeps how many answers each user got of the calls that began in that hour (ms since 1970), as `source`, one process, has counted so far.
   * A repetition counts nothing twice; kept for two days.
   */
  noteAnswers(hourMs: number, source: string, counts: ReadonlyMap<number, number>): Promise<void>;
  /** The sum of what all processes noted, by user. */
  answers(hourMs: number): Promise<Map<number, number>>;

  /** Makes a user's wallet, empty; money comes by `post`. */
  open(userId: number): Promise<void>;
  /** Changes a wallet by a ledger entry, exactly once by `id`. Throws when the id was used for another user or amount. */
  post(posting: Posting): Promise<Posted>;
  /** Finishes entries that a dead process left pending. Returns how many. */
  finishPending(olderThanMs?: number): Promise<number>;
  /** From the database; of a user without a wallet zeros. */
  balance(userId: number): Promise<Balance>;
  balances(userIds: number[]): Promise<Map<number, Balance>>;
  /**
   * What is left of wallets when every answered call is charged: the balance less what is reported and not settled yet. People are
   * shown this, and an edit counts from it; of a user without a wallet 0. Calls that still run are not subtracted. Throws when Redis is down.
   */
  remaining(userIds: number[]): Promise<Map<number, number>>;

  openToken(token: { tokenId: number; userId: number; remain: number }): Promise<void>;
  /** Sets what a token may still spend, as its owner said. */
  setTokenRemain(token: { tokenId: number; userId: number; remain: number }): Promise<void>;
  /**
   * Adds to what a token may still spend, or takes from it when `amount` is negative, at most what there is. False, and nothing is changed: it
   * would be more than `most`.
   */
  addTokenRemain(token: { tokenId: number; userId: number; amount: number; most?: number }): Promise<boolean>;
  tokenBalances(tokenIds: number[]): Promise<Map<number, TokenBalance>>;
  /** The same as `remaining` for tokens with a limit, by token id. */
  tokensRemaining(tokens: { tokenId: number; userId: number }[]): Promise<Map<number, number>>;
  /** Sets every balance that Redis knows to the database's, where that is newer: after a restore Redis is the older of the two. */
  catchUp(): Promise<void>;
}
