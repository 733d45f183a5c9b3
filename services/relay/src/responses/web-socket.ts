import { ServerResponse } from 'node:http';
import { isObject, type JsonObject, objectsIn } from '@tollgate/providers';
import { AppError, languageOf } from '@tollgate/runtime';
import { assertBalance, authenticate } from '../auth/authenticate.ts';
import { Call, newRequestId } from '../context/call.ts';
import { toClientError } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import { wrong } from '../dialects/fields.ts';
import { checkResults } from '../dialects/responses/history.ts';
import { previousId } from '../dialects/responses/prepare.ts';
import { envelopeOf, responseObject } from '../dialects/responses/response-object.ts';
import { responses, responsesRoute } from '../dialects/responses/responses.ts';
import { itemsOf } from '../dialects/responses/stored-items.ts';
import { acceptedSocket, Line, type Upgrade } from '../realtime/line.ts';
import { parseJson } from '../request/json-scan.ts';
import { objectIn } from '../request/read-request.ts';
import { answerError } from '../response/respond.ts';
import { countConnection, endConnection, mostRemembered, type Use } from './connection-uses.ts';
import { type InnerCall, innerCall } from './inner-call.ts';

/** Responses that one connection may have under way, and lanes that it may name. Source: https://developers.openai.com/api/docs/guides/websocket-mode */
const mostUnderWay = 16;
const mostLanes = 32;
const pingMs = 30_000;
const policyViolation = 1008;
const goingAway = 1001;

/**
 * The Responses API over one WebSocket: each `response.create` is a call like any other, whose events come back as messages. Source:
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export async function answerResponsesUpgrade(relay: Relay, { request, socket, head }: Upgrade): Promise<void> {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  const atMs = relay.wallet.time();
  const call = new Call(newRequestId(atMs), {
    ...{ request, response, atMs, dialect: responses },
    language: languageOf(request.headers['accept-language']),
    query: request.url?.split('?', 2)[1] || undefined,
  });
  let use: Use | undefined;
  try {
    relay.openCalls.enter(call);
    const { caller } = await authenticate(relay, call);
    use = countConnection(relay, caller.userId);
    await assertBalance(relay, caller);
    response.detachSocket(socket);
    const memory = {
      keep: (bytes: number) => relay.openCalls.buffer(call, bytes),
      letGo: (bytes: number) => relay.openCalls.letGo(call, bytes),
    };
    const accepting = { answered: [`x-request-id: ${call.id}`], maxPayload: relay.limits.RELAY_MAX_BODY_BYTES };
    await new Connection(relay, call, { use, line: new Line(await acceptedSocket({ request, socket, head }, accepting), memory) }).over;
  } catch (error) {
    answerError(response, error, call);
    if (response.socket === null) socket.destroy();
    else response.once('finish', () => socket.destroySoon());
  } finally {
    if (use !== undefined && call.caller !== undefined) endConnection(relay, call.caller.userId);
    relay.openCalls.leave(call);
  }
}

/** A response of this connection that is stored nowhere else: all items up to its end. */
interface Remembered {
  items: JsonObject[];
  bytes: number;
}

/** The fields of a `response.create` that are not part of a request body. */
interface Turn {
  lane: string | undefined;
  body: JsonObject;
  /** The response of this connection that it continues. */
  previous: string | undefined;
}

class Connection {
  place = -1;
  readonly #relay: Relay;
  readonly #call: Call;
  readonly #line: Line;
  readonly #use: Use;
  readonly #over = Promise.withResolvers<void>();
  readonly #underWay = new Set<InnerCall>();
  /** Of each lane, its last turn: they begin one after the other. */
  readonly #lanes = new Map<string | undefined, Promise<void>>();
  #waiting = 0;
  /** The last response of each lane that is not stored, by its id. */
  readonly #remembered = new Map<string, Remembered>();
  #pingedAt = performance.now();
  #isOld = false;

  constructor(relay: Relay, call: Call, { use, line }: { use: Use; line: Line }) {
    this.#relay = relay;
    this.#call = call;
    this.#use = use;
    this.#line = line;
    relay.openCalls.watch(this);
    line.start(this);
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  take(message: Buffer, isBinary: boolean): undefined {
    let lane: string | undefined;
    try {
      if (isBinary) throw wrong('events are sent as text, not as binary messages');
      const { type, stream_id: named, ...body } = objectIn(parseJson(message));
      if (named !== undefined && typeof named !== 'string') throw wrong('stream_id must be a text', 'stream_id');
      lane = named;
      if (type !== 'response.create') throw wrong('the only event that is taken here is response.create', 'type');
      if (this.#isOld) return this.#refuse(lane, 400, this.#tooOld());
      const isFull = this.#waiting >= mostUnderWay || (!this.#lanes.has(lane) && this.#lanes.size >= mostLanes);
      if (isFull) return this.#refuse(lane, 429, { type: 'rate_limit_error', code: 'websocket_stream_limit_reached', message: tooMany });
      this.#queue(lane, body);
    } catch (error) {
      this.failed(error, lane);
    }
  }

  #queue(lane: string | undefined, body: JsonObject): void {
    this.#waiting += 1;
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const turn = before
      .then(() => this.#create(lane, body))
      .catch((error: unknown) => this.failed(error, lane))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#lanes.set(lane, turn);
  }

  async #create(lane: string | undefined, sent: JsonObject): Promise<void> {
    if (!this.#line.isOpen) return;
    const { generate, stream: _stream, background, ...body } = sent;
    if (background === true) throw wrong('background is not taken over WebSocket', 'background');
    const previous = previousId(body);
    const known = previous === undefined ? undefined : this.#remembered.get(previous);
    const turn: Turn = { lane, body, previous: known && previous };
    if (known !== undefined) turn.body = this.#continued(body, known);
    if (generate === false) {
      await authenticate(this.#relay, this.#call); // the key may have been revoked meanwhile
      this.#warmUp(turn);
    } else await this.#run(turn);
  }

  /** A request with the items before it. A response is forgotten when a turn that continues it fails. Throws: AppError `invalid_request`. */
  #continued({ previous_response_id: previous, ...body }: JsonObject, { items }: Remembered): JsonObject {
    try {
      const input = [...items, ...itemsOf(body.input)];
      checkResults(input);
      return { ...body, input };
    } catch (error) {
      this.#forget(String(previous));
      throw error;
    }
  }

  /** Keeps what the next turn continues from, without calling a provider. */
  #warmUp({ lane, body, previous }: Turn): void {
    const id = responses.answerId(newRequestId(this.#relay.wallet.time()));
    const envelope = {
      ...envelopeOf(body, id),
      previous_response_id: previous ?? null,
    };
    const head = { createdSeconds: Math.floor(this.#relay.wallet.time() / 1000), model: String(body.model) };
    const usage = {
      ...{ input_tokens: 0, input_tokens_details: { cached_tokens: 0 } },
      ...{ output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 0 },
    };
    const shown = { output: [], tier: undefined };
    const events = [
      { type: 'response.created', response: responseObject(head, envelope, { ...shown, status: 'in_progress', usage: null }) },
      { type: 'response.completed', response: responseObject(head, envelope, { ...shown, status: 'completed', usage }) },
    ];
    for (const [at, event] of events.entries()) this.#tell(lane, { sequence_number: at, ...event });
    this.#remember(id, previous, itemsOf(body.input));
  }

  async #run({ lane, body, previous }: Turn): Promise<void> {
    let last: JsonObject | undefined;
    const inner = innerCall(this.#relay, {
      outer: this.#call,
      body,
      options: { route: responsesRoute, address: {}, enter: (call) => authenticate(this.#relay, call) },
      taker: {
        event: (event) => {
          const response = isObject(event.response) ? event.response : undefined;
          if (response !== undefined && previous !== undefined) response.previous_response_id = previous;
          if (response !== undefined) last = response;
          this.#tell(lane, event);
          return this.#line.drained();
        },
        refused: (status, error) => {
          if (previous !== undefined) this.#forget(previous);
          this.#refuse(lane, error.code === 'previous_response_not_found' ? 400 : status, error);
        },
      },
    });
    this.#underWay.add(inner);
    await inner.ended.finally(() => this.#underWay.delete(inner));
    const isWhole = last?.status === 'completed' || last?.status === 'incomplete';
    if (!isWhole && previous !== undefined) this.#forget(previous);
    if (isWhole && body.store === false && typeof last?.id === 'string')
      this.#remember(last.id, previous, [...itemsOf(body.input), ...objectsIn(last.output)]);
  }

  #remember(id: string, previous: string | undefined, items: JsonObject[]): void {
    if (previous !== undefined) this.#forget(previous);
    const bytes = JSON.stringify(items).length;
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size < mostLanes && this.#use.remembered + bytes <= mostRemembered) break;
      this.#forget(oldest);
    }
    if (!this.#line.isOpen || this.#use.remembered + bytes > mostRemembered) return;
    try {
      this.#relay.openCalls.buffer(this.#call, bytes);
      this.#remembered.set(id, { items, bytes });
      this.#use.remembered += bytes;
    } catch {
      this.#relay.logger.warn({ requestId: this.#call.id }, 'a response was not remembered: all calls keep too much');
    }
  }

  #forget(id: string): void {
    const known = this.#remembered.get(id);
    if (known === undefined) return;
    this.#remembered.delete(id);
    this.#use.remembered -= known.bytes;
    this.#relay.openCalls.letGo(this.#call, known.bytes);
  }

  #tell(lane: string | undefined, event: JsonObject): void {
    this.#line.send(JSON.stringify(lane === undefined ? event : { ...event, stream_id: lane }));
  }

  #refuse(lane: string | undefined, status: number, error: JsonObject): undefined {
    this.#tell(lane, { type: 'error', status, error });
  }

  #tooOld(): JsonObject {
    const message = 'This connection has reached its longest life: open a new one';
    return { type: 'invalid_request_error', code: 'websocket_connection_limit_reached', message, param: null };
  }

  failed(error: unknown, lane?: string): void {
    const { status, ...told } = toClientError(error, this.#call);
    if (!(error instanceof AppError)) this.#relay.logger.error({ requestId: this.#call.id, err: error }, 'a turn failed');
    this.#refuse(lane, status, { type: told.type, code: told.code, message: told.message, param: told.param });
  }

  tick(now: number): void {
    if (now - this.#call.startedAt > this.#relay.limits.RELAY_REALTIME_LIFE_MS && this.#waiting === 0) {
      if (!this.#isOld) this.#refuse(undefined, 400, this.#tooOld());
      this.#isOld = true;
      this.#line.close(policyViolation);
    }
    const { stuckSince, heardAt } = this.#line;
    const isStuck = stuckSince !== undefined && now - stuckSince > this.#relay.limits.RELAY_SLOW_READER_MS;
    if (isStuck || now - heardAt > 3 * pingMs) this.#line.cut();
    else if (now - this.#pingedAt > pingMs) {
      this.#pingedAt = now;
      this.#line.ping();
    }
  }

  shutDown(): void {
    this.#line.close(goingAway);
  }

  /** The caller has closed it: what is under way is charged by what was delivered. */
  ended(): void {
    this.#relay.openCalls.unwatch(this);
    for (const inner of this.#underWay) inner.cancel();
    for (const id of [...this.#remembered.keys()]) this.#forget(id);
    this.#over.resolve();
  }
}

const tooMany = `At most ${mostUnderWay} responses may be under way on one connection, on ${mostLanes} streams`;
