import { noUsage, type UsageRecorded } from '@tollgate/contracts';
import { estimateQuota } from '@tollgate/pricing';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { assertBalance } from '../auth/authenticate.ts';
import { assertMayCall, type Caller } from '../auth/callers.ts';
import type { Call, CheckedCall } from '../context/call.ts';
import { toClientError, upstreamFailure } from '../context/errors.ts';
import type { Ticking } from '../context/open-calls.ts';
import type { Relay } from '../context/relay.ts';
import { reserveBesideCalls, shortestAnswerTokens } from '../quota/hold.ts';
import { endLeases } from '../quota/limits.ts';
import { dearestPrice } from '../quota/priced-fields.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';
import { EventIds } from './caller-event.ts';
import { CallerSide } from './caller-side.ts';
import { Conversation } from './conversation.ts';
import type { Line } from './line.ts';
import { ProviderSide } from './provider-side.ts';
import type { SessionCall } from './round.ts';
import { Rounds } from './rounds.ts';
import { Transcripts } from './transcripts.ts';

type EndReason = UsageRecorded['endReason'];

export interface SessionLines {
  caller: Line;
  provider: Line;
  /** Who calls, looked up again: a key may be revoked meanwhile. */
  callerNow(): Caller | Promise<Caller>;
}

/** How often it is asked whether the caller may still call, and whether the balance still pays for an answer. */
const askedEveryMs = 1_000;
const balanceEveryMs = 5_000;
/** A session whose balance pays for no answer ends after so long: it may be topped up meanwhile. */
const mostUnpaidMs = 15_000;
/** An answer that was told to stop has so long to say what it cost. */
const mostFarewellMs = 2_000;

/** WebSocket's words for why it is closed. Source: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const closeCode = { normal: 1000, goingAway: 1001, policy: 1008, ours: 1011, tryAgain: 1013 } as const;

/**
 * One session: two lines, each of which waits for the other, and the answers that are charged one by one. It ends when either side
 * leaves, when its time is over, when its caller may not call any more or its channel may not serve, and when the relay has to stop.
 */
export class Session implements Ticking {
  place = -1;
  readonly ended: Promise<void>;
  readonly #relay: Relay;
  readonly #call: SessionCall;
  readonly #lines: SessionLines;
  readonly #rounds: Rounds;
  readonly #transcripts: Transcripts;
  readonly #eventIds: EventIds;
  readonly #begunAt = performance.now();
  #pingedAt = performance.now();
  #askedAt = performance.now();
  /** When either side said something last. */
  #saidAt = performance.now();
  #balanceAskedAt = performance.now();
  /** Since when the balance pays for no answer; undefined: it does. */
  #unpaidSince: number | undefined;
  #isEnding = false;
  #resolveEnded!: () => void;
  #whenAllDone: (() => void) | undefined;

  constructor(relay: Relay, call: SessionCall, lines: SessionLines) {
    this.#relay = relay;
    this.#call = call;
    this.#lines = lines;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    const conversation = new Conversation();
    let count = 0;
    const numbered = { conversation, nextNumber: () => ++count };
    this.#rounds = new Rounds(relay, call, numbered);
    this.#transcripts = new Transcripts(relay, call, numbered);
    this.#eventIds = new EventIds(call.id);
    const shared = { relay, call, conversation, rounds: this.#rounds, transcripts: this.#transcripts, eventIds: this.#eventIds };
    const callerSide = new CallerSide({ ...shared, provider: lines.provider, tell: (error, eventId) => this.#tell(error, eventId) });
    const providerSide = new ProviderSide({
      ...shared,
      caller: lines.caller,
      cancel: (id) => this.#cancel(id),
      tell: (error) => this.#tell(error),
      done: () => this.#answerDone(),
    });
    relay.openCalls.watch(this);
    lines.provider.start({
      take: (message, isBinary) => {
        this.#saidAt = performance.now();
        return providerSide.take(message, isBinary);
      },
      ended: () => void this.#end({ reason: 'upstream_died', error: upstreamFailure('interrupted', 'upstream_interrupted') }),
      failed: (error) => void this.#end({ reason: 'upstream_died', error }),
    });
    lines.caller.start({
      take: (message, isBinary) => {
        this.#saidAt = performance.now();
        return this.#isEnding ? undefined : callerSide.take(message, isBinary);
      },
      ended: () => void this.#end({ reason: 'client_gone' }),
      failed: (error) => void this.#end({ reason: 'client_gone', error }),
    });
  }

  tick(now: number): void {
    const { limits } = this.#relay;
    const { caller, provider } = this.#lines;
    const timeout = new AppError('session_over');
    if (now - this.#begunAt > limits.RELAY_REALTIME_LIFE_MS) void this.#end({ reason: 'timeout', error: timeout, code: closeCode.normal });
    else if (now - this.#saidAt > limits.RELAY_REALTIME_IDLE_MS)
      void this.#end({ reason: 'timeout', error: timeout, code: closeCode.normal });
    else if (caller.stuckSince !== undefined && now - caller.stuckSince > limits.RELAY_SLOW_READER_MS) this.#cut();
    else if (now - caller.heardAt > limits.UPSTREAM_SILENCE_MS + limits.RELAY_HEARTBEAT_MS) this.#cut();
    else if (now - provider.heardAt > limits.UPSTREAM_SILENCE_MS + limits.RELAY_HEARTBEAT_MS) {
      void this.#end({ reason: 'timeout', error: upstreamFailure('timeout', 'upstream_timeout') });
    }
    if (now - this.#pingedAt > limits.RELAY_HEARTBEAT_MS) {
      this.#pingedAt = now;
      caller.ping();
      provider.ping();
    }
    if (this.#isEnding) return;
    if (this.#relay.table.channel(this.#call.channel.id)?.isEnabled !== true) {
      return void this.#end({ reason: 'shutdown', error: new AppError('channel_disabled'), code: closeCode.tryAgain });
    }
    if (now - this.#balanceAskedAt >= balanceEveryMs) {
      this.#balanceAskedAt = now;
      void this.#assertCanPay(now);
    }
    if (now - this.#askedAt < askedEveryMs) return;
    this.#askedAt = now;
    void this.#assertMayStay();
  }

  shutDown(): void {
    const error = new AppError('service_unavailable', {}, { retryAfterSeconds: 1 });
    void this.#end({ reason: 'shutdown', error, code: closeCode.goingAway });
  }

  /** A caller who takes nothing, or is not there any more. */
  #cut(): void {
    this.#lines.caller.cut();
    void this.#end({ reason: 'client_gone' });
  }

  /** Ends a session whose key was revoked or whose owner was banned. A database that is away bans nobody. */
  async #assertMayStay(): Promise<void> {
    try {
      assertMayCall(await this.#lines.callerNow(), this.#relay.wallet.time());
    } catch (error) {
      if (error instanceof AppError && error.code === 'service_unavailable') return;
      void this.#end({ reason: 'shutdown', error, code: closeCode.policy });
    }
  }

  /** Ends a session whose balance has paid for no answer for a while. One that answers goes on: its answer is held. */
  async #assertCanPay(now: number): Promise<void> {
    try {
      await assertCanPay(this.#relay, this.#call);
      this.#unpaidSince = undefined;
    } catch (error) {
      this.#unpaidSince ??= now;
      if (now - this.#unpaidSince < mostUnpaidMs || this.#rounds.open.length > 0) return;
      void this.#end({ reason: 'balance', error, code: closeCode.policy });
    }
  }

  #tell(error: unknown, eventId?: string): void {
    const { message, type, param, code } = toClientError(error, this.#call);
    const told = { message, type, param, code: code ?? type, event_id: eventId ?? null };
    this.#lines.caller.send(JSON.stringify({ type: 'error', event_id: this.#eventIds.next(), error: told }));
  }

  #cancel(responseId: string): void {
    this.#lines.provider.send(JSON.stringify({ type: 'response.cancel', response_id: responseId }));
  }

  #answerDone(): void {
    if (this.#rounds.open.length === 0) this.#whenAllDone?.();
  }

  /** What runs is told to stop, and charged by what its provider says it has cost, else by what it delivered. */
  async #end({ reason, error, code }: { reason: EndReason; error?: unknown; code?: number }): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#rounds.ends(reason);
    const { caller, provider } = this.#lines;
    if (error !== undefined) this.#tell(error);
    if (error !== undefined && !(error instanceof AppError) && !(error instanceof UpstreamError)) {
      this.#relay.logger.error({ requestId: this.#call.id, err: error }, 'a session failed for a reason of our own');
    }
    try {
      if (this.#call.channel.settings.on_abort !== 'cancel') await this.#lastWords();
      await Promise.all([this.#rounds.close(reason), this.#transcripts.close(reason)]);
    } catch (cause) {
      this.#relay.logger.warn({ requestId: this.#call.id, err: cause }, 'an answer of a session could not be charged at once');
    }
    caller.close(code ?? (error === undefined ? closeCode.normal : closeCode.ours));
    provider.close(closeCode.normal);
    this.#relay.openCalls.unwatch(this);
    this.#resolveEnded();
  }

  async #lastWords(): Promise<void> {
    const { open } = this.#rounds;
    if (open.length === 0 || !this.#lines.provider.isOpen) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenAllDone = resolve;
    const timer = setTimeout(resolve, Math.min(this.#relay.limits.UPSTREAM_DRAIN_MS, mostFarewellMs));
    for (const id of open) this.#cancel(id);
    await promise;
    clearTimeout(timer);
  }
}

/** What the shortest answer of a session costs. */
function shortestAnswer({ checked }: CheckedCall): number {
  return estimateQuota({ used: noUsage, moreOutput: shortestAnswerTokens, isSpoken: true }, dearestPrice(checked, noUsage));
}

/** Throws: AppError `insufficient_user_quota`, `insufficient_token_quota` when the balance does not pay for the shortest answer. */
async function assertCanPay(relay: Relay, call: CheckedCall): Promise<void> {
  const needed = shortestAnswer(call);
  if (needed > 0) await assertBalance(relay, call.checked.caller, needed);
}

/**
 * Counts a session as one call against every limit while it is open, by a hold of its own. It holds next to nothing, so that the
 * whole balance is left to the session's answers. Throws: AppError `rate_limit_exceeded`, `insufficient_user_quota`, and others.
 */
export async function holdSession(relay: Relay, call: CheckedCall, channel: RoutedChannel | undefined): Promise<void> {
  await assertCanPay(relay, call);
  await reserveBesideCalls(relay, call, { amount: Math.min(1, shortestAnswer(call)), channel });
}

/** Ends the session's hold. `isOpened`: it counts as a request that did not fail. */
export function releaseSession(relay: Relay, { hold }: Call, { isOpened }: { isOpened: boolean }): void {
  if (hold === undefined || hold.isOver) return;
  hold.isOver = true;
  if (hold.leases !== undefined) endLeases(relay, hold, hold.leases, isOpened ? { how: 'reported', tokens: 0 } : { how: 'failed' });
  relay.wallet
    .release(hold)
    .catch((error: unknown) => relay.logger.warn({ requestId: hold.requestId, err: error }, 'the hold of a session was left to the sweep'));
}
