import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { HeldBytes, UpstreamError } from '@tollgate/providers';
import { AppError, encodingOf } from '@tollgate/runtime';
import type { Dispatcher } from 'undici';
import { upstreamFailure } from '../context/errors.ts';
import { type BodySink, type Unpacker, unpacking } from './body.ts';

export interface ExchangeRequest {
  /** `POST` when left out; the others have no body. */
  method?: 'GET' | 'DELETE';
  origin: string;
  path: string;
  headers: Record<string, string>;
  /** In pieces. */
  body: readonly Buffer[] | StreamedBody;
  firstByteMs: number;
  silenceMs: number;
}

/** A body that is read as it goes out. */
export interface StreamedBody {
  length: number;
  pieces(): AsyncIterable<Buffer>;
}

interface WholeOptions {
  maxBytes: number;
  withinMs: number;
  keep?(bytes: number): void;
  isLast?(bytes: Buffer): boolean;
}

/** How long an answer that is paid may take to end, so that its connection can be used again. */
const finishMs = 1_000;
/** A shorter body is handed over as it is; a longer one is let go of as soon as it is written. */
const shortBody = 16 * 1024;
/** Of a longer one, short pieces are written together: each write costs more than its bytes. */
const writtenAtOnce = 64 * 1024;

/** Of a whole answer, a shorter piece is kept with its neighbours: by itself it would cost more than its bytes. */
const shortPiece = 4 * 1024;

/** What arrives before anyone listens is kept up to here, then the provider has to wait. */
const mostUnread = 64 * 1024;

/**
 * One question to a provider and its answer, on undici's lowest level: no stream objects, no copies. First `answered`, then
 * the body either by `whole` or by `pipeTo`. Aborting it at any moment frees the socket.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  /** Resolves when status and headers are there. Rejects: UpstreamError, AppError `egress_refused`. */
  readonly answered: Promise<void>;
  #resolveAnswered!: () => void;
  #rejectAnswered!: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #sink: BodySink | undefined;
  #unpacker: Unpacker | undefined;
  #whenBegun: (() => void) | undefined;
  #isEnded = false;
  #finishing: NodeJS.Timeout | undefined;
  #failure: UpstreamError | undefined;
  /** A connection that had served before was closed under the question, and nothing of an answer was read. */
  wasCutBeforeAnswer = false;

  constructor(dispatcher: Pick<Dispatcher, 'dispatch'>, request: ExchangeRequest) {
    this.answered = new Promise((resolve, reject) => {
      this.#resolveAnswered = resolve;
      this.#rejectAnswered = reject;
    });
    const { origin, path, firstByteMs, silenceMs } = request;
    const timeouts = { headersTimeout: firstByteMs, bodyTimeout: silenceMs };
    try {
      dispatcher.dispatch({ origin, path, method: request.method ?? 'POST', ...bodyOf(request), ...timeouts }, this);
    } catch (error) {
      this.#rejectAnswered(transportFailure(error, false)); // a path or a header that HTTP does not allow
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure); // aborted while it waited for a connection
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    controller.rawHeaders = null; // a stream would keep them to its end
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#resolveAnswered();
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#sink !== undefined) {
      this.#sink.piece(bytes);
      return;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    this.#whenBegun?.();
    if (this.#unreadBytes > mostUnread) controller.pause();
  }

  onResponseEnd(): void {
    this.#isEnded = true;
    clearTimeout(this.#finishing); // which would keep all this for its second
    this.#whenBegun?.();
    this.#sink?.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#isEnded || this.#failure !== undefined) return;
    const failure = transportFailure(cause, this.status !== 0);
    this.wasCutBeforeAnswer = this.status === 0 && wasCutOnReuse(cause);
    this.#rejectAnswered(failure);
    if (!(failure instanceof UpstreamError)) return; // refused before anything was sent: there is no body
    this.#failure = failure;
    this.#whenBegun?.();
    this.#sink?.failed(failure);
  }

  /** What the body begins with, as it travels; nothing when it ends before. It stays to be read. */
  async beginning(): Promise<Buffer> {
    const isThere = () => this.#unread.length > 0 || this.#isEnded || this.#failure !== undefined;
    if (!isThere()) await new Promise<void>((resolve) => (this.#whenBegun = resolve));
    this.#whenBegun = undefined;
    return this.#unread[0] ?? Buffer.alloc(0);
  }

  /** Gives the rest of the body to `sink`, beginning with what has come already. */
  pipeTo(sink: BodySink): void {
    const encoding = encodingOf(this.headers);
    if (encoding !== 'identity') {
      this.#unpacker = unpacking(encoding, sink, {
        pause: () => this.#controller?.pause(),
        resume: () => this.#controller?.resume(),
      });
    }
    const taker = this.#unpacker ?? sink;
    this.#sink = taker;
    const unread = this.#unread;
    this.#unread = [];
    for (const bytes of unread) taker.piece(bytes);
    if (this.#failure !== undefined) taker.failed(this.#failure);
    else if (this.#isEnded) taker.ended();
    else this.#controller?.resume();
  }

  /**
   * The whole body, or what has come of it when `isLast` says of a piece that it ends the answer. `keep` is told of every piece, so
   * that all answers together stay bounded; it throws when they do not.
   * Rejects: UpstreamError, also when it is longer than `maxBytes` or takes longer than `withinMs`; what `keep` throws.
   */
  whole({ maxBytes, withinMs, keep, isLast }: WholeOptions): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      const shortPieces = new HeldBytes();
      let length = 0;
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const over = () => {
        isOver = true;
        clearTimeout(timer);
      };
      const giveUp = (error: unknown) => {
        if (isOver) return;
        over();
        reject(error);
        this.abort();
      };
      const ended = () => {
        if (isOver) return;
        over();
        if (shortPieces.length > 0) pieces.push(shortPieces.take());
        resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
        if (!this.#isEnded) this.finish();
      };
      this.pipeTo({
        piece: (bytes) => {
          if (isOver) return;
          length += bytes.length;
          if (length > maxBytes) return giveUp(upstreamFailure('unreadable', 'upstream_bad_answer'));
          try {
            keep?.(bytes.length);
            if (bytes.length >= shortPiece && shortPieces.length > 0) pieces.push(shortPieces.take());
            if (bytes.length < shortPiece) shortPieces.add(bytes);
            else pieces.push(bytes);
            if (isLast?.(bytes)) ended();
          } catch (error) {
            giveUp(error);
          }
        },
        ended,
        failed: giveUp,
      });
      if (!isOver) timer = setTimeout(() => giveUp(upstreamFailure('timeout', 'upstream_timeout')), withinMs);
    });
  }

  pause(): void {
    this.#unpacker?.pause();
    if (this.#unpacker === undefined) this.#controller?.pause();
  }

  resume(): void {
    this.#unpacker?.resume();
    if (this.#unpacker === undefined) this.#controller?.resume();
  }

  /** What is still to come is of no interest: it is read to its end, so that the connection can be used again, but not for long. */
  finish(): void {
    this.#unpacker?.destroy();
    this.#sink = ignoring;
    this.#controller?.resume();
    if (!this.#isEnded) this.#finishing = setTimeout(() => this.abort(), finishMs).unref();
  }

  /** Lets the provider go. Whoever waits for `answered` or for the body is told that it broke off. */
  abort(): void {
    if (this.#isEnded || this.#failure !== undefined) return;
    this.#failure = upstreamFailure('interrupted', 'upstream_interrupted');
    this.#unread = [];
    this.#rejectAnswered(this.#failure);
    this.#controller?.abort(this.#failure);
    this.#unpacker?.destroy();
    this.#whenBegun?.();
    this.#sink?.failed(this.#failure);
  }
}

const ignoring: BodySink = { piece: () => undefined, ended: () => undefined, failed: () => undefined };

/** Headers and body of a question. A long body is given out once, so that nothing holds it while its answer goes on for minutes. */
function bodyOf({ method, headers, body }: ExchangeRequest): { headers: Record<string, string>; body?: Buffer | Readable } {
  if (method !== undefined) return { headers };
  if ('pieces' in body) return { headers: { ...headers, 'content-length': String(body.length) }, body: body.pieces() as Readable };
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const [first] = body;
  if (first !== undefined && body.length === 1 && length <= shortBody) return { headers, body: first };
  const left = [...body].reverse();
  const next = async (): Promise<IteratorResult<Buffer, undefined>> => {
    const value = nextOf(left);
    return value === undefined ? { done: true, value } : { done: false, value };
  };
  const once: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => ({ next }) };
  return { headers: { ...headers, 'content-length': String(length) }, body: once as Readable }; // undici takes any iterable
}

/** Takes what is written next off the end of a list; a long piece goes as it is, uncopied. */
function nextOf(left: Buffer[]): Buffer | undefined {
  const together: Buffer[] = [];
  let length = 0;
  for (let piece = left.at(-1); piece !== undefined && length + piece.length <= writtenAtOnce; piece = left.at(-1)) {
    together.push(piece);
    length += piece.length;
    left.pop();
  }
  return together.length > 1 ? Buffer.concat(together) : (together[0] ?? left.pop());
}

const cutCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the line was cut that had carried an answer before: as a rule its end had closed it when we wrote. */
function wasCutOnReuse(cause: unknown): boolean {
  const { code, hadAnswered } = (cause ?? {}) as { code?: string; hadAnswered?: boolean };
  return hadAnswered === true && code !== undefined && cutCodes.has(code);
}

/** A failure of the line, in words that name no address. */
function transportFailure(cause: unknown, hasBegun: boolean): UpstreamError | AppError {
  if (cause instanceof AppError) return cause;
  const code = (cause as { code?: string } | null)?.code;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return upstreamFailure('timeout', 'upstream_timeout');
  return hasBegun ? upstreamFailure('interrupted', 'upstream_interrupted') : upstreamFailure('server', 'upstream_unreachable');
}
