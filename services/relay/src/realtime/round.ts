import { ServerResponse } from 'node:http';
import type { Usage, UsageRecorded } from '@tollgate/contracts';
import {
  addSaid,
  type Delivered,
  type JsonObject,
  notBelow,
  realtimeUsageIn,
  type SaidSoFar,
  type UsageReading,
  withinBound,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { admit } from '../auth/authenticate.ts';
import { type AskedCall, Call, type Checked, type CheckedCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Bill } from '../context/terms.ts';
import { Delivery } from '../quota/delivery-tracker.ts';
import { holdOf, release, reserve } from '../quota/hold.ts';
import { leaseChannel } from '../quota/limits.ts';
import { partialUsage, report } from '../quota/report.ts';
import { runOf } from '../quota/runs.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';

/** A session's call: its hold counts the session against limits, its answers are held one by one. */
export type SessionCall = CheckedCall & { readonly channel: RoutedChannel };

export interface RoundWish {
  /** What is charged, and by what. */
  facts: Pick<Checked, 'mode' | 'model' | 'price' | 'extras' | 'promptEstimate' | 'most'> & { bill?: Checked['bill'] };
  /** The longest answer, in tokens. */
  longest: number;
  number: number;
  upstreamModel: string;
}

/** One answer of a session, or one transcript: a call of its own, held before it may begin and charged when it is done. */
export class Round {
  /** The longest answer that the wallet carries, where that is less than the longest possible one. */
  readonly outputLimit: number | undefined;
  readonly call: AskedCall;
  readonly #relay: Relay;
  readonly #said: SaidSoFar = { text: 0, sound: 0, characters: 0 };
  readonly delivery: Delivery;
  #usage: UsageReading | undefined;
  #hasBegun = false;
  #isCut = false;

  /**
   * Holds what it may cost at the most. Throws: AppError that says why it may not begin, such as `insufficient_user_quota`,
   * `rate_limit_exceeded`, `service_unavailable`.
   */
  static async hold(relay: Relay, session: SessionCall, wish: RoundWish): Promise<Round> {
    if (relay.publisher.full) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 5 });
    let round: Round | undefined;
    const checked = checkedWithin(relay, session, wish, (stated) => (round as Round).#ownBill(stated));
    const call: Call = checked;
    relay.openCalls.enter(call);
    try {
      admit(relay, call, session.checked.caller);
      call.run = await runOf(relay, session, session.checked.caller, { body: {} }); // again: its ceiling may have been raised
      const { held, outputLimit } = await reserve(relay, checked, {
        maxTokens: wish.longest,
        longest: wish.longest,
        choices: 1,
        isSpoken: wish.facts.mode === 'realtime',
        channel: session.channel,
      });
      const asked: AskedCall = Object.assign(held, { channel: session.channel });
      const roomMs = await leaseChannel(relay, held, session.channel);
      if (roomMs !== undefined) throw new AppError('upstream_saturated', {}, { retryAfterSeconds: Math.ceil(roomMs / 1000) });
      asked.upstreamModel = wish.upstreamModel;
      asked.triedChannels.push(...session.triedChannels);
      round = new Round(relay, asked, outputLimit);
      return round;
    } catch (error) {
      relay.openCalls.leave(call);
      if (call.hold !== undefined) release(relay, call.hold);
      throw error;
    }
  }

  /**
   * An answer that began although nothing could be held for it. None of it may be delivered; what the provider states as its cost is
   * charged all the same, as far as the balance goes, and the rest of it is recorded as not collected.
   */
  static async unheld(relay: Relay, session: SessionCall, wish: RoundWish): Promise<Round> {
    let round: Round | undefined;
    const checked = checkedWithin(relay, session, wish, (stated) => (round as Round).#ownBill(stated));
    const { caller } = checked.checked;
    const hold = holdOf(relay, checked, { caller, amount: 0, likelyTokens: 0 });
    // Without it the report makes the hold anew, so a datastore that is away changes nothing here.
    await relay.wallet.reserve(hold).catch((error: unknown) => {
      relay.logger.warn({ requestId: checked.id, err: error }, 'a hold of nothing could not be taken');
    });
    relay.turns.taken(hold.userId);
    const asked: AskedCall = Object.assign(checked, { hold, channel: session.channel });
    asked.upstreamModel = wish.upstreamModel;
    asked.triedChannels.push(...session.triedChannels);
    round = new Round(relay, asked, undefined);
    round.#isCut = true;
    return round;
  }

  private constructor(relay: Relay, call: AskedCall, outputLimit: number | undefined) {
    this.#relay = relay;
    this.call = call;
    this.outputLimit = outputLimit;
    const round = this;
    this.delivery = new Delivery(relay, call, {
      get usage() {
        return round.#usage;
      },
      get delivered() {
        return round.#delivered;
      },
    });
  }

  /** Its prompt is what the conversation weighs now. */
  begins(prompt: Usage): void {
    this.call.checked.promptEstimate = prompt;
  }

  /** Counts an event that is about to be passed on. `exhausted`: neither hold nor balance carries more. */
  passes(event: JsonObject, { bytes, format }: { bytes: number; format: string }): 'on' | 'exhausted' {
    if (!addSaid(this.#said, event, format)) return 'on';
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.delivery.begun();
    }
    return this.delivery.passed(bytes);
  }

  /** Whether it has to be told to stop; it is told once. */
  isCutNow(): boolean {
    const isFirst = !this.#isCut;
    this.#isCut = true;
    return isFirst;
  }

  /** Resolves when the last note of what was delivered is not far behind. */
  noted(): Promise<void> | undefined {
    if (!this.delivery.isBehind) return undefined;
    return new Promise((resolve) => {
      this.delivery.onNoted = resolve;
    });
  }

  /** The provider says that it is done: charged by its count. Throws: AppError `service_unavailable`. */
  async done(event: JsonObject, endReason: UsageRecorded['endReason']): Promise<UsageReading | undefined> {
    this.#usage = withinBound(realtimeUsageIn(event), this.#relay.settings.options.MaxUsageTokens);
    if (!this.#usage?.trusted && !this.#hasBegun) this.drop();
    else await this.#report(this.#isCut ? 'balance' : endReason, this.#bill());
    return this.#usage;
  }

  /** A piece of a transcript is about to be passed on. */
  writes(text: string, bytes: number): void {
    this.passes({ type: 'response.text.delta', delta: text }, { bytes, format: '' });
  }

  /** A transcript is complete. `text` is all of it; undefined: it is not delivered. Throws: AppError `service_unavailable`. */
  async heard(stated: UsageReading | undefined, text: string | undefined): Promise<void> {
    this.#usage = withinBound(stated, this.#relay.settings.options.MaxUsageTokens);
    if (text === undefined && !this.#usage?.trusted) return this.drop();
    if (text !== undefined && text.length > this.#said.characters) {
      Object.assign(this.#said, { text: 0, sound: 0, characters: 0 });
      addSaid(this.#said, { type: 'response.text.delta', delta: text }, '');
    }
    await this.#report('complete', this.#bill());
  }

  /** It will not be done: what it has delivered is charged by our own count. */
  async breaks(endReason: UsageRecorded['endReason']): Promise<void> {
    if (this.#hasBegun) await this.#report(endReason, this.#bill());
    else this.drop();
  }

  /** Nothing of it was delivered: it is free. */
  drop(): void {
    release(this.#relay, this.call.hold);
    this.#leave();
  }

  #leave(): void {
    this.#relay.openCalls.leave(this.call);
    if (this.#hasBegun || this.#usage?.trusted) this.#relay.answers.count(this.call);
  }

  #bill(): Bill {
    return partialUsage(this.call.checked, this.#usage, this.#delivered);
  }

  async #report(endReason: UsageRecorded['endReason'], bill: Bill): Promise<void> {
    try {
      await report(this.#relay, this.call, { ...bill, endReason }, { isDelivered: true });
    } finally {
      this.#leave();
      this.#relay.metrics.answered(this.call, 200);
    }
  }

  /** The provider's count where it can be believed, never less than what was delivered; else ours. */
  #ownBill(stated: UsageReading | undefined): Bill {
    const said = { textOutput: Math.ceil(this.#said.text), audioOutput: Math.ceil(this.#said.sound) };
    if (!stated?.trusted) return { usage: { ...this.call.checked.promptEstimate, ...said }, usageSource: 'estimated' };
    const usage = notBelow(this.#delivered, stated.usage, { isLast: true });
    return { usage, usageSource: usage === stated.usage ? 'upstream' : 'estimated' };
  }

  get #delivered(): Delivered {
    const { text, sound, characters } = this.#said;
    return { textOutput: Math.ceil(text + sound), reasoningOutput: 0, characters };
  }
}

/** A call within a session. It has no response of its own: the session's connection carries it. */
function checkedWithin(relay: Relay, session: SessionCall, wish: RoundWish, ownBill: NonNullable<Checked['bill']>): CheckedCall {
  const { request, dialect, language, checked } = session;
  const response = new ServerResponse(request);
  const options = { request, response, atMs: relay.wallet.time(), dialect, language, query: undefined };
  const { caller, group, tokenName } = checked;
  const bill = wish.facts.bill ?? ownBill;
  return Object.assign(new Call(`${session.id}-${wish.number}`, options), {
    checked: { caller, group, tokenName, isStream: true, reasoningEffort: undefined, sessionId: session.id, ...wish.facts, bill },
  });
}

/** What was held while its session ended is given back. Throws: AppError `session_over`. */
export function keptWhileOpen(round: Round, isOpen: boolean): Round {
  if (isOpen) return round;
  round.drop();
  throw new AppError('session_over');
}

/** What is held, or why nothing is. Other errors are thrown. */
export async function heldOrRefusal(hold: () => Promise<Round>): Promise<Round | AppError> {
  try {
    return await hold();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
