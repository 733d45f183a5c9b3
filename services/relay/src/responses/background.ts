import { setTimeout as delay } from 'node:timers/promises';
import { rows, type StoredObjectRow } from '@tollgate/db';
import { isObject, type JsonObject, objectsIn } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Call, Keeping } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { SentRequest } from '../context/route.ts';
import { wrong } from '../dialects/fields.ts';
import type { StoredResponse } from '../dialects/responses/history.ts';
import { itemIdsOf, itemRows } from '../dialects/responses/keep.ts';
import { type Envelope, eventOf, failureOf, responseObject } from '../dialects/responses/response-object.ts';
import { itemsOf } from '../dialects/responses/stored-items.ts';
import type { CallOptions } from '../pipeline/relay-call.ts';
import { answerHeaders, streamHeaders } from '../response/respond.ts';
import { ownId } from '../stored/stored-objects.ts';
import { type InnerCall, innerCall } from './inner-call.ts';

/** A response counts as lost when its process has not renewed it for this long. */
const aliveMs = 20_000;
const beatMs = 1_000;
/** Of a stream, events are stored together: so many bytes, or what has come in this time. */
const storedTogether = 64 * 1024;
const storeEveryMs = 500;
/** A caller with this many unread bytes of a stream is disconnected; they can read the rest by the id. */
const mostUnread = 1 << 20;

/** The responses that this process works on, by their `_id`s. */
const running = new Map<string, InnerCall>();

/**
 * Begins a response that continues after its caller disconnects. The request is answered at once, or with the stream; the result is stored and read by its id.
 * Throws: AppError where it cannot be stored, or what the call was refused with before quota was held for it.
 */
export async function runInBackground(
  relay: Relay,
  call: Call,
  { sent, options }: { sent: SentRequest; options: CallOptions },
): Promise<void> {
  const { keeping, envelope = {} } = call;
  if (keeping === undefined || !keeping.isStored) throw wrong('background requires store to be true', 'background');
  if (sent.boundTo !== undefined) throw wrong('background cannot continue a response that a provider keeps', 'previous_response_id');
  const { background: _background, ...body } = sent.json;
  const work = new BackgroundResponse(relay, {
    call,
    keeping,
    envelope: { ...envelope, background: true },
    isStream: sent.json.stream === true,
  });
  await work.begin(String(sent.json.model));
  const inner = innerCall(relay, { outer: call, body: { ...body, store: false }, options, taker: work });
  work.run(inner);
  await inner.held;
  await work.answer();
}

interface Parts {
  call: Call;
  keeping: Keeping;
  envelope: Envelope;
  isStream: boolean;
}

class BackgroundResponse {
  readonly #relay: Relay;
  readonly #call: Call;
  readonly #keeping: Keeping;
  readonly #envelope: Envelope;
  readonly #isStream: boolean;
  readonly #_id: string;
  /** The current state of the response. */
  #response: JsonObject = {};
  #refusal: { status: number; body: JsonObject } | undefined;
  /** Events that are not stored yet. */
  #unstored: string[] = [];
  #unstoredBytes = 0;
  #firstUnstored = 0;
  #events = 0;
  /** The caller who began it, while they listen to its stream. */
  #listener: Call | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(relay: Relay, { call, keeping, envelope, isStream }: Parts) {
    this.#relay = relay;
    this.#call = call;
    this.#keeping = keeping;
    this.#envelope = envelope;
    this.#isStream = isStream;
    this.#_id = ownId(keeping.userId, String(envelope.id));
  }

  /** Stores that it runs, before anything is spent on it. */
  async begin(model: string): Promise<void> {
    const head = { createdSeconds: Math.floor(this.#call.atMs / 1000), model };
    this.#response = responseObject(head, this.#envelope, { status: 'queued', output: [], tier: undefined, usage: null });
    await this.#relay.stored.write([this.#row(true)]);
  }

  run(inner: InnerCall): void {
    running.set(this.#_id, inner);
    const isOver = new AbortController();
    void this.#watch(inner, isOver.signal);
    if (this.#isStream) this.#listener = this.#call;
    this.#ended = inner.ended
      .catch((error: unknown) => this.#relay.logger.error({ requestId: inner.id, err: error }, 'a background response failed'))
      .then(() => this.#end())
      .finally(() => {
        isOver.abort();
        running.delete(this.#_id);
      });
    this.#relay.stored.track(this.#ended);
  }

  /** Answers the caller who began it, with the current response, its stream, or the refusal. */
  async answer(): Promise<void> {
    const { response } = this.#call;
    const left = new Promise<void>((resolve) => response.once('close', resolve));
    if (this.#isStream) await Promise.race([this.#ended, left]);
    if (response.headersSent) return void response.end();
    if (this.#refusal !== undefined) {
      await this.#ended;
      await this.#relay.stored.remove(this.#_id);
    }
    const { status, body } = this.#refusal ?? { status: 200, body: this.#response };
    const bytes = Buffer.from(JSON.stringify(body));
    response.writeHead(status, answerHeaders(this.#call, { 'content-type': 'application/json', 'content-length': bytes.length }));
    response.end(bytes);
  }

  event(event: JsonObject): Promise<void> | undefined {
    const response = isObject(event.response) ? { ...event.response, ...this.#state() } : undefined;
    if (response !== undefined) this.#response = response;
    if (!this.#isStream) return undefined;
    const numbered = { sequence_number: this.#events, ...(response !== undefined && { response }) };
    const text = eventOf({ ...event, ...numbered, type: String(event.type) });
    this.#unstored.push(text);
    this.#unstoredBytes += text.length;
    this.#events += 1;
    this.#tell(text);
    return this.#unstoredBytes > storedTogether ? this.#storeEvents() : undefined;
  }

  /** Sends an event to the caller. A caller who does not read is disconnected; the response continues. */
  #tell(text: string): void {
    const { response, isGone } = this.#listener ?? {};
    if (response === undefined || isGone) return;
    if (!response.headersSent) response.writeHead(200, answerHeaders(this.#call, streamHeaders));
    response.write(text);
    if (response.writableLength > mostUnread) response.destroy();
  }

  refused(status: number, error: JsonObject): void {
    this.#refusal = { status, body: { error } };
    this.#response = {
      ...this.#response,
      status: 'failed',
      error: failureOf({ code: String(error.code), message: String(error.message) }),
    };
  }

  #state(): JsonObject {
    const { id, store, background, previous_response_id, conversation } = this.#envelope;
    return { id, store, background, previous_response_id, ...(conversation !== undefined && { conversation }) };
  }

  /** Renews the row regularly, and cancels the call when the row was ended or deleted elsewhere. */
  async #watch(inner: InnerCall, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#isStream ? storeEveryMs : beatMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#storeEvents();
        const $set = { aliveUntil: this.#aliveUntil() };
        const { matchedCount } = await rows.storedObjects().updateOne({ _id: this.#_id, isRunning: true }, { $set });
        if (matchedCount > 0) continue;
        inner.cancel();
        return;
      } catch (error) {
        this.#relay.logger.warn({ requestId: inner.id, err: error }, 'a background response could not be noted as running');
      }
    }
  }

  async #storeEvents(): Promise<void> {
    if (this.#unstored.length === 0) return;
    const [texts, place] = [this.#unstored, this.#firstUnstored];
    this.#unstored = [];
    this.#unstoredBytes = 0;
    this.#firstUnstored = this.#events;
    const { userId } = this.#keeping;
    const object = { _id: `${this.#_id}/${place}`, userId, kind: 'events' as const, parent: this.#_id, place };
    await this.#relay.stored.write([this.#relay.stored.row(object, texts)]);
  }

  #aliveUntil(): Date {
    return new Date(this.#relay.stored.now() + Math.min(aliveMs, this.#relay.limits.RELAY_HOLD_MS));
  }

  /** Stores what it came to, unless it was cancelled or deleted meanwhile. */
  async #end(): Promise<void> {
    const { status } = this.#response;
    if (status === 'queued' || status === 'in_progress')
      this.#response = {
        ...this.#response,
        status: 'failed',
        error: failureOf({ code: null, message: 'The call ended before its answer' }),
      };
    const { userId, conversation } = this.#keeping;
    const { stored } = this.#relay;
    await stored.persist(async () => {
      await this.#storeEvents();
      const { modifiedCount } = await rows.storedObjects().replaceOne({ _id: this.#_id, isRunning: true }, this.#row(false));
      if (modifiedCount === 0 || conversation === undefined || this.#response.status === 'failed') return;
      const items = [...itemsOf(this.#keeping.input), ...objectsIn(this.#response.output)];
      await stored.write(itemRows(stored, { userId, conversation, items }));
    });
  }

  #row(isRunning: boolean): StoredObjectRow {
    const { userId, chain } = this.#keeping;
    const input = itemsOf(this.#keeping.input);
    const itemIds = itemIdsOf([...input, ...objectsIn(this.#response.output)]);
    const state = isRunning ? { isRunning: true as const, aliveUntil: this.#aliveUntil() } : {};
    const object = { _id: this.#_id, userId, kind: 'response' as const, itemIds, ...(chain.length > 0 && { chain }), ...state };
    return this.#relay.stored.row(object, { response: this.#response, input } satisfies StoredResponse);
  }
}

/** The current state of a response. One whose process died is stored as failed. */
export async function currentResponse(relay: Relay, row: StoredObjectRow): Promise<JsonObject> {
  if (row.sealed === undefined) return {}; // a provider keeps it: it was never in the background
  const content = relay.stored.open<StoredResponse>(row);
  if (!row.isRunning) return content.response;
  if (relay.stored.isAlive(row)) return { ...content.response, status: 'in_progress' };
  const error = failureOf({ code: null, message: 'The process that worked on this response ended' });
  return endedAs(relay, row, { ...content, response: { ...content.response, status: 'failed', error } });
}

/** Cancels a response that runs in the background; one that has ended stays as it is. Throws: AppError where it was never in the background. */
export async function cancelResponse(relay: Relay, row: StoredObjectRow): Promise<JsonObject> {
  const response = await currentResponse(relay, row);
  if (response.background !== true) throw new AppError('response_not_in_background', { action: 'cancelled' });
  if (response.status !== 'in_progress') return response;
  const content = relay.stored.open<StoredResponse>(row);
  const cancelled = await endedAs(relay, row, { ...content, response: { ...response, status: 'cancelled' } });
  running.get(row._id)?.cancel();
  return cancelled;
}

/** Ends a running response from outside, unless it has ended meanwhile. Resolves to what it is then. */
async function endedAs({ stored }: Relay, row: StoredObjectRow, content: StoredResponse): Promise<JsonObject> {
  const { isRunning: _running, aliveUntil: _alive, bytes: _bytes, sealed: _sealed, ...rest } = row;
  const { modifiedCount } = await stored.ask(() =>
    rows.storedObjects().replaceOne({ _id: row._id, isRunning: true }, stored.row(rest, content)),
  );
  if (modifiedCount > 0) return content.response;
  const now = await stored.ask(() => rows.storedObjects().findOne({ _id: row._id }));
  return now === null ? content.response : stored.open<StoredResponse>(now).response;
}

const pollMs = 200;

/**
 * Streams the events of a response that was created in the background as a stream, those after `after`, as they are stored. It ends with the response.
 * Throws: AppError where it has no events.
 */
export async function streamStored(relay: Relay, call: Call, { row, after }: { row: StoredObjectRow; after: number }): Promise<void> {
  const { stored } = relay;
  const { response } = call;
  let place = -1;
  let heartbeatAt = performance.now();
  let hasEvents = false;
  for (let now: StoredObjectRow | undefined = row; now !== undefined && !call.isGone; now = await stored.find(row._id)) {
    const ended = stored.isAlive(now) ? undefined : await currentResponse(relay, now);
    const parts = await stored.partsOf(row._id, place);
    hasEvents ||= parts.length > 0;
    if (!hasEvents && ended !== undefined && !ended.error) throw new AppError('response_not_in_background', { action: 'streamed' });
    if (!response.headersSent) response.writeHead(200, answerHeaders(call, streamHeaders));
    for (const part of parts) {
      place = part.place ?? place;
      const texts = stored.open<string[]>(part).filter((_text, at) => place + at > after);
      if (texts.length > 0 && !response.write(texts.join(''))) await drained(call);
      heartbeatAt = performance.now();
    }
    if (ended !== undefined) break;
    if (performance.now() - heartbeatAt > relay.limits.RELAY_HEARTBEAT_MS) {
      response.write(call.dialect.heartbeat);
      heartbeatAt = performance.now();
    }
    await delay(pollMs);
  }
  response.end();
}

async function drained({ response }: Call): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
