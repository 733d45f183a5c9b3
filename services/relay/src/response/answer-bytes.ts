import type { Delivered, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall } from '../context/call.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { Ticking } from '../context/open-calls.ts';
import type { Relay } from '../context/relay.ts';
import { Delivery } from '../quota/delivery-tracker.ts';
import { type Outcome, partialUsage, report, wholeUsage } from '../quota/report.ts';
import { letGoOfRequest } from '../upstream/attempt.ts';
import type { BodySink } from '../upstream/body.ts';
import type { Exchange } from '../upstream/exchange.ts';
import type { Forwarding } from '../upstream/upstream-request.ts';
import { answerHeaders } from './respond.ts';

interface BytesAttempt {
  exchange: Exchange;
  forwarding: Forwarding;
}

/**
 * Passes on an answer that is no text, such as sound, as it comes and no faster than the caller takes it. Its bill is noted before its
 * first byte leaves and stands in Redis before its end is told. What breaks off is cut, for there is no way to say so in sound.
 * Rejects as long as nothing of it has gone out.
 */
export function answerBytes(relay: Relay, call: AskedCall, { exchange, forwarding }: BytesAttempt): Promise<void> {
  const passage = new BytesPassage(relay, call, exchange, forwarding);
  call.whenGone(() => passage.callerLeft());
  relay.openCalls.watch(passage);
  exchange.pipeTo(passage);
  return passage.whenOver.finally(() => relay.openCalls.unwatch(passage));
}

class BytesPassage implements BodySink, Ticking {
  place = -1;
  readonly #relay: Relay;
  readonly #call: AskedCall;
  readonly #exchange: Exchange;
  readonly #forwarding: Forwarding;
  readonly #end = Promise.withResolvers<void>();
  #bytes = 0;
  #isOver = false;
  #waitingSince: number | undefined;

  constructor(relay: Relay, call: AskedCall, exchange: Exchange, forwarding: Forwarding) {
    this.#relay = relay;
    this.#call = call;
    this.#exchange = exchange;
    this.#forwarding = forwarding;
  }

  get whenOver(): Promise<void> {
    return this.#end.promise;
  }

  get #delivered(): Delivered {
    return { textOutput: 0, reasoningOutput: 0, characters: 0, bytes: this.#bytes };
  }

  piece(bytes: Buffer): void {
    if (this.#isOver || bytes.length === 0) return;
    const { response } = this.#call;
    const isFirst = this.#bytes === 0;
    this.#bytes += bytes.length;
    if (this.#bytes > this.#relay.limits.RELAY_MAX_ANSWER_BYTES) {
      this.#breakOff(upstreamFailure('unreadable', 'upstream_bad_answer'), 'upstream_died');
      return;
    }
    if (isFirst) this.#begin();
    if (response.write(bytes) || response.socket?.destroyed !== false) return;
    this.#exchange.pause();
    this.#waitingSince ??= performance.now();
    response.once('drain', () => {
      this.#waitingSince = undefined;
      this.#exchange.resume();
    });
  }

  #begin(): void {
    letGoOfRequest(this.#relay, this.#call, this.#forwarding);
    const counts = { usage: undefined, delivered: this.#delivered };
    new Delivery(this.#relay, this.#call, counts).begun();
    const contentType = this.#exchange.headers['content-type'] ?? 'application/octet-stream';
    this.#call.response.writeHead(200, answerHeaders(this.#call, { 'content-type': contentType }));
  }

  /** The body is whole. */
  ended(): void {
    if (this.#isOver) return;
    if (this.#bytes === 0) {
      this.#breakOff(upstreamFailure('unreadable', 'upstream_bad_answer'), 'upstream_died');
      return;
    }
    const bill = wholeUsage(this.#call.checked, { usage: undefined, isUsageLast: true, delivered: this.#delivered });
    void this.#close({ ...bill, endReason: 'complete' }, () => this.#call.response.end());
  }

  failed(error: UpstreamError): void {
    this.#breakOff(error, error.kind === 'timeout' ? 'timeout' : 'upstream_died');
  }

  callerLeft(): void {
    this.#breakOff(upstreamFailure('interrupted', 'upstream_interrupted'), 'client_gone');
  }

  tick(now: number): void {
    const since = this.#waitingSince;
    if (since !== undefined && now - since > this.#relay.limits.RELAY_SLOW_READER_MS) this.#call.response.destroy();
  }

  shutDown(): void {
    this.#breakOff(new AppError('service_unavailable', {}, { retryAfterSeconds: 1 }), 'shutdown');
  }

  /** Ends it before it is whole: free, and told by `error`, as long as nothing has gone out; else cut, and paid. */
  #breakOff(error: UpstreamError | AppError, endReason: Outcome['endReason']): void {
    if (this.#isOver) return;
    this.#isOver = true; // or the abort would be heard as a failure
    this.#exchange.abort();
    if (this.#bytes === 0) {
      this.#end.reject(error);
      return;
    }
    const bill = partialUsage(this.#call.checked, undefined, this.#delivered);
    void this.#close({ ...bill, endReason }, () => this.#call.response.destroy());
  }

  async #close(outcome: Outcome, sayLast: () => void): Promise<void> {
    this.#isOver = true;
    try {
      await report(this.#relay, this.#call, outcome, { isDelivered: true });
      sayLast();
    } catch (error) {
      this.#relay.logger.warn({ requestId: this.#call.id, err: error }, 'an answer was cut: its bill was not taken');
      this.#call.response.destroy();
    }
    this.#end.resolve();
  }
}
