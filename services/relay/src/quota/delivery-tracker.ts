import type { StreamReading } from '@tollgate/providers';
import type { AskedCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { holdFor } from './hold.ts';
import { partialUsage, usageEvent } from './report.ts';

const noteEveryBytes = 16 * 1024;
const noteEveryMs = 5_000;
/** When the balance gives no more, the bill is looked at more often ... */
const lookEveryBytes = 1024;
/** ... and the answer goes on until our count, which is no exact one, is clearly beyond what is held. */
const slack = 1.25;

/** An answer on its way, as far as its bill asks. */
type Counted = Pick<StreamReading, 'usage' | 'delivered'>;

/**
 * What a stream has delivered so far, noted in its hold, so that it is charged even if this process dies; and whether the
 * hold carries it. Notes are written behind the stream, never in its way.
 */
export class Delivery {
  readonly #relay: Relay;
  readonly #call: AskedCall;
  readonly #reading: Counted;
  /** Since the last note, and since the last look. */
  #unnoted = 0;
  #unseen = 0;
  #notedAt = 0;
  #isNoting = false;
  #isAwaited = false;
  #isRefused = false;
  onNoted: (() => void) | undefined;

  constructor(relay: Relay, call: AskedCall, reading: Counted) {
    this.#relay = relay;
    this.#call = call;
    this.#reading = reading;
  }

  /** More has come than the last note, still on its way, speaks of; `onNoted` tells when that is over. */
  get isBehind(): boolean {
    return this.#isNoting && this.#unnoted >= noteEveryBytes;
  }

  /** The first content goes to the caller when this returns. The note of it has left before: killed in between, it is charged. */
  begun(): void {
    this.#call.firstTokenMs = Math.round(this.#call.elapsedMs);
    this.#relay.metrics.firstToken(this.#call);
    this.#write();
    this.#relay.sendNow();
  }

  /** Counts what was passed on. `exhausted`: neither hold nor balance carries it. */
  passed(bytes: number): 'on' | 'exhausted' {
    this.#unnoted += bytes;
    this.#unseen += bytes;
    if (this.#isRefused && this.#unseen >= lookEveryBytes) {
      this.#unseen = 0;
      if (this.#draft().quota > this.#call.hold.amount * slack) return 'exhausted';
    }
    this.#isAwaited ||= this.isBehind;
    if (this.#unnoted >= noteEveryBytes) this.#write();
    return 'on';
  }

  /** To be told of the time now and then. */
  tick(now: number): void {
    if (this.#unnoted > 0 && now - this.#notedAt >= noteEveryMs) this.#write();
  }

  #draft() {
    const partial = partialUsage(this.#call.checked, this.#reading.usage, this.#reading.delivered);
    return usageEvent(this.#call, { ...partial, usageSource: 'estimated', endReason: 'relay_lost' });
  }

  #write(): void {
    const { hold } = this.#call;
    if (hold.isOver || this.#isNoting) return;
    this.#unnoted = 0;
    this.#notedAt = performance.now();
    const event = this.#draft();
    hold.deadlineMs = Date.now() + this.#relay.limits.RELAY_HOLD_MS;
    const needed = holdFor(event.usage, event.price, this.#relay.settings.options.PreConsumedQuota);
    const amount = needed > hold.amount ? needed : undefined;
    this.#isNoting = true;
    this.#relay.wallet
      .progress(hold, { amount, event, deadlineMs: hold.deadlineMs })
      .then((granted) => {
        if (granted.ok) hold.amount = Math.max(hold.amount, granted.amount);
        this.#isRefused = !granted.ok;
      })
      .catch((error: unknown) => this.#relay.logger.warn({ requestId: this.#call.id, err: error }, 'a note of progress was not taken'))
      .finally(() => {
        this.#isNoting = false;
        if (!this.#isAwaited) return;
        this.#isAwaited = false;
        this.onNoted?.();
      });
  }
}
