import { type JsonObject, objectOf } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { checkObjects, wrong } from '../dialects/fields.ts';
import { checkNested, refusedResource } from '../dialects/nested-fields.ts';
import { audioBytes, type CallerEvent, checkEvent, type EventIds, readEvent, weighed, written } from './caller-event.ts';
import { type Conversation, transcriberIn } from './conversation.ts';
import type { Line } from './line.ts';
import type { SessionCall } from './round.ts';
import type { Rounds } from './rounds.ts';
import type { Transcripts } from './transcripts.ts';

interface CallerSideParts {
  relay: Relay;
  call: SessionCall;
  conversation: Conversation;
  rounds: Rounds;
  transcripts: Transcripts;
  eventIds: EventIds;
  provider: Line;
  tell(error: unknown, eventId?: string): void;
}

/** An event as it goes on to the provider. */
interface Outgoing {
  /** Fields to set in it. */
  set?: JsonObject;
  /** What to undo when the provider refuses it. */
  onRefused?: () => void;
}

/** Settings that a provider has not answered yet. */
const mostPendingUpdates = 100;

/** Checks each event of a client, holds for what it may begin, and answers what is refused with an `error` event; that goes no further. */
export class CallerSide {
  readonly #parts: CallerSideParts;
  /** The client knows that its audio is not passed on: it is told once while that lasts. */
  #isMuted = false;

  constructor(parts: CallerSideParts) {
    this.#parts = parts;
  }

  async take(message: Buffer, isBinary: boolean): Promise<void> {
    const { call, eventIds, provider, tell } = this.#parts;
    let eventId: string | undefined;
    try {
      if (isBinary) throw wrong('events are sent as text, not as binary messages');
      const read = readEvent(message, call.checked.model);
      const named = read.event.event_id;
      if (typeof named === 'string') eventId = named.slice(0, 512);
      checkEvent(read);
      const resource = checkNested(read.event, { isChat: false });
      if (resource !== undefined && call.channel.settings.account_resources !== true) throw refusedResource(resource);
      const out = await this.#checked(read);
      if (out === undefined) return;
      const { set = {}, onRefused } = out;
      const isNamed = named !== undefined || onRefused !== undefined;
      provider.send(written(read, isNamed ? { ...set, event_id: eventIds.outgoing(eventId, onRefused) } : set));
      await provider.drained();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      tell(error, eventId);
    }
  }

  /** How an event goes on; undefined: not at all. Throws: AppError that says why it does not. */
  async #checked(read: CallerEvent): Promise<Outgoing | undefined> {
    const { relay, conversation } = this.#parts;
    const { event } = read;
    switch (event.type) {
      case 'input_audio_buffer.append':
        return this.#append(read);
      case 'input_audio_buffer.commit':
        await this.#expect(0);
        return this.#close('commit');
      case 'input_audio_buffer.clear':
        return this.#close('clear');
      case 'session.update':
        return this.#update(read);
      case 'transcription_session.update':
        throw wrong('a session that only transcribes is not offered here', 'type');
      case 'response.create':
        return this.#create(read);
      case 'conversation.item.create':
        conversation.said(await weighed(read, relay.settings));
        return {};
      default:
        return {};
    }
  }

  async #append(read: CallerEvent): Promise<Outgoing | undefined> {
    const { conversation } = this.#parts;
    const bytes = audioBytes(read);
    try {
      await this.#expect(conversation.secondsOf(bytes));
      this.#isMuted = false;
    } catch (error) {
      if (!(error instanceof AppError) || !this.#isMuted) {
        this.#isMuted = true;
        throw error;
      }
      return undefined;
    }
    conversation.heard(bytes);
    return {};
  }

  /** Holds for what audio may begin by itself: an answer, a transcript. Throws: AppError. */
  async #expect(moreSeconds: number): Promise<void> {
    await this.#parts.rounds.expect();
    await this.#parts.transcripts.expect(moreSeconds);
  }

  #close(end: 'commit' | 'clear'): Outgoing {
    const { audio } = this.#parts.conversation;
    if (audio.isFull) throw wrong('too many commits and clears are waiting for the provider');
    const segment = audio.close(end);
    return { onRefused: () => audio.reopen(segment) };
  }

  async #update(read: CallerEvent): Promise<Outgoing> {
    const { relay, call, conversation, rounds } = this.#parts;
    const session = objectOf(read.event.session);
    if (session.type !== undefined && session.type !== 'realtime') throw wrong('session.type must be realtime', 'session.type');
    assertOwnWords(session, 'session');
    limitIn(session, 'session');
    const { model } = session;
    if (model !== undefined && model !== null && model !== call.checked.model && model !== call.upstreamModel) {
      throw wrong('session.model: a session keeps the model that it was opened for', 'session.model');
    }
    checkObjects(session, 'tools', 'session.tools');
    rounds.checkTools(session.tools);
    for (const transcriber of transcribersIn(session)) this.#assertMayTranscribe(transcriber);
    if (conversation.pendingUpdates >= mostPendingUpdates) throw wrong('too many session updates are waiting for the provider');
    const weight = await weighed(read, relay.settings);
    conversation.told(session, weight);
    const onRefused = conversation.ask(session);
    return { onRefused, ...(typeof model === 'string' && { set: { session: { ...session, model: call.upstreamModel } } }) };
  }

  /** Throws: AppError `unpriced_model`, or `model_not_found` where the token does not include the model. */
  #assertMayTranscribe(model: string): void {
    const { relay, call } = this.#parts;
    const { caller, group } = call.checked;
    const param = 'session.audio.input.transcription.model';
    if (caller.modelLimits !== undefined && !caller.modelLimits.has(model)) throw new AppError('model_not_found', { model }, { param });
    if (relay.settings.price(model, group, relay.wallet.time()) === undefined) throw new AppError('unpriced_model', { model }, { param });
  }

  async #create(read: CallerEvent): Promise<Outgoing> {
    const { relay, conversation, rounds } = this.#parts;
    const response = objectOf(read.event.response);
    assertOwnWords(response, 'response');
    checkObjects(response, 'tools', 'response.tools');
    const maxTokens = limitIn(response, 'response') ?? conversation.maxTokens;
    conversation.said(await weighed(read, relay.settings));
    const round = await rounds.ask({ maxTokens, tools: response.tools });
    const longest = Math.min(round.outputLimit ?? Number.POSITIVE_INFINITY, maxTokens ?? Number.POSITIVE_INFINITY);
    const set = Number.isFinite(longest) ? { response: { ...response, max_output_tokens: longest } } : {};
    return { set, onRefused: () => rounds.refuse(round) };
  }
}

/** What stands at the provider's may hold tools and texts that nobody here has seen. */
function assertOwnWords(holder: JsonObject, param: string): void {
  if (holder.prompt !== undefined && holder.prompt !== null)
    throw wrong(`${param}.prompt: prompts are not kept here, say it in instructions`, `${param}.prompt`);
}

/** The longest answer that a caller wants, in tokens; undefined: as long as it gets. Throws: AppError `invalid_request`. */
function limitIn(holder: JsonObject, param: string): number | undefined {
  const name = 'max_output_tokens' in holder ? 'max_output_tokens' : 'max_response_output_tokens';
  const limit = holder[name];
  if (limit === undefined || limit === null || limit === 'inf') return undefined;
  if (!Number.isSafeInteger(limit) || (limit as number) < 1)
    throw wrong(`${param}.${name} must be a whole number of at least 1, or "inf"`, `${param}.${name}`);
  return limit as number;
}

/** The models that are to write down what is heard, by the beta's field and by today's. */
function transcribersIn(session: JsonObject): string[] {
  const asked = [session.input_audio_transcription, objectOf(objectOf(session.audio).input).transcription];
  return asked
    .filter((transcription) => transcription !== undefined && transcription !== null)
    .map((transcription) => transcriberIn(transcription));
}
