import type { UsageRecorded } from '@tollgate/contracts';
import { type JsonObject, transcriptionUsageIn, type UsageReading } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { transcription } from '../modes/transcription.ts';
import { extrasOf } from '../quota/priced-fields.ts';
import type { Tiers } from '../routing/channel-table.ts';
import { type Conversation, objectOf } from './conversation.ts';
import { Round, type RoundWish, type SessionCall } from './round.ts';

/** So many answers of one session may be asked for at once. */
const mostAtOnce = 8;
/** So many transcripts of one session may be on their way: a provider that begins ever more of them holds no more. */
const mostTranscripts = 100;
/** Sound whose transcript is held for before anybody knows how long it gets. */
const usualSeconds = 30;

/**
 * The answers of a session, and the transcripts of what is heard in it. Each is held before it may begin: those that were asked for by
 * name, and one ahead where the provider answers unasked. What was held is taken by whichever begins first.
 */
export class Rounds {
  readonly #relay: Relay;
  readonly #session: SessionCall;
  readonly #conversation: Conversation;
  /** Whom a name of a tool is asked of. */
  readonly #tiers: Tiers;
  readonly #held: Record<'answer' | 'transcript', Round[]> = { answer: [], transcript: [] };
  readonly #running: Record<'answer' | 'transcript', Map<string, Round>> = { answer: new Map(), transcript: new Map() };
  /** Answers that were asked for and have not begun. */
  #asked = 0;
  #number = 0;
  #ending: UsageRecorded['endReason'] | undefined;
  #isClosed = false;

  constructor(relay: Relay, session: SessionCall, conversation: Conversation) {
    this.#relay = relay;
    this.#session = session;
    this.#conversation = conversation;
    this.#tiers = [[session.channel]];
  }

  /** What a caller's tools cost besides. Throws: AppError `unpriced_request_field` that names what has no price. */
  checkTools(tools: unknown): void {
    this.#extras(tools);
  }

  /** Holds for an answer that is asked for. Throws: AppError. Returns the longest that the wallet carries, where that is less. */
  async ask({ maxTokens, tools }: { maxTokens: number | undefined; tools: unknown }): Promise<number | undefined> {
    if (this.#held.answer.length + this.#running.answer.size >= mostAtOnce) {
      throw new AppError('invalid_request', { reason: `a session may have at most ${mostAtOnce} answers at once` });
    }
    const round = this.#kept(await this.#hold(this.#answer(maxTokens, tools)));
    this.#held.answer.push(round);
    this.#asked += 1;
    return round.outputLimit;
  }

  /** The provider has refused to begin what was asked for. */
  refused(): void {
    if (this.#asked === 0) return;
    this.#asked -= 1;
    this.#held.answer.pop()?.drop();
  }

  /** Holds for what sound may begin by itself: an answer, a transcript. Throws: AppError. */
  async expect(): Promise<void> {
    const { isAutomatic, maxTokens, transcribedBy } = this.#conversation;
    // Who is interrupted is done before another answer begins: what he held pays for that.
    if (isAutomatic && this.#held.answer.length + this.#running.answer.size <= this.#asked) {
      this.#held.answer.push(this.#kept(await this.#hold(this.#answer(maxTokens, undefined))));
    }
    if (transcribedBy !== undefined && this.#held.transcript.length === 0) {
      const { facts } = this.#transcript(transcribedBy, usualSeconds);
      this.#held.transcript.push(this.#kept(await this.#hold({ facts, longest: 0, upstreamModel: transcribedBy })));
    }
  }

  /** An answer begins. `refused`: nothing was held for it, and nothing can be. */
  async begins(id: string): Promise<'on' | 'refused'> {
    if (this.#running.answer.has(id)) return 'on'; // told twice, it is one: the hold of the first would be lost
    this.#asked = Math.max(0, this.#asked - 1);
    if (this.#ending !== undefined) return 'refused';
    const round = this.#held.answer.shift() ?? (await this.#holdLate());
    if (round === undefined) return 'refused';
    if (this.#isClosed) {
      round.drop();
      return 'refused';
    }
    round.begins(this.#conversation.weigh());
    this.#running.answer.set(id, round);
    return 'on';
  }

  /** The answer that an event belongs to. */
  answer(id: unknown): Round | undefined {
    return typeof id === 'string' ? this.#running.answer.get(id) : undefined;
  }

  /** Answers that have begun and are not done. */
  get open(): string[] {
    return [...this.#running.answer.keys()];
  }

  /** Charges an answer. Throws: AppError `service_unavailable`. */
  async done(id: string, event: JsonObject): Promise<UsageReading | undefined> {
    const round = this.#running.answer.get(id);
    this.#running.answer.delete(id);
    return round?.done(event, this.#ending ?? 'complete');
  }

  /** The sound that was heard so far, of so many seconds, will be written down under this name. */
  async listens(itemId: string, seconds: number): Promise<void> {
    if (this.#running.transcript.has(itemId)) return;
    const round = await this.#transcriptRound(seconds);
    if (round === undefined) return;
    Object.assign(round.call.checked, this.#transcript(round.call.checked.model, seconds).facts);
    this.#running.transcript.set(itemId, round);
  }

  /** Charges a transcript. Throws: AppError `service_unavailable`. */
  async heard(itemId: string, event: JsonObject): Promise<void> {
    const round = this.#running.transcript.get(itemId) ?? (await this.#transcriptRound(0));
    this.#running.transcript.delete(itemId);
    const { transcript } = event;
    await round?.heard(transcriptionUsageIn(event), typeof transcript === 'string' ? transcript : '');
  }

  /** There will be no transcript. */
  unheard(itemId: string): void {
    this.#running.transcript.get(itemId)?.drop();
    this.#running.transcript.delete(itemId);
  }

  /** Nothing begins any more. */
  ends(reason: UsageRecorded['endReason']): void {
    this.#ending = reason;
  }

  /** What has begun is charged for what it delivered. */
  async close(endReason: UsageRecorded['endReason']): Promise<void> {
    this.#isClosed = true;
    for (const kind of ['answer', 'transcript'] as const) {
      for (const round of this.#held[kind].splice(0)) round.drop();
      const running = [...this.#running[kind].values()];
      this.#running[kind].clear();
      await Promise.all(running.map((round) => round.breaks(endReason)));
    }
  }

  #holdLate(): Promise<Round | undefined> {
    return unlessRefused(() => this.#hold(this.#answer(this.#conversation.maxTokens, undefined)));
  }

  /** What was held for a transcript; sound that came at once may hold several, of which one was. undefined: none is written, or none can be paid. */
  async #transcriptRound(seconds: number): Promise<Round | undefined> {
    const held = this.#held.transcript.shift();
    const { transcribedBy } = this.#conversation;
    const isEnough = this.#running.transcript.size >= mostTranscripts;
    if (held !== undefined || transcribedBy === undefined || isEnough || this.#isClosed) return held;
    return unlessRefused(async () => {
      const { facts } = this.#transcript(transcribedBy, seconds);
      return this.#kept(await this.#hold({ facts, longest: 0, upstreamModel: transcribedBy }));
    });
  }

  /** What was held while its session ended is given back: nobody would take it, nor let it go. Throws: AppError `session_over`. */
  #kept(round: Round): Round {
    if (!this.#isClosed) return round;
    round.drop();
    throw new AppError('session_over');
  }

  #hold(wish: Omit<RoundWish, 'number'>): Promise<Round> {
    this.#number += 1;
    return Round.hold(this.#relay, this.#session, { ...wish, number: this.#number });
  }

  #answer(asked: number | undefined, tools: unknown): Omit<RoundWish, 'number'> {
    const { model, group } = this.#session.checked;
    const { upstreamModel } = this.#session;
    const { settings } = this.#relay;
    const most = settings.maxOutput(model) ?? settings.maxOutput(upstreamModel) ?? settings.options.UnknownMaxOutputTokens;
    const own = this.#extras(this.#conversation.tools) ?? [];
    const extras = tools === undefined ? own : [...own, ...(this.#extras(tools) ?? [])];
    return {
      longest: Math.min(asked ?? most, most),
      upstreamModel,
      facts: {
        mode: 'realtime',
        model,
        price: this.#priceOf(model, group),
        extras: extras.length === 0 ? undefined : extras,
        promptEstimate: this.#conversation.weigh(),
        most: undefined,
      },
    };
  }

  #transcript(model: string, seconds: number) {
    const { settings } = this.#relay;
    const price = this.#priceOf(model, this.#session.checked.group);
    const terms = transcription.terms?.({ request: { model }, price, measure: undefined, settings, form: undefined, seconds });
    if (terms === undefined) throw new Error('transcripts have no terms');
    const { estimate, most, bill } = terms;
    return { facts: { mode: 'transcription', model, price, extras: undefined, promptEstimate: estimate, most, bill } as const };
  }

  #priceOf(model: string, group: string) {
    const price = this.#relay.settings.price(model, group);
    if (price === undefined) throw new AppError('unpriced_model', { model });
    return price;
  }

  #extras(tools: unknown) {
    const { model } = this.#session.checked;
    return extrasOf({ model, tools }, { ratios: this.#relay.settings.options.RequestFieldRatio }, this.#tiers);
  }
}

async function unlessRefused(hold: () => Promise<Round>): Promise<Round | undefined> {
  try {
    return await hold();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** What an event calls the sound that it is about. */
export function itemIn({ item_id: id }: JsonObject): string {
  return typeof id === 'string' ? id.slice(0, 128) : '';
}

export function idIn(event: JsonObject): string {
  const { id } = objectOf(event.response);
  return typeof id === 'string' ? id.slice(0, 128) : '';
}
