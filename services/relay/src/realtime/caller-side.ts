import type { JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { checkObjects, wrong } from '../dialects/fields.ts';
import { type CallerEvent, checkEvent, readEvent, soundLength, weighed, written } from './caller-event.ts';
import { type Conversation, objectOf } from './conversation.ts';
import type { Line } from './line.ts';
import type { SessionCall } from './round.ts';
import type { Rounds } from './rounds.ts';

interface CallerSideParts {
  relay: Relay;
  call: SessionCall;
  conversation: Conversation;
  rounds: Rounds;
  provider: Line;
  tell(error: unknown, eventId?: string): void;
}

/** What a caller may say: each event is checked, what it may begin is held for, and what is refused is told by an event and goes no further. */
export class CallerSide {
  readonly #parts: CallerSideParts;
  /** Names of events that ask for an answer, until it begins or is refused. */
  readonly #asking = new Set<string>();
  #named = 0;
  /** He has been told that his sound is not passed on: once is enough while it lasts. */
  #isMuted = false;

  constructor(parts: CallerSideParts) {
    this.#parts = parts;
  }

  /** The provider has refused an event. */
  refused(eventId: string): void {
    if (this.#asking.delete(eventId)) this.#parts.rounds.refused();
  }

  async take(message: Buffer, isBinary: boolean): Promise<void> {
    const { call, provider, tell } = this.#parts;
    let eventId: string | undefined;
    try {
      if (isBinary) throw wrong('events are sent as text, not as binary messages');
      const read = readEvent(message, call.checked.model);
      const named = read.event.event_id;
      if (typeof named === 'string') eventId = named.slice(0, 512);
      checkEvent(read);
      const out = await this.#checked(read);
      if (out === undefined) return;
      provider.send(out);
      await provider.drained();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      tell(error, eventId);
    }
  }

  /** The bytes that go on; undefined for none. Throws: AppError that says why they do not. */
  async #checked(read: CallerEvent): Promise<Buffer | undefined> {
    const { relay, conversation } = this.#parts;
    const { event } = read;
    switch (event.type) {
      case 'input_audio_buffer.append':
        return this.#sound(read);
      case 'input_audio_buffer.commit':
        await this.#parts.rounds.expect();
        return written(read);
      case 'input_audio_buffer.clear':
        conversation.cleared();
        return written(read);
      case 'session.update':
        return this.#update(read);
      case 'transcription_session.update':
        throw wrong('a session that only transcribes is not offered here', 'type');
      case 'response.create':
        return this.#create(read);
      case 'conversation.item.create':
        conversation.said(await weighed(read, relay.settings));
        return written(read);
      default:
        return written(read);
    }
  }

  async #sound(read: CallerEvent): Promise<Buffer | undefined> {
    const { rounds, conversation } = this.#parts;
    const length = soundLength(read);
    try {
      await rounds.expect();
      this.#isMuted = false;
    } catch (error) {
      if (!(error instanceof AppError) || !this.#isMuted) {
        this.#isMuted = true;
        throw error;
      }
      return undefined;
    }
    conversation.heard(length);
    return written(read);
  }

  async #update(read: CallerEvent): Promise<Buffer> {
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
    const writer = transcriberIn(session);
    if (writer !== undefined && relay.settings.price(writer, call.checked.group) === undefined) {
      throw new AppError('unpriced_model', { model: writer }, { param: 'session.audio.input.transcription.model' });
    }
    const weight = await weighed(read, relay.settings);
    conversation.told(session, weight);
    conversation.settle(session, 'caller');
    return written(read, typeof model === 'string' ? { session: { ...session, model: call.upstreamModel } } : {});
  }

  async #create(read: CallerEvent): Promise<Buffer> {
    const { relay, conversation, rounds } = this.#parts;
    const response = objectOf(read.event.response);
    assertOwnWords(response, 'response');
    checkObjects(response, 'tools', 'response.tools');
    const maxTokens = limitIn(response, 'response') ?? conversation.maxTokens;
    conversation.said(await weighed(read, relay.settings));
    const limit = await rounds.ask({ maxTokens, tools: response.tools });
    const eventId = typeof read.event.event_id === 'string' ? read.event.event_id : this.#name();
    this.#asking.add(eventId);
    const set: JsonObject = { event_id: eventId };
    const longest = Math.min(limit ?? Number.POSITIVE_INFINITY, maxTokens ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(longest)) set.response = { ...response, max_output_tokens: longest };
    return written(read, set);
  }

  /** So that a refusal can be told from all others. */
  #name(): string {
    this.#named += 1;
    return `event_${this.#parts.call.id}_${this.#named}`;
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

/** The model that is to write down what is heard. */
function transcriberIn(session: JsonObject): string | undefined {
  const transcription = session.input_audio_transcription ?? objectOf(objectOf(session.audio).input).transcription;
  if (transcription === undefined || transcription === null) return undefined;
  const { model } = objectOf(transcription);
  return typeof model === 'string' ? model : 'whisper-1';
}
