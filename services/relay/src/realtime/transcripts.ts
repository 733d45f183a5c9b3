import type { UsageRecorded } from '@tollgate/contracts';
import { type JsonObject, transcriptionUsageIn } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { transcription } from '../modes/transcription.ts';
import type { Conversation } from './conversation.ts';
import { heldOrRefusal, keptWhileOpen, Round, type RoundWish, type SessionCall } from './round.ts';

/** Audio is held for before its length is known; a longer segment gets a larger hold as it grows. */
const usualSeconds = 30;
/** Transcripts of one session that may be under way at once. */
const mostAtOnce = 256;

interface HeldTranscript {
  round: Round;
  seconds: number;
}

interface RunningTranscript {
  round: Round;
  /** Nothing could be held for it: no text of it may reach the client. */
  isRefused: boolean;
}

/** The transcripts of a session's input audio: each is a call of its own, held when its audio is committed at the latest. */
export class Transcripts {
  readonly #relay: Relay;
  readonly #session: SessionCall;
  readonly #conversation: Conversation;
  readonly #nextNumber: () => number;
  /** One for each commit that the provider has not confirmed, in order, and one for the open segment. */
  readonly #held: HeldTranscript[] = [];
  readonly #running = new Map<string, RunningTranscript>();
  #isClosed = false;

  constructor(relay: Relay, session: SessionCall, { conversation, nextNumber }: { conversation: Conversation; nextNumber: () => number }) {
    this.#relay = relay;
    this.#session = session;
    this.#conversation = conversation;
    this.#nextNumber = nextNumber;
  }

  /** Holds for a transcript of the open segment, of which `moreSeconds` are about to be appended. Throws: AppError. */
  async expect(moreSeconds: number): Promise<void> {
    if (this.#conversation.transcribers.length === 0) return;
    const { openSeconds, pendingCommits } = this.#conversation.audio;
    if (this.#running.size + pendingCommits >= mostAtOnce) {
      throw new AppError('invalid_request', { reason: `a session may have at most ${mostAtOnce} transcripts at once` });
    }
    while (this.#held.length < pendingCommits) await this.#holdNext(usualSeconds);
    const seconds = openSeconds + moreSeconds;
    const held = this.#held[pendingCommits];
    if (held !== undefined && held.seconds >= seconds) return;
    const larger = await this.#hold(held === undefined ? Math.max(usualSeconds, seconds) : seconds * 2);
    const at = held === undefined ? -1 : this.#held.indexOf(held);
    if (at < 0) this.#held.push(larger);
    else this.#held.splice(at, 1, larger)[0]?.round.drop();
  }

  /** Audio of so many seconds became an item, whose transcript will follow. */
  async listens(itemId: string, seconds: number): Promise<void> {
    const held = this.#held.shift();
    if (this.#running.has(itemId) || this.#conversation.transcribers.length === 0 || this.#isClosed) return void held?.round.drop();
    await this.#begin(itemId, seconds, held?.round);
  }

  /** A piece of a transcript. Returns whether the client may have it. */
  async writes(itemId: string, text: unknown, bytes: number): Promise<boolean> {
    const { round, isRefused } = this.#running.get(itemId) ?? (await this.#begin(itemId, 0, this.#held.shift()?.round)) ?? {};
    if (round === undefined || isRefused) return false;
    round.writes(typeof text === 'string' ? text : '', bytes);
    return true;
  }

  /** Charges a transcript. Returns whether the client may have it. Throws: AppError `service_unavailable`. */
  async heard(itemId: string, event: JsonObject): Promise<boolean> {
    const { round, isRefused } = this.#running.get(itemId) ?? (await this.#begin(itemId, 0, this.#held.shift()?.round)) ?? {};
    this.#running.delete(itemId);
    if (round === undefined) return false;
    const text = typeof event.transcript === 'string' ? event.transcript : '';
    await round.heard(transcriptionUsageIn(event), isRefused ? undefined : text);
    return !isRefused;
  }

  /** There will be no transcript. */
  async unheard(itemId: string): Promise<void> {
    const running = this.#running.get(itemId);
    this.#running.delete(itemId);
    await running?.round.breaks('upstream_died');
  }

  /** What was delivered is charged; the rest is free. */
  async close(endReason: UsageRecorded['endReason']): Promise<void> {
    this.#isClosed = true;
    for (const { round } of this.#held.splice(0)) round.drop();
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map(({ round }) => round.breaks(endReason)));
  }

  async #begin(itemId: string, seconds: number, held: Round | undefined): Promise<RunningTranscript | undefined> {
    const wish = this.#wish(seconds);
    if (wish === undefined) {
      held?.drop();
      return undefined;
    }
    const isFull = this.#running.size >= mostAtOnce;
    const own = held ?? (isFull ? undefined : await heldOrRefusal(() => this.#round(wish)));
    const isRefused = !(own instanceof Round);
    const round = isRefused ? await Round.unheld(this.#relay, this.#session, this.#numbered(wish)) : own;
    if (this.#isClosed) {
      round.drop();
      return undefined;
    }
    Object.assign(round.call.checked, wish.facts);
    const running = { round, isRefused };
    this.#running.set(itemId, running);
    return running;
  }

  async #holdNext(seconds: number): Promise<void> {
    this.#held.push(await this.#hold(seconds));
  }

  async #hold(seconds: number): Promise<HeldTranscript> {
    const wish = this.#wish(seconds);
    if (wish === undefined) throw new AppError('unpriced_model', { model: this.#conversation.transcribers[0] ?? '' });
    return { round: await this.#round(wish), seconds };
  }

  async #round(wish: Omit<RoundWish, 'number'>): Promise<Round> {
    return keptWhileOpen(await Round.hold(this.#relay, this.#session, this.#numbered(wish)), !this.#isClosed);
  }

  #numbered(wish: Omit<RoundWish, 'number'>): RoundWish {
    return { ...wish, number: this.#nextNumber() };
  }

  /** undefined: no name of the transcription model has a price. */
  #wish(seconds: number): Omit<RoundWish, 'number'> | undefined {
    const { settings } = this.#relay;
    const { audio, transcribers } = this.#conversation;
    for (const model of transcribers) {
      const price = settings.price(model, this.#session.checked.group, this.#relay.wallet.time());
      if (price === undefined) continue;
      const mostSeconds = seconds + audio.mostSeconds;
      const terms = transcription.terms?.({
        request: { model },
        price,
        measure: undefined,
        settings,
        form: undefined,
        seconds,
        mostSeconds,
      });
      if (terms === undefined) throw new Error('transcripts have no terms');
      const { estimate: promptEstimate, most, bill } = terms;
      const facts = { mode: 'transcription', model, price, extras: undefined, promptEstimate, most, bill } as const;
      return { facts, longest: 0, upstreamModel: model };
    }
    return undefined;
  }
}
