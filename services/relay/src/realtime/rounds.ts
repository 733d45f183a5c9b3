import type { UsageRecorded } from '@tollgate/contracts';
import { type JsonObject, objectOf, type UsageReading } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import { extrasOf } from '../quota/priced-fields.ts';
import type { Tiers } from '../routing/channel-table.ts';
import type { Conversation } from './conversation.ts';
import { heldOrRefusal, keptWhileOpen, Round, type RoundWish, type SessionCall } from './round.ts';

/** So many answers of one session may be asked for at once. */
const mostAtOnce = 8;
/** A provider that keeps beginning answers nobody can pay for loses the session. */
const mostRefused = 64;
/** Ids of finished answers whose late events are still recognized. */
const mostRemembered = 1_000;

/** Whether the client may have what belongs to an answer. */
type AnswerState = 'on' | 'refused';

/**
 * The answers of a session. Each is held before it may begin: those that the client asked for, and one ahead where the provider
 * answers unasked. Answers begin in the order in which they were asked for.
 */
export class Rounds {
  readonly #relay: Relay;
  readonly #session: SessionCall;
  readonly #conversation: Conversation;
  readonly #nextNumber: () => number;
  /** Channels that may see the names of tools. */
  readonly #tiers: Tiers;
  /** Held for `response.create` events that the provider has not answered. */
  readonly #asked: Round[] = [];
  /** Held for an answer that the provider begins by itself. */
  #ahead: Round | undefined;
  readonly #running = new Map<string, Round>();
  /** Answers that began although nothing could be held for them. */
  readonly #refused = new Map<string, Round>();
  /** Finished answers, and whether the client may have what belongs to them. */
  readonly #finished = new Map<string, boolean>();
  #ending: UsageRecorded['endReason'] | undefined;
  #isClosed = false;

  constructor(relay: Relay, session: SessionCall, { conversation, nextNumber }: { conversation: Conversation; nextNumber: () => number }) {
    this.#relay = relay;
    this.#session = session;
    this.#conversation = conversation;
    this.#nextNumber = nextNumber;
    this.#tiers = [[session.channel]];
  }

  /** Checks that a client's tools have a price. Throws: AppError `unpriced_request_field` that names what has none. */
  checkTools(tools: unknown): void {
    this.#extras(tools);
  }

  /** Holds for an answer that the client asks for. Throws: AppError. */
  async ask({ maxTokens, tools }: { maxTokens: number | undefined; tools: unknown }): Promise<Round> {
    if (this.#asked.length + this.#running.size + (this.#ahead === undefined ? 0 : 1) >= mostAtOnce) {
      throw new AppError('invalid_request', { reason: `a session may have at most ${mostAtOnce} answers at once` });
    }
    const round = await this.#hold(this.#wish(maxTokens, tools));
    this.#asked.push(round);
    return round;
  }

  /** The provider refused to begin an answer that was asked for. One that has begun keeps its hold. */
  refuse(round: Round): void {
    const at = this.#asked.indexOf(round);
    if (at < 0) return;
    this.#asked.splice(at, 1);
    round.drop();
  }

  /** Holds for the answer that input audio may begin by itself. Throws: AppError. */
  async expect(): Promise<void> {
    // An interrupted answer ends before the next begins, and its hold pays for that one.
    if (!this.#conversation.isAutomatic || this.#ahead !== undefined || this.#running.size > 0) return;
    this.#ahead = await this.#hold(this.#wish(this.#conversation.maxTokens, undefined));
  }

  /**
   * The state of an answer that an event belongs to; the first event begins it. `refusal`: nothing was held for it, and nothing can
   * be; it is there the first time only, and not while the session ends.
   */
  async begins(id: string): Promise<{ state: AnswerState; refusal?: AppError; isNew?: boolean }> {
    const known = this.stateOf(id);
    if (known !== undefined) return { state: known };
    const wish = this.#wish(this.#conversation.maxTokens, undefined);
    const held = this.#ending === undefined ? await this.#heldFor(wish) : undefined;
    if (held instanceof Round && !this.#isClosed) {
      held.begins(this.#conversation.weigh());
      this.#running.set(id, held);
      return { state: 'on', isNew: true };
    }
    if (held instanceof Round) held.drop();
    if (this.#refused.size >= mostRefused) throw upstreamFailure('unreadable', 'upstream_bad_answer');
    const unheld = await Round.unheld(this.#relay, this.#session, { ...wish, number: this.#nextNumber() });
    if (this.#isClosed) unheld.drop();
    else this.#refused.set(id, unheld);
    return { state: 'refused', isNew: true, ...(held instanceof AppError && { refusal: held }) };
  }

  async #heldFor(wish: Omit<RoundWish, 'number'>): Promise<Round | AppError> {
    return this.#asked.shift() ?? this.#takeAhead() ?? (await heldOrRefusal(() => this.#hold(wish)));
  }

  /** Whether the client may have what belongs to an answer; undefined: it has not begun. */
  stateOf(id: string): AnswerState | undefined {
    if (this.#running.has(id)) return 'on';
    if (this.#refused.has(id)) return 'refused';
    const finished = this.#finished.get(id);
    if (finished === undefined) return undefined;
    return finished ? 'on' : 'refused';
  }

  /** The answer under way that an event belongs to. */
  answer(id: string): Round | undefined {
    return this.#running.get(id);
  }

  /** Answers that have begun and are not done. */
  get open(): string[] {
    return [...this.#running.keys(), ...this.#refused.keys()];
  }

  get hasRefused(): boolean {
    return this.#refused.size > 0;
  }

  /** Charges an answer, a refused one too. Throws: AppError `service_unavailable`. */
  async done(id: string, event: JsonObject): Promise<UsageReading | undefined> {
    const round = this.#running.get(id) ?? this.#refused.get(id);
    if (round === undefined) return undefined;
    this.#finished.set(id, this.#running.delete(id));
    this.#refused.delete(id);
    if (this.#finished.size > mostRemembered) this.#finished.delete(this.#finished.keys().next().value ?? '');
    return round.done(event, this.#ending ?? 'complete');
  }

  /** Nothing begins any more. */
  ends(reason: UsageRecorded['endReason']): void {
    this.#ending = reason;
  }

  /** What has begun is charged for what it delivered. */
  async close(endReason: UsageRecorded['endReason']): Promise<void> {
    this.#isClosed = true;
    for (const round of this.#asked.splice(0)) round.drop();
    this.#takeAhead()?.drop();
    const running = [...this.#running.values(), ...this.#refused.values()];
    this.#running.clear();
    this.#refused.clear();
    await Promise.all(running.map((round) => round.breaks(endReason)));
  }

  #takeAhead(): Round | undefined {
    const round = this.#ahead;
    this.#ahead = undefined;
    return round;
  }

  async #hold(wish: Omit<RoundWish, 'number'>): Promise<Round> {
    const round = await Round.hold(this.#relay, this.#session, { ...wish, number: this.#nextNumber() });
    return keptWhileOpen(round, !this.#isClosed);
  }

  #wish(asked: number | undefined, tools: unknown): Omit<RoundWish, 'number'> {
    const { model, group } = this.#session.checked;
    const { upstreamModel } = this.#session;
    const { settings } = this.#relay;
    const most = settings.maxOutput(model) ?? settings.maxOutput(upstreamModel) ?? settings.options.UnknownMaxOutputTokens;
    const own = this.#extras(this.#conversation.tools) ?? [];
    const extras = tools === undefined ? own : [...own, ...(this.#extras(tools) ?? [])];
    const price = settings.price(model, group, this.#relay.wallet.time()) ?? this.#session.checked.price; // its price may be removed while it is open
    return {
      longest: Math.min(asked ?? most, most),
      upstreamModel,
      facts: {
        mode: 'realtime',
        model,
        price,
        promptEstimate: this.#conversation.weigh(),
        most: undefined,
        extras: extras.length === 0 ? undefined : extras,
      },
    };
  }

  #extras(tools: unknown) {
    const { model } = this.#session.checked;
    return extrasOf({ model, tools }, { ratios: this.#relay.settings.options.RequestFieldRatio }, this.#tiers);
  }
}

/** What an event calls the audio that it is about. */
export function itemIn({ item_id: id }: JsonObject): string {
  return typeof id === 'string' ? id.slice(0, 128) : '';
}

/** The id of the answer in an event's `response`. */
export function idIn(event: JsonObject): string {
  const { id } = objectOf(event.response);
  return typeof id === 'string' ? id.slice(0, 128) : '';
}
