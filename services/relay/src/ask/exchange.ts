import type { IncomingHttpHeaders } from 'node:http';
import { errorMessage } from '@tollgate/contracts';
import { UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Dispatcher } from 'undici';

/** Who takes an answer's body, piece by piece. After `ended` or `failed` nothing comes. */
export interface BodySink {
  piece(bytes: Buffer): void;
  ended(): void;
  failed(error: UpstreamError): void;
}

export interface ExchangeRequest {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  firstByteMs: number;
  silenceMs: number;
}

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
  #isEnded = false;
  #failure: UpstreamError | undefined;

  constructor(dispatcher: Dispatcher, request: ExchangeRequest) {
    this.answered = new Promise((resolve, reject) => {
      this.#resolveAnswered = resolve;
      this.#rejectAnswered = reject;
    });
    const { origin, path, headers, body, firstByteMs, silenceMs } = request;
    try {
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body, headersTimeout: firstByteMs, bodyTimeout: silenceMs }, this);
    } catch (error) {
      this.#rejectAnswered(transportFailure(error, false)); // a path or a header that HTTP does not allow
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure); // aborted while it waited for a connection
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
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
    if (this.#unreadBytes > mostUnread) controller.pause();
  }

  onResponseEnd(): void {
    this.#isEnded = true;
    this.#sink?.ended();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#isEnded || this.#failure !== undefined) return;
    const failure = transportFailure(cause, this.status !== 0);
    this.#rejectAnswered(failure);
    if (!(failure instanceof UpstreamError)) return; // refused before anything was sent: there is no body
    this.#failure = failure;
    this.#sink?.failed(failure);
  }

  /** Gives the rest of the body to `sink`, beginning with what has come already. */
  pipeTo(sink: BodySink): void {
    this.#sink = sink;
    const unread = this.#unread;
    this.#unread = [];
    for (const bytes of unread) sink.piece(bytes);
    if (this.#failure !== undefined) sink.failed(this.#failure);
    else if (this.#isEnded) sink.ended();
    else this.#controller?.resume();
  }

  /** The whole body. Rejects: UpstreamError, also when it is longer than `maxBytes`. */
  whole(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let length = 0;
      this.pipeTo({
        piece: (bytes) => {
          length += bytes.length;
          if (length <= maxBytes) pieces.push(bytes);
          else {
            reject(upstreamFailure('unreadable', 'upstream_bad_answer'));
            this.abort();
          }
        },
        ended: () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)),
        failed: reject,
      });
    });
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Lets the provider go. Whoever waits for `answered` or for the body is told that it broke off. */
  abort(): void {
    if (this.#isEnded || this.#failure !== undefined) return;
    this.#failure = upstreamFailure('interrupted', 'upstream_interrupted');
    this.#unread = [];
    this.#rejectAnswered(this.#failure);
    this.#controller?.abort(this.#failure);
    this.#sink?.failed(this.#failure);
  }
}

/** A failure of the line, in words that name no address. */
function transportFailure(cause: unknown, hasBegun: boolean): UpstreamError | AppError {
  if (cause instanceof AppError) return cause;
  const code = (cause as { code?: string } | null)?.code;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return upstreamFailure('timeout', 'upstream_timeout');
  return hasBegun ? upstreamFailure('interrupted', 'upstream_interrupted') : upstreamFailure('server', 'upstream_unreachable');
}

export function upstreamFailure(
  kind: UpstreamError['kind'],
  code: 'upstream_timeout' | 'upstream_interrupted' | 'upstream_unreachable' | 'upstream_bad_answer',
): UpstreamError {
  return new UpstreamError({ kind, status: kind === 'timeout' ? 504 : 502, message: errorMessage(code), code });
}
