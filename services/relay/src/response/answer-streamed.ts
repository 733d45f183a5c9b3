import {
  type AnyDialect,
  type FrameReader,
  isUnreadable,
  openStreamReading,
  type SseFrame,
  type StreamReading,
  serverSentEvents,
  type UpstreamError,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall } from '../context/call.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { RelayRoute } from '../context/route.ts';
import { Delivery } from '../quota/delivery-tracker.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { patienceFor, stampOf } from '../upstream/attempt.ts';
import type { BodySink } from '../upstream/body.ts';
import type { Exchange } from '../upstream/exchange.ts';
import type { Forwarding } from '../upstream/upstream-request.ts';
import { watchWords } from './answer-whole.ts';
import { namingCallersTools, namingRequestedModel } from './original-names.ts';
import { Passage, Progress } from './stream-session.ts';
import { waiting } from './stream-states.ts';
import type { StreamWriter } from './stream-writer.ts';

interface StreamAttempt {
  exchange: Exchange;
  channel: RoutedChannel;
  route: RelayRoute;
  dialect: AnyDialect;
  forwarding: Forwarding;
  writer: StreamWriter;
}

/**
 * Passes a stream on, frame by frame, and reports it before its last bytes go out. It begins `waiting`; what comes of each
 * event in each state stands in stream-states.ts.
 * Rejects as long as nothing of the answer has gone to the caller: then the call is free, or another channel may be asked.
 */
export function answerStreamed(relay: Relay, call: AskedCall, attempt: StreamAttempt): Promise<void> {
  const { exchange, writer, channel, route, dialect, forwarding } = attempt;
  const reading = openReading(relay, call, attempt);
  const { request, sent } = forwarding;
  const isSame = dialect.speaks === route.dialect.name;
  const inDialect = route.writer(reading, { request, sent: sent?.json ?? {}, envelope: call.envelope, isSame });
  const words = namingRequestedModel(namingCallersTools(inDialect, call), call);
  const delivery = new Delivery(relay, call, reading);
  const passage = new Passage(relay, call, { exchange, channel, writer, reading, words, delivery, forwarding });
  passage.state = waiting(passage);
  call.whenGone(() => passage.state.callerLeft());
  writer.onShutDown = () => passage.state.broke(new AppError('service_unavailable', {}, { retryAfterSeconds: 1 }), 'shutdown');
  const source = new ProviderFrames(passage, (dialect.framing ?? serverSentEvents).open());
  writer.onTick = (now) => source.tick(now);
  exchange.pipeTo(source);
  return passage.ended.finally(() => source.letGo());
}

function openReading(relay: Relay, call: AskedCall, { dialect, channel, forwarding }: StreamAttempt): StreamReading {
  return openStreamReading(dialect, {
    stamp: stampOf(call),
    choices: forwarding.choices,
    thinkingToContent: channel.settings.thinking_to_content,
    forceFormat: channel.settings.force_format,
    usageBound: relay.settings.options.MaxUsageTokens,
  });
}

/** Shorter ones are many, and small change. */
const longFrame = 64 * 1024;

/** The provider's side: its bytes as events of the passage. */
class ProviderFrames implements BodySink {
  readonly #passage: Passage;
  readonly #reader: FrameReader;
  readonly #progress: Progress;
  readonly #isSensitive: ReturnType<typeof watchWords> | undefined;
  #keptBytes = 0;

  constructor(passage: Passage, reader: FrameReader) {
    this.#passage = passage;
    this.#reader = reader;
    const { firstByteMs } = patienceFor(passage.relay.limits, passage.call);
    const { stopsAnswer } = passage.relay.settings;
    this.#isSensitive = stopsAnswer && watchWords(stopsAnswer);
    this.#progress = new Progress(passage.reading, { silenceMs: firstByteMs });
  }

  piece(bytes: Buffer): void {
    const passage = this.#passage;
    if (passage.isClosed) return;
    try {
      if (!this.#take(bytes)) {
        passage.state.stopped();
        return;
      }
      this.#keep(this.#reader.keptBytes + this.#toldLater());
      this.#progress.read(bytes.length);
    } catch (error) {
      this.#broke(error);
      this.#reader.drop(); // the bill is still to be written, and what it held is counted no more when the call ends
      return;
    }
    if (passage.reading.isDone) passage.state.completed();
    else passage.state.account(bytes.length);
  }

  ended(): void {
    const { reading, isClosed } = this.#passage;
    if (isClosed) return;
    try {
      if (!this.#take(undefined)) {
        this.#passage.state.stopped();
        return;
      }
    } catch (error) {
      this.#broke(error);
      return;
    }
    if (reading.isComplete) this.#passage.state.completed();
    else this.#passage.state.broke(upstreamFailure('interrupted', 'upstream_interrupted'), 'upstream_died');
  }

  failed(error: UpstreamError): void {
    const { reading, state } = this.#passage;
    if (reading.isComplete) state.completed();
    else state.broke(error, error.kind === 'timeout' ? 'timeout' : 'upstream_died');
  }

  /** An answer that is whole stays so, whatever unreadable stands behind it. */
  #broke(error: unknown): void {
    const { relay, call, channel, reading, state } = this.#passage;
    if (reading.isComplete && isUnreadable(error)) {
      relay.logger.warn({ requestId: call.id, channelId: channel.id, err: error }, 'what came behind a whole answer cannot be read');
      state.completed();
    } else state.broke(error, 'upstream_died');
  }

  /** Ends what has only its end mark left to come, and what keeps the line alive but says nothing. */
  tick(now: number): void {
    const { writer, delivery, state } = this.#passage;
    delivery.tick(now);
    if (writer.isFull || delivery.isBehind) this.#progress.reset(now);
    const verdict = this.#progress.at(now);
    if (verdict === 'over') state.completed();
    else if (verdict === 'silent') state.broke(upstreamFailure('timeout', 'upstream_timeout'), 'timeout');
  }

  /**
   * The frames of these bytes, or of what the body ended with; false when one of them says what nobody is to hear. Throws what a frame that is an error throws. What
   * stood before such a frame is delivered.
   */
  #take(bytes: Buffer | undefined): boolean {
    const { reading, words, state } = this.#passage;
    const out: (Buffer | string)[] = [];
    try {
      for (const frame of this.#framesOf(bytes)) {
        const chunks = reading.read(frame);
        if (this.#isSensitive?.(chunks)) return false;
        const piece = words.frame(frame, chunks);
        if (piece !== undefined) out.push(piece);
        if (reading.isDone) return true;
      }
      return true;
    } finally {
      if (out.length > 0) state.deliver(out);
    }
  }

  #framesOf(bytes: Buffer | undefined): Iterable<SseFrame> {
    return bytes === undefined ? this.#reader.end() : this.#reader.push(bytes);
  }

  /** What of the answer has to be told again, or later. Throws: UpstreamError where it is longer than a whole answer may be. */
  #toldLater(): number {
    const { relay, reading, words, heldBytes } = this.#passage;
    const bytes = reading.keptBytes + (words.keptBytes ?? 0) + heldBytes;
    if (bytes > relay.limits.RELAY_MAX_ANSWER_BYTES) throw upstreamFailure('unreadable', 'upstream_bad_answer');
    return bytes;
  }

  /** A long frame that has not ended, and what is told later, counts as what calls keep in memory. Throws: AppError `service_unavailable`. */
  #keep(bytes: number): void {
    const kept = bytes > longFrame ? bytes : 0;
    if (kept === this.#keptBytes) return;
    const { relay, call } = this.#passage;
    relay.openCalls.letGo(call, this.#keptBytes);
    this.#keptBytes = 0;
    relay.openCalls.buffer(call, kept);
    this.#keptBytes = kept;
  }

  letGo(): void {
    this.#reader.drop();
    const { relay, call } = this.#passage;
    relay.openCalls.letGo(call, this.#keptBytes);
    this.#keptBytes = 0;
  }
}
