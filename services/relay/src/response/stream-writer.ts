import type { Call } from '../context/call.ts';
import { toClientError } from '../context/errors.ts';
import type { OpenCalls, Ticking } from '../context/open-calls.ts';
import type { AnswerWriter } from '../context/route.ts';
import { runComment } from '../quota/runs.ts';
import { answerHeaders, arrayHeaders, streamHeaders } from './respond.ts';

/** What ends an answer in chunks: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const lastChunk = '0\r\n\r\n';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** A chunk with its head and tail, to be written at once: Node writes them as four pieces, an eighth of what a frame costs. Nothing is no chunk. */
function chunkOf(piece: Buffer | string): Buffer | string {
  if (piece.length === 0) return piece;
  if (typeof piece === 'string') return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
  const head = piece.length.toString(16);
  const chunk = Buffer.allocUnsafe(head.length + piece.length + 4);
  for (let at = 0; at < head.length; at += 1) chunk[at] = head.charCodeAt(at);
  endLine(chunk, head.length);
  chunk.set(piece, head.length + 2);
  endLine(chunk, chunk.length - 2);
  return chunk;
}

/** Byte by byte: of so few, a call of Node's own costs more. */
function endLine(chunk: Buffer, at: number): void {
  chunk[at] = carriageReturn;
  chunk[at + 1] = lineFeed;
}

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
    const comment = runComment(this.#call);
    if (comment !== '') response.write(this.#framed(comment));
    if (last.length > 0) response.write(this.#framed(last));
    response.end(this.#isChunked ? lastChunk : '');
  }

  /** Tells the caller why the answer breaks off. `words` wrote what has come of it. */
  fail(error: unknown, words?: Pick<AnswerWriter, 'failed'>): void {
    const { dialect, envelope, checked } = this.#call;
    const told = toClientError(error, this.#call);
    this.end(words?.failed?.(told) ?? dialect.errorEvent(told, { envelope, model: checked?.model }));
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

/** Writes a stream of events as one JSON array that grows: Google's form for `streamGenerateContent` without `alt=sse`. */
export class ArrayStreamWriter extends StreamWriter {
  #begun = false;

  override write(pieces: readonly (Buffer | string)[]): boolean {
    return super.write(pieces.map((piece) => this.#elements(piece)).filter((text) => text !== ''));
  }

  override end(last: Buffer | string): void {
    const elements = this.#elements(last);
    super.end(`${elements}${this.#begun ? ']' : '[]'}`);
  }

  /** The data of whole events as elements; a comment, which keeps the connection open, becomes white space. */
  #elements(events: Buffer | string): string {
    let text = '';
    for (const event of events.toString().split(/\r?\n\r?\n/)) {
      if (event === '') continue;
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length))
        .join('\n')
        .trim();
      if (data === '') text += '\n';
      else {
        text += `${this.#begun ? ',\r\n' : '['}${data}`;
        this.#begun = true;
      }
    }
    return text;
  }
}

/** A writer that the clock knows of; `dispose` takes it off again. */
export function openStreamWriter(
  call: Call,
  calls: OpenCalls,
  limits: { heartbeatMs: number; slowReaderMs: number },
): StreamWriter & Disposable {
  const writer = call.dialect.streamsArrays ? new ArrayStreamWriter(call, limits) : new StreamWriter(call, limits);
  calls.watch(writer);
  return Object.assign(writer, { [Symbol.dispose]: () => calls.unwatch(writer) });
}
