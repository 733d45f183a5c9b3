import type { EncodedMessage } from '../bus.ts';

/** A Redis that appends to its file once a second may come back without two of them; a replica lags by less. */
const keptMs = 15_000;
const mostKept = 10_000;

interface Sent {
  topic: string;
  messages: EncodedMessage[];
  at: number;
}

/** What a process sent in the last seconds, oldest first: a Redis that comes back without it is told again. */
export class SentLately {
  #sent: Sent[] = [];
  #count = 0;

  note(topic: string, messages: EncodedMessage[]): void {
    const at = performance.now();
    this.#sent.push({ topic, messages, at });
    this.#count += messages.length;
    let [oldest] = this.#sent;
    while (oldest && (at - oldest.at > keptMs || this.#count > mostKept)) {
      this.#sent.shift();
      this.#count -= oldest.messages.length;
      [oldest] = this.#sent;
    }
  }

  all(): readonly Sent[] {
    const since = performance.now() - keptMs;
    return this.#sent.filter(({ at }) => at >= since);
  }
}
