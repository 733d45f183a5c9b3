import type { EncodedMessage } from '../bus.ts';

/** Redis with `appendfsync everysec` may lose two seconds; a replica lags by less. */
const keptMs = 15_000;
/** Three seconds at the highest rate of one process, about 9 000 messages a second. */
const maxKept = 30_000;

interface SentBatch {
  topic: string;
  keys: string[];
  /** Length of each message in characters. */
  lengths: number[];
  /** The messages in one buffer: separate strings would each survive the young generation of the heap. */
  bytes: Buffer;
  at: number;
}

/** Keeps what a process sent in the last seconds, oldest first, to send it again to a Redis that lost it. */
export class ResendBuffer {
  #sent: SentBatch[] = [];
  #count = 0;

  note(topic: string, messages: readonly EncodedMessage[]): void {
    const at = performance.now();
    const texts = messages.map(({ json }) => json);
    this.#sent.push({
      topic,
      keys: messages.map(({ key }) => key),
      lengths: texts.map(({ length }) => length),
      bytes: Buffer.from(texts.join('')),
      at,
    });
    this.#count += messages.length;
    let [oldest] = this.#sent;
    while (oldest && (at - oldest.at > keptMs || this.#count > maxKept)) {
      this.#sent.shift();
      this.#count -= oldest.keys.length;
      [oldest] = this.#sent;
    }
  }

  all(): { topic: string; messages: EncodedMessage[] }[] {
    const since = performance.now() - keptMs;
    return this.#sent.filter(({ at }) => at >= since).map((sent) => ({ topic: sent.topic, messages: messagesIn(sent) }));
  }
}

function messagesIn({ keys, lengths, bytes }: SentBatch): EncodedMessage[] {
  const texts = bytes.toString('utf8');
  let end = 0;
  return keys.map((key, at) => {
    const begin = end;
    end += lengths[at] ?? 0;
    return { key, json: texts.slice(begin, end) };
  });
}
