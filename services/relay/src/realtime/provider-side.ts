import { type JsonObject, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { isObject } from '../dialects/fields.ts';
import { realtime } from '../modes/realtime.ts';
import { wordsFor } from '../pipeline/attempts.ts';
import { parseJson } from '../request/json-body.ts';
import { withRequestedModel } from '../response/requested-model.ts';
import { upstreamFailure } from '../upstream/upstream-failure.ts';
import { type Conversation, objectOf } from './conversation.ts';
import type { Line } from './line.ts';
import type { SessionCall } from './round.ts';
import { idIn, itemIn, type Rounds } from './rounds.ts';

interface ProviderSideParts {
  relay: Relay;
  call: SessionCall;
  conversation: Conversation;
  rounds: Rounds;
  caller: Line;
  cancel(responseId: string): void;
  tell(error: unknown): void;
  /** An event of the caller's was refused. */
  refused(eventId: string): void;
  /** An answer is done and charged. */
  done(): void;
}

/** What a provider says: it is read for its bill, which is written before what it is for goes on. */
export class ProviderSide {
  readonly #parts: ProviderSideParts;

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

  /** The bytes that the caller gets. */
  async #passed(event: JsonObject, message: Buffer): Promise<Buffer | string | undefined> {
    const { call, conversation, rounds } = this.#parts;
    const { type } = event;
    switch (type) {
      case 'session.created':
      case 'session.updated':
        conversation.settle(objectOf(event.session), 'provider');
        return withRequestedModel(message, call);
      case 'response.created':
        await this.#begun(idIn(event));
        return message;
      case 'response.done':
        await this.#done(event);
        return message;
      case 'input_audio_buffer.committed':
        await rounds.listens(itemIn(event), conversation.waitingSeconds);
        conversation.committed();
        return message;
      case 'conversation.item.input_audio_transcription.completed':
        await rounds.heard(itemIn(event), event);
        return message;
      case 'conversation.item.input_audio_transcription.failed':
        rounds.unheard(itemIn(event));
        return message;
      case 'error':
        return this.#error(event, message);
      default:
        await this.#piece(event, message.length);
        return message;
    }
  }

  async #begun(id: string): Promise<void> {
    const { rounds, cancel, tell } = this.#parts;
    if ((await rounds.begins(id)) === 'on') return;
    tell(new AppError('insufficient_user_quota', { available: 0, needed: 1 }));
    cancel(id);
  }

  async #done(event: JsonObject): Promise<void> {
    const { conversation, rounds, done } = this.#parts;
    try {
      const usage = await rounds.done(idIn(event), event);
      if (usage?.trusted) conversation.counted(event, usage.usage);
    } finally {
      done();
    }
  }

  async #piece(event: JsonObject, bytes: number): Promise<void> {
    const { conversation, rounds, cancel, tell } = this.#parts;
    const round = rounds.answer(event.response_id);
    if (round === undefined) return;
    if (round.passes(event, { bytes, format: conversation.outputFormat }) === 'exhausted' && round.isCutNow()) {
      tell(new AppError('insufficient_user_quota', { available: 0, needed: 1 }));
      cancel(String(event.response_id));
    }
    await round.noted();
  }

  /** A provider's error in words that name neither our key nor our account. */
  #error(event: JsonObject, message: Buffer): Buffer | string {
    const { call, refused } = this.#parts;
    const error = objectOf(event.error);
    if (typeof error.event_id === 'string') refused(error.event_id);
    const meant = realtime.dialectOf(call.channel.provider)?.errorIn(event);
    if (meant === undefined) return message;
    const told = wordsFor(meant, call.channel);
    if (!(told instanceof UpstreamError)) return message;
    const { message: words, type, param, code } = told;
    return JSON.stringify({ ...event, error: { ...error, message: words, type, param, code } });
  }
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
