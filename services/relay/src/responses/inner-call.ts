import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type JsonObject, type SseFrame, serverSentEvents } from '@tollgate/providers';
import { Call, newRequestId } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { type CallOptions, relayCall } from '../pipeline/relay-call.ts';

/** What takes the answer of a call that has no caller on a connection of its own. */
export interface InnerTaker {
  /** One event of its stream. The next one is taken when this has resolved. */
  event(event: JsonObject): Promise<void> | undefined;
  /** It was refused before its stream began, with an error in the caller's dialect. */
  refused(status: number, error: JsonObject): void;
}

export interface InnerCall {
  id: string;
  /** Resolves when quota is held and the request goes to a provider, or the call is over. */
  held: Promise<void>;
  ended: Promise<void>;
  /** As if its caller had left: what was delivered is charged. */
  cancel(): void;
}

/** Headers that describe the transfer of the outer request's body. */
const bodyHeaders = new Set(['content-length', 'transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'connection']);

/**
 * One call of the Responses API on behalf of the caller of another request, as a stream: the same authentication, limits, reservation, attempts
 * and bill as on a connection of its own.
 */
export function innerCall(
  relay: Relay,
  { outer, body, options, taker }: { outer: Call; body: JsonObject; options: CallOptions; taker: InnerTaker },
): InnerCall {
  const bytes = Buffer.from(JSON.stringify({ ...body, stream: true }));
  const socket = new InnerSocket(outer.request.socket, taker);
  const request = new IncomingMessage(socket as unknown as Socket);
  const kept = Object.entries(outer.request.headers).filter(([name]) => !bodyHeaders.has(name));
  request.headers = { ...Object.fromEntries(kept), 'content-type': 'application/json', 'content-length': String(bytes.length) };
  Object.assign(request, {
    method: 'POST',
    url: '/v1/responses',
    httpVersion: '1.0',
    httpVersionMajor: 1,
    httpVersionMinor: 0,
    complete: true,
  });
  request.push(bytes);
  request.push(null);
  const response = new ServerResponse(request);
  response.assignSocket(socket as unknown as Socket);
  const atMs = relay.wallet.time();
  const { dialect, language, query } = outer;
  const call = new Call(newRequestId(atMs), { request, response, atMs, dialect, language, query });
  const held = Promise.withResolvers<void>();
  call.onHeld = held.resolve;
  const ended = relayCall(relay, call, options)
    .then(() => socket.drained())
    .finally(() => {
      held.resolve();
      socket.destroy();
    });
  return { id: call.id, held: held.promise, ended, cancel: () => socket.destroy() };
}

const headEnd = '\r\n\r\n';

/** The connection of such a call. What it is written comes out as events; of an answer that is no stream, as the refusal that it is. */
class InnerSocket extends Duplex {
  /** Where the caller of the outer request is. */
  readonly remoteAddress: string | undefined;
  readonly #taker: InnerTaker;
  readonly #reader = serverSentEvents.open();
  readonly #body: Buffer[] = [];
  #head: Buffer | undefined = Buffer.alloc(0);
  #status = 0;

  constructor({ remoteAddress }: Socket, taker: InnerTaker) {
    super();
    this.remoteAddress = remoteAddress;
    this.#taker = taker;
    this.on('error', () => undefined); // `close` follows
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#take(chunk).then(() => done(), done);
  }

  /** Resolves when all that was written has been taken. */
  async drained(): Promise<void> {
    if (!this.destroyed && this.writableLength > 0) await new Promise<void>((resolve) => this.write('', () => resolve()));
    if (this.#status !== 0 && !this.#isStream) this.#taker.refused(this.#status, errorIn(Buffer.concat(this.#body)));
  }

  get #isStream(): boolean {
    return this.#status === 200;
  }

  async #take(chunk: Buffer): Promise<void> {
    const bytes = this.#head === undefined ? chunk : this.#behindHead(Buffer.concat([this.#head, chunk]));
    if (bytes === undefined) return;
    if (!this.#isStream) {
      this.#body.push(bytes);
      return;
    }
    for (const frame of this.#reader.push(bytes)) {
      const event = eventIn(frame);
      if (event === undefined) continue;
      const taking = this.#taker.event(event);
      if (taking !== undefined) await taking;
    }
  }

  #behindHead(bytes: Buffer): Buffer | undefined {
    const at = bytes.indexOf(headEnd);
    this.#head = at < 0 ? bytes : undefined;
    if (at < 0) return undefined;
    this.#status = Number(bytes.toString('latin1', 0, 12).split(' ')[1]);
    return bytes.subarray(at + headEnd.length);
  }
}

/** undefined for comments, which only keep the connection open. */
function eventIn(frame: SseFrame): JsonObject | undefined {
  return frame.hasData ? ((frame.json() as JsonObject | undefined) ?? undefined) : undefined;
}

function errorIn(body: Buffer): JsonObject {
  try {
    return (JSON.parse(body.toString()) as { error: JsonObject }).error;
  } catch {
    return { message: 'The call failed', type: 'server_error', param: null, code: null };
  }
}
