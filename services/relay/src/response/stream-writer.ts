import type { Call } from '../pipeline/call.ts';
import type { Ticking } from '../pipeline/open-calls.ts';
import { toldError } from './client-error.ts';
import { chunkOf, lastChunk } from './http-chunks.ts';
import { answerHeaders, arrayHeaders, streamHeaders } from './respond.ts';

/**
 * The caller's side of one streamed call, over all its attempts: writes what comes, says when to wait, and keeps the line
 * alive while nothing comes.
 */
export class StreamWriter implements Ticking {
  place = -1;
  readonly #call: Call;
  readonly #limits: { heartbeatMs: number; slowReaderMs: number };
  #lastWriteAt = performance.now();
  /** Since the last tick: a look at the clock for each frame is more than that is worth. */
  #hasWritten = false;
  #waitingSince: number | undefined;
  #isOver = false;
  /** The answer goes in chunks: to all but callers of HTTP/1.0. */
  #isChunked = false;
  #isHeadOut = false;
  /** What to do when the caller takes bytes again. */
  onDrain: (() => void) | undefined;
  /** Told twice a second. */
  onTick: ((now: number) => void) | undefined;
  /** What to do when the relay has to stop. */
  onShutDown: (() => void) | undefined;

  constructor(call: Call, limits: { heartbeatMs: number; slowReaderMs: number }) {
    this.#call = call;
    this.#limits = limits;
  }

  /** The caller does not take what he was written. */
  get isFull(): boolean {
    return this.#waitingSince !== undefined;
  }

  /** False: the caller does not take it up; wait for `onDrain`. */
  write(pieces: readonly (Buffer | string)[]): boolean {
    const { response, isGone } = this.#call;
    if (isGone || this.#isOver || pieces.length === 0) return true;
    this.#begin();
    this.#hasWritten = true;
    if (this.#send(this.#framed(joined(pieces)))) return true;
    const { socket } = response;
    if (socket?.destroyed !== false) return true; // he has left, and the call is told of it in a moment
    if (this.#waitingSince === undefined) {
      this.#waitingSince = performance.now();
      socket.once('drain', () => {
        this.#waitingSince = undefined;
        if (!this.#isOver) this.onDrain?.();
      });
    }
    return false;
  }

  /** Behind the head of an answer its chunks, framed already, go to the line itself: each pays for a cork and its turn otherwise. */
  #send(bytes: Buffer | string): boolean {
    const { response } = this.#call;
    const { socket } = response;
    if (this.#isHeadOut && socket !== null) return socket.destroyed || socket.write(bytes);
    this.#isHeadOut = true;
    return response.write(bytes);
  }

  end(last: Buffer | string): void {
    if (this.#isOver || this.#call.isGone) return;
    this.#begin();
    this.#isOver = true;
    const { response } = this.#call;
    if (last.length > 0) response.write(this.#framed(last));
    response.end(this.#isChunked ? lastChunk : '');
  }

  /** Tells the caller why the answer breaks off. `at` is how many events he has been told, where they are numbered. */
  fail(error: unknown, at?: number): void {
    this.end(this.#call.dialect.errorEvent(toldError(error, this.#call), at));
  }

  tick(now: number): void {
    if (this.#isOver || this.#call.isGone) return;
    if (this.#hasWritten) this.#lastWriteAt = now;
    this.#hasWritten = false;
    if (this.#waitingSince !== undefined) {
      if (now - this.#waitingSince > this.#limits.slowReaderMs) this.#call.response.destroy();
    } else if (now - this.#lastWriteAt >= this.#limits.heartbeatMs) this.write([this.#call.dialect.heartbeat]);
    this.onTick?.(now);
  }

  shutDown(): void {
    this.onShutDown?.();
  }

  #begin(): void {
    const { response } = this.#call;
    if (response.headersSent) return;
    response.writeHead(200, answerHeaders(this.#call, this.#call.dialect.streamsArrays ? arrayHeaders : streamHeaders));
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false; // ours are written in one piece
  }

  #framed(piece: Buffer | string): Buffer | string {
    return this.#isChunked ? chunkOf(piece) : piece;
  }
}

/** Pieces as one, so that they leave in one packet; neighbours in one buffer, untouched frames of one read, are not copied. */
function joined(pieces: readonly (Buffer | string)[]): Buffer | string {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  return neighbours(buffers) ?? Buffer.concat(buffers);
}

function neighbours(buffers: readonly Buffer[]): Buffer | undefined {
  const start = buffers[0] as Buffer;
  let end = start.byteOffset;
  for (const buffer of buffers) {
    if (buffer.buffer !== start.buffer || buffer.byteOffset !== end) return undefined;
    end += buffer.length;
  }
  return Buffer.from(start.buffer, start.byteOffset, end - start.byteOffset);
}
