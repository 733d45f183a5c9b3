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
import { admit } from '../auth/authorize.ts';
import type { Relay } from '../context/relay.ts';
import type { Bill } from '../modes/terms.ts';
import { type AskedCall, Call, type Checked, type CheckedCall } from '../pipeline/call.ts';
import { Delivery } from '../quota/delivery-tracker.ts';
import { release, reserve } from '../quota/hold.ts';
import { leaseChannel } from '../quota/limits.ts';
import { partialUsage, report } from '../quota/report.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';

/** A session's call: it holds nothing itself, its answers do. */
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
    const call = callWithin(relay, session, wish);
    let round: Round | undefined;
    const bill = wish.facts.bill ?? ((stated: UsageReading | undefined) => (round as Round).#ownBill(stated));
    const { caller, group, tokenName } = session.checked;
    const checked = Object.assign(call, {
      checked: { caller, group, tokenName, isStream: true, reasoningEffort: undefined, sessionId: session.id, ...wish.facts, bill },
    });
    relay.openCalls.enter(call);
    try {
      admit(relay, call, caller);
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

  /** The provider says that it is done: charged by his count. Throws: AppError `service_unavailable`. */
  async done(event: JsonObject, endReason: UsageRecorded['endReason']): Promise<UsageReading | undefined> {
    this.#usage = withinBound(realtimeUsageIn(event), this.#relay.settings.options.MaxUsageTokens);
    if (this.#usage === undefined && !this.#hasBegun) this.drop();
    else await this.#report(this.#isCut ? 'balance' : endReason, this.#bill());
    return this.#usage;
  }

  /** A transcript is there. */
  async heard(stated: UsageReading | undefined, text: string): Promise<void> {
    const bound = this.#relay.settings.options.MaxUsageTokens;
    addSaid(this.#said, { type: 'response.text.delta', delta: text }, '');
    this.#usage = withinBound(stated, bound);
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
    this.#relay.openCalls.leave(this.call);
  }

  #bill(): Bill {
    return partialUsage(this.call.checked, this.#usage, this.#delivered);
  }

  async #report(endReason: UsageRecorded['endReason'], bill: Bill): Promise<void> {
    try {
      await report(this.#relay, this.call, { ...bill, endReason }, { isDelivered: true });
    } finally {
      this.#relay.openCalls.leave(this.call);
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

/** A call within a session. It has no answer of its own on the line: that is the session's. */
function callWithin(relay: Relay, session: SessionCall, { number }: RoundWish): Call {
  const { request, dialect, language } = session;
  const response = new ServerResponse(request);
  return new Call(`${session.id}-${number}`, { request, response, atMs: relay.wallet.time(), dialect, language, query: undefined });
}
