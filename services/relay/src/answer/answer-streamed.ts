import type { AnswerStream, SseFrame } from '@tollgate/providers';
import {
  type ChatTranslation,
  openAnswerStream,
  type PassThrough,
  SseFrameTooLarge,
  SseReader,
  type UpstreamError,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { type Forwarding, stampOf } from '../ask/attempt.ts';
import { type BodySink, type Exchange, upstreamFailure } from '../ask/exchange.ts';
import type { Call, CheckedCall } from '../call/call.ts';
import type { AnyDialect, AnyRequest } from '../call/route.ts';
import { Delivery } from '../money/delivery.ts';
import { type Outcome, partialUsage, report, wholeUsage } from '../money/report.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import type { StreamWriter } from './stream-writer.ts';

interface StreamAttempt {
  exchange: Exchange;
  channel: RoutedChannel;
  dialect: AnyDialect<AnyRequest>;
  forwarding: Forwarding;
  writer: StreamWriter;
}

/**
 * Passes a stream on, frame by frame, and reports it before its last bytes go out.
 * Rejects as long as nothing of the answer has gone to the caller: then the call is free, or another channel may be asked.
 */
export function answerStreamed(relay: Relay, call: Call, attempt: StreamAttempt): Promise<void> {
  return new StreamedAnswer(relay, call, attempt).run();
}

/** Frames without content are held back up to here, so that a provider that dies at once can still be replaced. */
const mostHeldBack = 64 * 1024;

class StreamedAnswer implements BodySink {
  readonly #relay: Relay;
  readonly #call: Call;
  readonly #exchange: Exchange;
  readonly #channel: RoutedChannel;
  readonly #writer: StreamWriter;
  readonly #stream: AnswerStream;
  readonly #delivery: Delivery;
  readonly #reader = new SseReader();
  readonly #end = Promise.withResolvers<void>();
  /**
   * waiting: nothing of the answer is out. delivering: something is. draining: the caller has left, the rest is read for its
   * bill. closing: the bill is being written; whatever comes now changes nothing.
   */
  #state: 'waiting' | 'delivering' | 'draining' | 'closing' = 'waiting';
  #outgoing: (Buffer | string)[] = [];
  #heldBytes = 0;
  #drain: { bytes: number; delivered: AnswerStream['delivered']; timer: NodeJS.Timeout } | undefined;

  constructor(relay: Relay, call: Call, { exchange, channel, dialect, forwarding, writer }: StreamAttempt) {
    this.#relay = relay;
    this.#call = call;
    this.#exchange = exchange;
    this.#channel = channel;
    this.#writer = writer;
    this.#stream = openAnswerStream(dialect as PassThrough<AnyRequest> | ChatTranslation, {
      stamp: stampOf(call),
      object: forwarding.chunk,
      wantsUsage: forwarding.request.stream_options?.include_usage === true,
      choices: forwarding.choices,
      thinkingToContent: channel.settings.thinking_to_content,
      forceFormat: channel.settings.force_format,
      usageBound: relay.settings.options.MaxUsageTokens,
    });
    this.#delivery = new Delivery(relay, call, this.#stream);
  }

  run(): Promise<void> {
    this.#call.whenGone(() => this.#callerLeft());
    this.#delivery.onNoted = () => this.#exchange.resume();
    this.#writer.onDrain = () => this.#exchange.resume();
    this.#writer.onShutDown = () => this.#broke(new AppError('service_unavailable', {}, { retryAfterSeconds: 1 }), 'shutdown');
    this.#exchange.pipeTo(this);
    return this.#end.promise;
  }

  piece(bytes: Buffer): void {
    if (this.#state === 'closing') return;
    try {
      this.#take(this.#reader.push(bytes));
    } catch (error) {
      this.#broke(error instanceof SseFrameTooLarge ? upstreamFailure('unreadable', 'upstream_bad_answer') : error, 'upstream_died');
      return;
    }
    if (this.#stream.isDone) void this.#complete();
    else if (this.#drain !== undefined) this.#drained(bytes.length);
    else if (this.#state === 'delivering') this.#account(bytes.length);
  }

  #account(bytes: number): void {
    const verdict = this.#delivery.passed(bytes);
    if (verdict === 'wait') this.#exchange.pause();
    else if (verdict === 'exhausted') void this.#balanceIsGone();
  }

  ended(): void {
    if (this.#state === 'closing') return;
    try {
      const last = this.#reader.end();
      if (last !== undefined) this.#take([last]);
    } catch (error) {
      this.#broke(error, 'upstream_died');
      return;
    }
    if (this.#stream.isComplete) void this.#complete();
    else this.#broke(upstreamFailure('interrupted', 'upstream_interrupted'), 'upstream_died');
  }

  failed(error: UpstreamError): void {
    if (this.#state === 'closing') return;
    if (this.#stream.isComplete) void this.#complete();
    else this.#broke(error, error.kind === 'timeout' ? 'timeout' : 'upstream_died');
  }

  /** Throws what a frame that is an error throws, after what stood before it has gone out. */
  #take(frames: readonly SseFrame[]): void {
    try {
      for (const frame of frames) {
        const out = this.#stream.push(frame);
        if (out !== undefined) this.#outgoing.push(out);
        if (this.#stream.isDone) return;
      }
    } finally {
      this.#deliver();
    }
  }

  #deliver(): void {
    if (this.#outgoing.length === 0) return;
    if (this.#state === 'waiting') {
      if (!this.#stream.hasContent && !this.#isHeldTooMuch()) return;
      this.#state = 'delivering';
      this.#delivery.begun();
    }
    const pieces = this.#outgoing;
    this.#outgoing = [];
    if (this.#state === 'delivering' && !this.#writer.write(pieces)) this.#exchange.pause();
  }

  #isHeldTooMuch(): boolean {
    this.#heldBytes = this.#outgoing.reduce((sum, piece) => sum + piece.length, 0);
    return this.#heldBytes > mostHeldBack;
  }

  /** The provider has said its last word. */
  async #complete(): Promise<void> {
    const endReason = this.#state === 'draining' ? 'client_gone' : 'complete';
    const checked = this.#call.checked as CheckedCall;
    const bill = wholeUsage(checked, this.#stream.usage, () => this.#stream.delivered);
    if (this.#state === 'waiting') this.#writer.write(this.#outgoing);
    await this.#close({ ...bill, endReason }, () => this.#writer.end(this.#stream.end(bill.usage)));
  }

  /** The answer ends here, before it is whole. */
  #broke(error: unknown, endReason: Outcome['endReason']): void {
    if (this.#state === 'closing') return;
    if (this.#state === 'waiting') {
      this.#state = 'closing';
      this.#exchange.abort();
      this.#end.reject(error);
      return;
    }
    const reason = this.#state === 'draining' ? 'client_gone' : endReason;
    void this.#close(this.#partial(reason), () => this.#writer.fail(error));
  }

  async #balanceIsGone(): Promise<void> {
    const outcome = this.#partial('balance');
    await this.#close(outcome, () => {
      this.#writer.write([this.#delivery.lastChunk()]);
      this.#writer.end(this.#stream.end(outcome.usage));
    });
  }

  #partial(endReason: Outcome['endReason']): Outcome {
    const delivered = this.#drain?.delivered ?? this.#stream.delivered;
    return { ...partialUsage(this.#call.checked as CheckedCall, this.#stream.usage, delivered), endReason };
  }

  /** Writes the bill, then the last bytes. A bill that Redis does not take is an answer that does not end well. */
  async #close(outcome: Outcome, sayLast: () => void): Promise<void> {
    if (this.#state === 'closing') return;
    this.#state = 'closing';
    clearTimeout(this.#drain?.timer);
    if (this.#stream.isDone)
      this.#exchange.resume(); // to its end, so that the connection can be used again
    else this.#exchange.abort();
    try {
      await report(this.#relay, this.#call, outcome, { isDelivered: true });
      sayLast();
    } catch (error) {
      this.#writer.fail(error);
    }
    this.#end.resolve();
  }

  #callerLeft(): void {
    if (this.#state === 'closing' || this.#state === 'draining') return;
    if (this.#state === 'waiting') {
      this.#broke(upstreamFailure('interrupted', 'upstream_interrupted'), 'client_gone');
      return;
    }
    this.#state = 'draining';
    const { UPSTREAM_DRAIN_MS } = this.#relay.limits;
    const timer = setTimeout(() => void this.#close(this.#partial('client_gone'), () => {}), UPSTREAM_DRAIN_MS);
    this.#drain = { bytes: 0, delivered: this.#stream.delivered, timer };
    if (this.#channel.settings.on_abort === 'cancel') void this.#close(this.#partial('client_gone'), () => {});
    else this.#exchange.resume();
  }

  #drained(bytes: number): void {
    const drain = this.#drain;
    if (drain === undefined) return;
    drain.bytes += bytes;
    if (drain.bytes > this.#relay.limits.UPSTREAM_DRAIN_BYTES) void this.#close(this.#partial('client_gone'), () => {});
  }
}
