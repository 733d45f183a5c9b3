import type { Usage } from '@tollgate/contracts';
import type { StreamReading } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall } from '../context/call.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { AnswerWriter } from '../context/route.ts';
import type { Bill } from '../context/terms.ts';
import { keepAnswer } from '../dialects/responses/keep.ts';
import type { Delivery } from '../quota/delivery-tracker.ts';
import { type Outcome, partialUsage, report, wholeUsage } from '../quota/report.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { letGoOfRequest } from '../upstream/attempt.ts';
import type { Exchange } from '../upstream/exchange.ts';
import type { Forwarding } from '../upstream/upstream-request.ts';
import type { StreamWriter } from './stream-writer.ts';

/** What a piece of an answer is to the caller. */
export type Pieces = (Buffer | string)[];

/** What may befall a streamed answer; each of its states says what comes of it. */
export interface StreamState {
  /** Frames were read; `out` is what they are to the caller. */
  deliver(out: Pieces): void;
  /** So many bytes of the provider were read, and the answer goes on. */
  account(bytes: number): void;
  /** The answer is whole. */
  completed(): void;
  /** Something was said that nobody is to hear: the answer ends here, and what has come is paid. */
  stopped(): void;
  /** The answer ends here, before it is whole. */
  broke(error: unknown, endReason: Outcome['endReason']): void;
  callerLeft(): void;
}

/** One streamed answer on its way from a provider to a caller: what all its states share. */
export class Passage {
  readonly relay: Relay;
  readonly call: AskedCall;
  readonly exchange: Exchange;
  readonly channel: RoutedChannel;
  readonly writer: StreamWriter;
  /** What the provider says, and the same in the caller's words. */
  readonly reading: StreamReading;
  readonly words: AnswerWriter;
  readonly delivery: Delivery;
  readonly #forwarding: Forwarding;
  readonly #end = Promise.withResolvers<void>();
  state!: StreamState;
  /** Of frames that wait for the first content. */
  heldBytes = 0;

  constructor(
    relay: Relay,
    call: AskedCall,
    parts: {
      exchange: Exchange;
      channel: RoutedChannel;
      writer: StreamWriter;
      reading: StreamReading;
      words: AnswerWriter;
      delivery: Delivery;
      forwarding: Forwarding;
    },
  ) {
    this.relay = relay;
    this.call = call;
    this.exchange = parts.exchange;
    this.channel = parts.channel;
    this.writer = parts.writer;
    this.reading = parts.reading;
    this.words = parts.words;
    this.delivery = parts.delivery;
    this.#forwarding = parts.forwarding;
  }

  /** Resolves when the answer is paid and its last byte written; rejects when nothing of it has gone out. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  get isClosed(): boolean {
    return this.state === closed;
  }

  /** No other provider will be asked: the request need not be kept for one. */
  letGoOfRequest(): void {
    letGoOfRequest(this.relay, this.call, this.#forwarding);
  }

  wholeBill(): Bill {
    return wholeUsage(this.call.checked, this.reading);
  }

  partialBill(delivered = this.reading.delivered): Bill {
    return partialUsage(this.call.checked, this.reading.usage, delivered);
  }

  /** Nothing of the answer is out, nor ever will be: the call is free, or another channel may be asked. */
  fail(error: unknown): void {
    this.state = closed;
    this.call.isUsageStated ||= this.reading.usage?.trusted === true;
    this.exchange.abort();
    this.#end.reject(error);
  }

  /** Ends an answer in which a sensitive word has come: the caller is told so, and pays for what was made. */
  stop(): void {
    void this.close({ ...this.partialBill(), endReason: 'sensitive' }, () => this.sayFailed(new AppError('sensitive_words_detected')));
  }

  /** Ends a whole answer, and stores it where that is wanted. */
  sayEnd(usage: Usage): void {
    const last = this.words.end(usage);
    this.writer.end(last);
    if (this.call.keeping !== undefined) keepAnswer(this.relay, this.call, last);
  }

  /** Tells the caller why his answer breaks off. */
  sayFailed(error: unknown): void {
    this.writer.fail(error, this.words);
  }

  /** Writes the bill, then the last bytes. A bill that Redis does not take is an answer that does not end well. */
  async close(outcome: Outcome, sayLast: () => void): Promise<void> {
    this.state = closed;
    if (this.reading.isDone) this.exchange.finish();
    else this.exchange.abort();
    try {
      await report(this.relay, this.call, outcome, { isDelivered: true });
      sayLast();
    } catch (error) {
      this.sayFailed(error);
    }
    this.#end.resolve();
  }
}

/** The bill is being written, or has been: whatever comes now changes nothing. */
const closed: StreamState = {
  deliver: () => undefined,
  account: () => undefined,
  completed: () => undefined,
  stopped: () => undefined,
  broke: () => undefined,
  callerLeft: () => undefined,
};

/** A provider that has said all but its end mark is given so long to say it, and its bill. */
const graceMs = 2_000;
/** More than the longest frame: bytes beyond it that said nothing are none of an answer. */
const mostWithoutNews = 16 << 20;

/** Whether a stream gets on: comments and empty frames keep a line alive, but nobody waits for them. */
export class Progress {
  readonly #reading: StreamReading;
  readonly #silenceMs: number;
  #news = -1;
  #newsAt = performance.now();
  #newsAtBytes = -1;
  #completeAt: number | undefined;
  #bytes = 0;

  constructor(reading: StreamReading, { silenceMs }: { silenceMs: number }) {
    this.#reading = reading;
    this.#silenceMs = silenceMs;
  }

  /** So many bytes have come. Throws: UpstreamError when too many have come without news. */
  read(bytes: number): void {
    this.#bytes = this.#reading.news === this.#newsAtBytes ? this.#bytes + bytes : 0;
    this.#newsAtBytes = this.#reading.news;
    if (this.#bytes > mostWithoutNews) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  }

  /** `over`: the answer is whole and its end mark does not come. `silent`: it is not, and nothing has been said for too long. */
  at(now: number): 'on' | 'over' | 'silent' {
    if (this.#reading.news !== this.#news) this.reset(now);
    if (!this.#reading.isComplete) return now - this.#newsAt > this.#silenceMs ? 'silent' : 'on';
    this.#completeAt ??= now;
    return now - this.#completeAt >= graceMs ? 'over' : 'on';
  }

  /** Begins to wait anew: something was said, or nobody was listening. */
  reset(now: number): void {
    this.#news = this.#reading.news;
    this.#newsAt = now;
    this.#completeAt = undefined;
  }
}
