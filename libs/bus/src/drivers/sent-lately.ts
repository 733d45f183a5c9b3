import type { EncodedMessage } from '../bus.ts';

/** A Redis that appends to its file once a second may come back without two of them; a replica lags by less. */
const keptMs = 15_000;
/** Of a process that sends as much as one can, some 9 000 a second, three seconds. */
const mostKept = 30_000;

interface Sent {
  topic: string;
  keys: string[];
  /** Of each message, in characters. */
  lengths: number[];
  /** The messages in one piece of memory: as so many texts they would outlive the young heap, each by itself. */
  bytes: Buffer;
  at: number;
}

/** What a process sent in the last seconds, oldest first: a Redis that comes back without it is told again. */
export class SentLately {
  #sent: Sent[] = [];
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
    while (oldest && (at - oldest.at > keptMs || this.#count > mostKept)) {
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

function messagesIn({ keys, lengths, bytes }: Sent): EncodedMessage[] {
  const texts = bytes.toString('utf8');
  let end = 0;
  return keys.map((key, at) => {
    const begin = end;
    end += lengths[at] ?? 0;
    return { key, json: texts.slice(begin, end) };
  });
}
