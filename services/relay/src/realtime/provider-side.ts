import { isObject, type JsonObject, objectOf, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';

import { realtime } from '../modes/realtime.ts';
import { toCallerError } from '../pipeline/attempts.ts';
import { parseJson } from '../request/json-scan.ts';
import { withRequestedModel } from '../response/original-names.ts';
import type { EventIds } from './caller-event.ts';
import type { Conversation } from './conversation.ts';
import type { Line } from './line.ts';
import type { SessionCall } from './round.ts';
import { idIn, itemIn, type Rounds } from './rounds.ts';
import type { Transcripts } from './transcripts.ts';

interface ProviderSideParts {
  relay: Relay;
  call: SessionCall;
  conversation: Conversation;
  rounds: Rounds;
  transcripts: Transcripts;
  eventIds: EventIds;
  caller: Line;
  cancel(responseId: string): void;
  tell(error: unknown): void;
  /** An answer is done and charged. */
  done(): void;
}

/** Items of refused answers are few; a provider that makes more of them loses the session. */
const mostRefusedItems = 10_000;
const transcriptEvents = 'conversation.item.input_audio_transcription.';

/** Reads a provider's events for their cost, which is charged before what it is for is passed on. Nothing of a refused answer is. */
export class ProviderSide {
  readonly #parts: ProviderSideParts;
  /** Items of the conversation that refused answers made. */
  readonly #refusedItems = new Set<string>();

  constructor(parts: ProviderSideParts) {
    this.#parts = parts;
  }

  /** Throws: UpstreamError when the message is no event; AppError `service_unavailable` when a bill could not be written. */
  async take(message: Buffer, isBinary: boolean): Promise<void> {
    const { caller } = this.#parts;
    const event = eventIn(message, isBinary);
    const out = await this.#passed(event, message);
    if (out === undefined) return;
    caller.send(out);
    await caller.drained();
  }

  /** The bytes that the client gets; undefined: none. */
  async #passed(event: JsonObject, message: Buffer): Promise<Buffer | string | undefined> {
    const { call, conversation, transcripts } = this.#parts;
    const { type } = event;
    switch (type) {
      case 'session.created':
      case 'session.updated':
        conversation.confirm(objectOf(event.session), { isUpdate: type === 'session.updated' });
        return withRequestedModel(message, call);
      case 'input_audio_buffer.speech_started':
      case 'input_audio_buffer.speech_stopped':
      case 'input_audio_buffer.timeout_triggered':
        conversation.audio.heardTurn(event);
        return message;
      case 'input_audio_buffer.committed':
        await transcripts.listens(itemIn(event), conversation.committed(itemIn(event)));
        return message;
      case 'input_audio_buffer.cleared':
        conversation.audio.cleared();
        return message;
      case 'error':
        return this.#error(event, message);
    }
    if (typeof type === 'string' && type.startsWith(transcriptEvents)) {
      return (await this.#transcript(event, type, message.length)) ? message : undefined;
    }
    const responseId = idIn(event) || idOf(event.response_id);
    if (responseId === '') return this.#isOfRefusedItem(event) ? undefined : message;
    if (!(await this.#mayPass(event, responseId))) return undefined;
    if (type !== 'response.done') return (await this.#piece(event, responseId, message.length)) ? message : undefined;
    await this.#done(event, responseId);
    return message;
  }

  /** Whether the client may have an event of an answer. The first one begins the answer. */
  async #mayPass(event: JsonObject, id: string): Promise<boolean> {
    const { rounds, cancel, tell } = this.#parts;
    const { state, refusal, isNew } = await rounds.begins(id);
    if (state === 'on') return true;
    if (refusal !== undefined) tell(refusal);
    if (isNew) cancel(id);
    for (const item of [event.item_id, objectOf(event.item).id]) if (typeof item === 'string') this.#refusedItems.add(item);
    if (this.#refusedItems.size > mostRefusedItems) throw upstreamFailure('unreadable', 'upstream_bad_answer');
    if (event.type === 'response.done') await this.#done(event, id);
    return false;
  }

  /** Events of the conversation name an item, but not the answer that made it. */
  #isOfRefusedItem({ type, item, item_id: itemId }: JsonObject): boolean {
    if (typeof type !== 'string' || !type.startsWith('conversation.item.')) return false;
    const { id, role, type: kind } = objectOf(item);
    if ([id, itemId].some((each) => typeof each === 'string' && this.#refusedItems.has(each))) return true;
    const isOfModel = role === 'assistant' || (kind !== 'message' && kind !== 'function_call_output' && kind !== undefined);
    return isOfModel && this.#parts.rounds.hasRefused;
  }

  async #transcript(event: JsonObject, type: string, bytes: number): Promise<boolean> {
    const { transcripts } = this.#parts;
    const itemId = itemIn(event);
    switch (type.slice(transcriptEvents.length)) {
      case 'completed':
        return transcripts.heard(itemId, event);
      case 'failed':
        await transcripts.unheard(itemId);
        return true;
      default:
        return transcripts.writes(itemId, event.delta ?? event.text, bytes);
    }
  }

  async #done(event: JsonObject, id: string): Promise<void> {
    const { conversation, rounds, done } = this.#parts;
    try {
      const usage = await rounds.done(id, event);
      if (usage?.trusted) conversation.counted(event, usage.usage);
    } finally {
      done();
    }
  }

  /** Returns whether it is passed on. */
  async #piece(event: JsonObject, id: string, bytes: number): Promise<boolean> {
    const { conversation, rounds, cancel, tell } = this.#parts;
    const round = rounds.answer(id);
    if (round === undefined) return typeof event.delta !== 'string'; // it is done and charged: nothing more of it is delivered
    if (round.passes(event, { bytes, format: conversation.outputFormat }) === 'exhausted' && round.isCutNow()) {
      tell(new AppError('insufficient_user_quota', { available: 0, needed: 1 }));
      cancel(id);
    }
    await round.noted();
    return true;
  }

  /** A provider's error in words that name neither our key nor our account, about the client's event by the client's own id. */
  #error(event: JsonObject, message: Buffer): Buffer | string {
    const { call, eventIds } = this.#parts;
    const error = objectOf(event.error);
    const named = error.event_id;
    const isNamed = typeof named === 'string';
    const own = isNamed ? { event_id: eventIds.refused(named) ?? null } : {};
    const meant = realtime.dialectOf(call.channel.provider)?.errorIn(event);
    const told = meant && toCallerError(meant, call.channel);
    if (!(told instanceof UpstreamError)) return isNamed ? JSON.stringify({ ...event, error: { ...error, ...own } }) : message;
    const { message: words, type, param, code } = told;
    return JSON.stringify({ ...event, error: { ...error, ...own, message: words, type, param, code } });
  }
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 128) : '';
}

function eventIn(message: Buffer, isBinary: boolean): JsonObject {
  if (!isBinary) {
    try {
      const event = parseJson(message);
      if (isObject(event)) return event;
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
    }
  }
  throw upstreamFailure('unreadable', 'upstream_bad_answer');
}
