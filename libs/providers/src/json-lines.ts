import type { FrameReader, Framing } from './framing.ts';
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
  /** The pieces of the line that has not ended. */
  #held: Buffer[] = [];
  keptBytes = 0;

  push(bytes: Buffer): SseFrame[] {
    const frames: SseFrame[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const frame = this.#ended(bytes.subarray(start, end));
      if (frame !== undefined) frames.push(frame);
      start = end + 1;
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start));
    return frames;
  }

  end(): SseFrame | undefined {
    const frame = this.#ended(Buffer.alloc(0));
    return frame?.json() === undefined ? undefined : frame;
  }

  #ended(rest: Buffer): SseFrame | undefined {
    this.#hold(rest);
    const line = this.#held;
    const isBlank = line.every((piece) => piece.every((byte) => byte <= 0x20));
    this.#held = [];
    this.keptBytes = 0;
    return isBlank ? undefined : new SseFrame(Buffer.concat([opening, ...line, ending]));
  }

  #hold(piece: Buffer): void {
    this.keptBytes += piece.length;
    if (this.keptBytes > maxFrameBytes) throw new SseFrameTooLarge(`a line of more than ${maxFrameBytes} bytes`);
    if (piece.length > 0) this.#held.push(piece);
  }
}
