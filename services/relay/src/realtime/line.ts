import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type AnyDialect, isObject, type JsonObject, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';

import { parseJson } from '../request/json-scan.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { lowerCased, passedHeaders, placeOf, targetAt } from '../upstream/upstream-request.ts';
import type { SessionCall } from './round.ts';

/** More than this that one side has not taken yet, and the other one is not read any more ... */
const fullBytes = 256 * 1024;
/** ... until it has taken nearly all of it. */
const drainedBytes = 64 * 1024;
/** A side that does not answer our farewell in time is cut off. */
const farewellMs = 2_000;

/** A request to go on by WebSocket. */
export interface Upgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Takes a request to speak by WebSocket. Rejects when it is none, or its caller has left. */
export function acceptedSocket(
  { request, socket, head }: Upgrade,
  { answered, ...options }: ServerOptions & { answered: string[] },
): Promise<WebSocket> {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, ...options });
  server.once('headers', (headers: string[]) => headers.push(...answered));
  return new Promise((resolve, reject) => {
    server.once('wsClientError', reject);
    socket.once('close', () => reject(new AppError('service_unavailable')));
    server.handleUpgrade(request, socket, head, resolve);
  });
}

export interface LineTaker {
  /** One message. The next one is taken when this has resolved. */
  take(message: Buffer, isBinary: boolean): Promise<void> | undefined;
  /** Nothing more will come. */
  ended(code: number): void;
  /** What `take` or `keep` threw. */
  failed(error: unknown): void;
}

/** Told of every message's bytes, so that all lines together stay bounded. `keep` throws when they do not. */
export interface LineMemory {
  keep(bytes: number): void;
  letGo(bytes: number): void;
}

/** One side of a session: messages come one after the other, and nobody is sent more than he takes. */
export class Line {
  readonly #socket: WebSocket;
  readonly #memory: LineMemory;
  readonly #queue: { message: Buffer; isBinary: boolean }[] = [];
  #taker: LineTaker | undefined;
  #isTaking = false;
  #closedBy: number | undefined;
  #unsent = 0;
  #whenDrained: PromiseWithResolvers<void> | undefined;
  /** Since when it takes nothing of what waits for it, on the clock of `performance.now`; undefined: it takes. */
  stuckSince: number | undefined;
  /** When something was last heard of it, be it only that it lives. */
  heardAt = performance.now();

  constructor(socket: WebSocket, memory: LineMemory) {
    this.#socket = socket;
    this.#memory = memory;
    socket.on('message', (data, isBinary) => this.#came(bytesOf(data), isBinary));
    socket.on('pong', () => {
      this.heardAt = performance.now();
    });
    socket.on('error', () => undefined); // `close` follows
    socket.once('close', (code) => {
      this.#closedBy = code;
      this.#whenDrained?.resolve();
      void this.#work();
    });
  }

  /** What has come already is given out first. */
  start(taker: LineTaker): void {
    this.#taker = taker;
    void this.#work();
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(message: Buffer | string): void {
    if (!this.isOpen) return;
    const { length } = message;
    this.#unsent += length;
    if (this.#unsent > fullBytes) this.stuckSince ??= performance.now();
    this.#socket.send(message, { binary: false }, () => this.#sent(length));
  }

  /** Resolves when it takes more; undefined when it does now. */
  drained(): Promise<void> | undefined {
    if (this.#unsent <= fullBytes || !this.isOpen) return undefined;
    this.#whenDrained ??= Promise.withResolvers<void>();
    return this.#whenDrained.promise;
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  /** Says farewell; what waits goes out before it. */
  close(code: number): void {
    this.#socket.resume();
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), farewellMs).unref();
  }

  cut(): void {
    this.#socket.terminate();
  }

  #sent(bytes: number): void {
    this.#unsent -= bytes;
    if (this.stuckSince !== undefined) this.stuckSince = this.#unsent > fullBytes ? performance.now() : undefined;
    if (this.#unsent > drainedBytes) return;
    this.#whenDrained?.resolve();
    this.#whenDrained = undefined;
  }

  #came(message: Buffer, isBinary: boolean): void {
    this.heardAt = performance.now();
    try {
      this.#memory.keep(message.length);
    } catch (error) {
      this.#taker?.failed(error);
      return;
    }
    this.#queue.push({ message, isBinary });
    if (this.#isTaking || this.#taker === undefined) this.#socket.pause();
    else void this.#work();
  }

  async #work(): Promise<void> {
    const taker = this.#taker;
    if (taker === undefined || this.#isTaking) return;
    this.#isTaking = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { message, isBinary } = next;
      try {
        const taken = taker.take(message, isBinary);
        if (taken !== undefined) {
          this.#socket.pause();
          await taken;
        }
      } catch (error) {
        taker.failed(error);
      } finally {
        this.#memory.letGo(message.length);
      }
    }
    this.#isTaking = false;
    if (this.#closedBy !== undefined) taker.ended(this.#closedBy);
    else this.#socket.resume();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

interface LineWish {
  channel: RoutedChannel;
  dialect: AnyDialect;
  memory: LineMemory;
}

const longestRefusal = 64 * 1024;

/**
 * A line to a channel's provider on which he has said his first word: before that another channel may be asked.
 * Throws: UpstreamError, AppError `egress_refused`.
 */
export async function openLine(relay: Relay, call: SessionCall, { channel, dialect, memory }: LineWish): Promise<Line> {
  const { provider } = channel;
  const target = targetAt(call, channel, call.checked.model);
  const url = dialect.url({ model: target.model }, target);
  const { origin, path } = placeOf(channel, { url, target });
  call.upstreamModel = target.model;
  const socket = relay.dial(`${origin}${path}`, {
    proxy: channel.proxy,
    maxBytes: relay.limits.RELAY_REALTIME_MESSAGE_BYTES,
    headers: {
      ...provider.headers(target),
      ...dialect.headers?.(target),
      ...versionOf(call),
      ...passedHeaders(call),
      ...lowerCased(channel.settings.header_override),
    },
  });
  const line = new Line(socket, memory);
  call.whenGone(() => socket.terminate());
  try {
    const first = await firstWord(socket, { channel, withinMs: relay.limits.UPSTREAM_SILENCE_MS, atMs: relay.wallet.time() });
    const refused = first.type === 'error' ? dialect.errorIn(first) : undefined;
    if (refused !== undefined) throw refused;
    return line;
  } catch (error) {
    socket.terminate();
    line.start({ take: () => undefined, ended: () => undefined, failed: () => undefined }); // what has come is let go of
    throw error;
  } finally {
    call.whenGone(undefined);
  }
}

/** The beta's protocol, where a browser asks for it: it can set no header. */
function versionOf({ request }: SessionCall): Record<string, string> {
  return /\bopenai-beta\.realtime-v1\b/.test(request.headers['sec-websocket-protocol'] ?? '') ? { 'openai-beta': 'realtime=v1' } : {};
}

function firstWord(
  socket: WebSocket,
  { channel, withinMs, atMs }: { channel: RoutedChannel; withinMs: number; atMs: number },
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(upstreamFailure('timeout', 'upstream_timeout')), withinMs);
    const over = (tell: () => void) => {
      clearTimeout(timer);
      tell();
    };
    socket.once('message', (message) => over(() => resolve(wordIn(message as Buffer))));
    socket.once('error', (error: Error) => over(() => reject(failureOf(error))));
    socket.once('close', () => over(() => reject(upstreamFailure('interrupted', 'upstream_interrupted'))));
    socket.once('unexpected-response', (_request, answer: IncomingMessage) => {
      const { statusCode: status = 502, headers } = answer;
      readRefusal(answer).then(
        (body) => over(() => reject(channel.provider.error({ status, body, headers, atMs }, channel.target.key))),
        () => over(() => reject(upstreamFailure('server', 'upstream_unreachable'))),
      );
    });
  });
}

function wordIn(message: Buffer): JsonObject {
  try {
    const event = parseJson(message);
    return isObject(event) ? event : {};
  } catch {
    return {}; // whoever takes the message will say so
  }
}

function failureOf(error: Error): Error {
  if (error instanceof AppError || error instanceof UpstreamError) return error;
  const isSlow = error.message.includes('timed out');
  return isSlow ? upstreamFailure('timeout', 'upstream_timeout') : upstreamFailure('server', 'upstream_unreachable');
}

async function readRefusal(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > longestRefusal) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
