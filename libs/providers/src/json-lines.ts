import type { FrameReader, Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';
import { maxFrameBytes, SseFrame, SseFrameTooLarge } from './sse.ts';

const lineFeed = 0x0a;
const opening = Buffer.from('data: ');
const ending = Buffer.from('\n\n');

/** One JSON a line; also the messages of a WebSocket, each of which is given a line of its own. */
export const jsonLines: Framing = {
  accept: 'application/x-ndjson',
  isStream: (mediaType) => /ndjson|jsonl|stream\+json/.test(mediaType),
  open: () => new JsonLinesReader(),
};

class JsonLinesReader implements FrameReader {
  /** Of the line that has not ended. */
  readonly #held = new HeldBytes();

  get keptBytes(): number {
    return this.#held.keptBytes;
  }

  drop(): void {
    this.#held.drop();
  }

  *push(bytes: Buffer): Generator<SseFrame> {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const frame = this.#ended(bytes.subarray(start, end));
      if (frame !== undefined) yield frame;
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    this.#check(rest);
    this.#held.add(rest);
  }

  end(): readonly SseFrame[] {
    const frame = this.#ended(Buffer.alloc(0));
    return frame?.json() === undefined ? [] : [frame];
  }

  #ended(rest: Buffer): SseFrame | undefined {
    this.#check(rest);
    const line = [this.#held.take(), rest];
    const isBlank = line.every((piece) => piece.every((byte) => byte <= 0x20));
    return isBlank ? undefined : new SseFrame(Buffer.concat([opening, ...line, ending]));
  }

  #check(more: Buffer): void {
    if (this.#held.length + more.length > maxFrameBytes) throw new SseFrameTooLarge(`a line of more than ${maxFrameBytes} bytes`);
  }
}
