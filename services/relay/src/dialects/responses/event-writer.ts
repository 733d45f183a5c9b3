import { noUsage, type Usage } from '@tollgate/contracts';
import {
  type JsonObject,
  objectsIn,
  ReasoningDetails,
  type SseFrame,
  type Stamp,
  type StreamReading,
  thoughtIn,
} from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';
import type { AnswerWriter, WriterOptions } from '../../context/route.ts';
import { foundNotes } from '../sources.ts';
import { type CallPiece, CallPieces, drawnIn, textOf } from '../tool-calls.ts';
import { CallItem, callIds } from './call-items.ts';
import { CallersTools } from './callers-tools.ts';
import { MessageItem, type OpenItem, ReasoningItem } from './open-items.ts';
import {
  cutShortBy,
  type Envelope,
  envelopeOf,
  eventOf,
  failureEvents,
  type ItemKind,
  itemId,
  likelihoodsIn,
  type Outcome,
  responseObject,
  stateOf,
  toResponsesUsage,
} from './response-object.ts';

/** A longer answer that breaks off is not repeated by its last event: the events before have said it. */
const mostRepeated = 1 << 20;

/** What an item takes beside its texts, about. */
const itemBytes = 500;

/**
 * Writes a stream as the events of Responses: numbered, item by item. Thinking and text end where the next item begins; calls, whose
 * pieces may come mixed, at the end. Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class EventWriter implements AnswerWriter {
  /** The last event tells all of it again. */
  keptBytes = 0;
  events = 0;
  readonly #reading: StreamReading;
  readonly #envelope: Envelope;
  readonly #callers: CallersTools;
  readonly #done: JsonObject[] = [];
  readonly #details = new ReasoningDetails();
  readonly #pieces = new CallPieces();
  readonly #calls = new Map<number, CallItem>();
  #open: MessageItem | ReasoningItem | undefined;
  /** As the first event says it, however the provider names its chunks. */
  #head: Stamp;
  #isBegun = false;
  #items = 0;
  #finishReason: unknown;
  #tier: unknown;

  constructor(reading: StreamReading, { sent, envelope }: Pick<WriterOptions, 'sent' | 'envelope'>) {
    this.#reading = reading;
    this.#head = reading.head;
    this.#envelope = envelope ?? envelopeOf(sent, reading.head.id);
    this.#callers = new CallersTools(sent);
  }

  frame(_frame: SseFrame, chunks: readonly JsonObject[]): string | undefined {
    return this.chunks(chunks);
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    let text = '';
    for (const chunk of chunks) {
      this.#tier = chunk.service_tier ?? this.#tier;
      const [choice] = objectsIn(chunk.choices);
      if (choice === undefined) continue;
      text += this.#begin();
      if (typeof choice.delta === 'object' && choice.delta !== null) text += this.#delta(choice.delta as JsonObject, likelihoodsIn(choice));
      if (!choice.finish_reason) continue;
      this.#finishReason = choice.finish_reason;
      const words = this.#open instanceof MessageItem ? this.#open.words : '';
      for (const note of foundNotes(chunk, words)) text += this.#inMessage((item) => item.annotate(note));
    }
    return text === '' ? undefined : text;
  }

  cut(): string {
    this.#finishReason = 'length';
    return '';
  }

  end(usage: Usage): string {
    let text = this.#begin();
    const reason = cutShortBy(this.#finishReason);
    if (this.#items === 0) text += this.#inMessage(() => []);
    text += this.#close(reason) + this.#carryWords(this.#details.take());
    for (const call of this.#calls.values()) text += this.#ended(call, reason);
    const status = reason === undefined ? 'completed' : 'incomplete';
    const response = this.#response({ status, reason, usage });
    return text + this.#event({ type: `response.${status}`, response });
  }

  failed(error: ClientError): string {
    for (const item of [this.#open, ...this.#calls.values()]) if (item !== undefined) this.#done[item.index] = item.end('incomplete').whole;
    if (this.keptBytes > mostRepeated) this.#done.length = 0;
    const response = this.#response({ status: 'failed' });
    return failureEvents(error, response, this.events);
  }

  #begin(): string {
    if (this.#isBegun) return '';
    this.#isBegun = true;
    this.#head = this.#reading.head;
    const response = this.#response({ status: 'in_progress' });
    return this.#event({ type: 'response.created', response }) + this.#event({ type: 'response.in_progress', response });
  }

  #response({ status, reason, usage }: { status: Outcome['status']; reason?: string | undefined; usage?: Usage }) {
    const output = this.#done.filter((item) => item !== undefined);
    const bill = status === 'in_progress' || status === 'failed' ? null : toResponsesUsage(usage ?? noUsage);
    return responseObject(this.#head, this.#envelope, { status, reason, output, tier: this.#tier, usage: bill });
  }

  #delta(delta: JsonObject, likelihoods: JsonObject[]): string {
    let text = '';
    const thought = thoughtIn(delta);
    this.keptBytes += thought.length;
    if (thought !== '') text += this.#inReasoning((item) => item.add(thought));
    const signed = objectsIn(delta.thinking_blocks);
    if (signed.length > 0) {
      text += this.#inReasoning((item) => item.carry({ thinking: signed }));
      text += this.#close(undefined); // signed, it is whole
    }
    this.keptBytes += this.#details.add(delta.reasoning_details);
    if (textOf(delta.content) !== '' || delta.tool_calls) text += this.#carryWords(this.#details.take());
    for (const kind of ['output_text', 'refusal'] as const) {
      const said = kind === 'refusal' ? textOf(delta.refusal) : textOf(delta.content) + drawnIn(delta.images);
      this.keptBytes += said.length;
      if (said !== '') text += this.#inMessage((item) => item.say(kind, said, likelihoods));
    }
    if (likelihoods.length > 0) this.keptBytes += JSON.stringify(likelihoods).length;
    for (const note of objectsIn(delta.annotations)) text += this.#inMessage((item) => item.annotate(note));
    for (const carried of objectsIn([delta.extra_content])) text += this.#carryWords(carried);
    for (const piece of this.#pieces.piecesIn(delta.tool_calls)) text += this.#call(piece);
    return text;
  }

  /** What is told in thinking; an item of it is opened first, unless one is open. */
  #inReasoning(tell: (item: ReasoningItem) => JsonObject[]): string {
    if (this.#open instanceof ReasoningItem) return this.#told(tell(this.#open));
    const ended = this.#close(undefined);
    const item = new ReasoningItem(this.#place('rs'));
    this.#open = item;
    return ended + this.#told([...item.begin(), ...tell(item)]);
  }

  #inMessage(tell: (item: MessageItem) => JsonObject[]): string {
    if (this.#open instanceof MessageItem) return this.#told(tell(this.#open));
    const ended = this.#close(undefined);
    const item = new MessageItem(this.#place('msg'));
    this.#open = item;
    return ended + this.#told([...item.begin(), ...tell(item)]);
  }

  #call({ key, id, name, args: fragment, call: { extra_content: extra } }: CallPiece): string {
    let text = '';
    let item = this.#calls.get(key);
    if (item === undefined) {
      if (typeof extra === 'object' && extra !== null) text += this.#carrying(id, extra as JsonObject);
      text += this.#close(undefined);
      const tool = this.#callers.calledBy(name);
      item = new CallItem(this.#place(callIds[tool.kind]), { callId: id, tool });
      this.#calls.set(key, item);
      text += this.#told(item.begin());
    }
    if (fragment === '') return text;
    this.keptBytes += fragment.length;
    return text + this.#told(item.add(fragment));
  }

  /** What its words carry, the same; it is told again with the end. */
  #carryWords(text: JsonObject | undefined): string {
    if (text === undefined) return '';
    return this.#inReasoning((item) => item.carry({ text })) + this.#close(undefined);
  }

  /** What a call carries stands in an item of its own before it. */
  #carrying(callId: string, extra: JsonObject): string {
    return this.#inReasoning((item) => item.carry({ calls: { [callId]: extra } })) + this.#close(undefined);
  }

  #place(kind: ItemKind): { id: string; index: number } {
    const index = this.#items;
    this.#items += 1;
    this.keptBytes += itemBytes;
    return { id: itemId(kind, String(this.#envelope.id), index), index };
  }

  #close(reason: string | undefined): string {
    const item = this.#open;
    if (item === undefined) return '';
    this.#open = undefined;
    return this.#ended(item, reason);
  }

  #ended(item: OpenItem, reason: string | undefined): string {
    const { events, whole } = item.end(reason === undefined ? 'completed' : 'incomplete');
    this.#done[item.index] = whole;
    return this.#told(events);
  }

  #told(events: readonly JsonObject[]): string {
    return events.map((event) => this.#event(event as JsonObject & { type: string })).join('');
  }

  #event(event: JsonObject & { type: string }): string {
    const { type, ...rest } = event;
    const text = `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.events, ...rest })}\n\n`;
    this.events += 1;
    return text;
  }
}

/** Events that hold the response as it begins. */
const stateEvents = new Set(['response.created', 'response.queued', 'response.in_progress']);

/**
 * Passes a provider's events on as they came. The last one, which holds the whole response and states the bill, waits for the end: where
 * less is stated than is charged, the charge stands in it.
 */
export class PassedEvents implements AnswerWriter {
  events = 0;
  readonly #reading: StreamReading;
  readonly #options: Pick<WriterOptions, 'sent' | 'envelope'>;
  /** The response as it was when it began, and what of it is done, to be told when the answer is cut. */
  #begun: JsonObject | undefined;
  readonly #done: unknown[] = [];
  #doneBytes = 0;
  readonly #state: JsonObject | undefined;
  #last: SseFrame | undefined;
  #isCut = false;

  constructor(reading: StreamReading, options: Pick<WriterOptions, 'sent' | 'envelope'>) {
    this.#reading = reading;
    this.#options = options;
    this.#state = options.envelope && stateOf(options.sent, options.envelope);
  }

  frame(frame: SseFrame): Buffer | string | undefined {
    if (this.#last !== undefined) return undefined;
    if (this.#reading.isDone) {
      this.#last = frame;
      return undefined;
    }
    if (frame.hasData) this.events += 1;
    if (frame.event === 'response.output_item.done') {
      this.#done.push(told(frame).item);
      this.#doneBytes += frame.raw.length;
    }
    if (frame.event === 'response.created') this.#begun = { ...(told(frame).response as JsonObject | undefined), ...this.#state };
    return this.#state !== undefined && frame.event !== undefined && stateEvents.has(frame.event) ? this.#withState(frame) : frame.raw;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return new EventWriter(this.#reading, this.#options).chunks(chunks);
  }

  cut(): string {
    this.#isCut = true;
    return '';
  }

  end(usage: Usage): Buffer | string {
    const last = this.#isCut ? undefined : this.#last;
    if (last === undefined) return this.#cutShort(usage);
    if (!this.#reading.isUsageCharged) return this.#withState(last, { usage: toResponsesUsage(usage) });
    return this.#state === undefined ? last.raw : this.#withState(last);
  }

  #withState(frame: SseFrame, more: JsonObject = {}): string {
    const stated = told(frame);
    return eventOf({
      ...stated,
      type: typeof stated.type === 'string' ? stated.type : frame.event,
      response: { ...(stated.response as JsonObject), ...this.#state, ...more },
    });
  }

  failed(error: ClientError): string {
    const { envelope, sent } = this.#options;
    const begun =
      this.#begun ??
      responseObject(this.#reading.head, envelope ?? envelopeOf(sent, this.#reading.head.id), {
        status: 'failed',
        output: [],
        tier: undefined,
        usage: null,
      });
    const output = this.#doneBytes > mostRepeated ? [] : this.#done;
    return failureEvents(error, { ...begun, output, usage: null }, this.events);
  }

  #cutShort(usage: Usage): string {
    const how = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const response = { ...this.#begun, ...how, output: this.#done, usage: toResponsesUsage(usage) };
    return eventOf({ type: 'response.incomplete', sequence_number: this.events, response });
  }
}

/** What an event says; one that is no JSON says nothing. */
function told(frame: SseFrame): JsonObject {
  return (frame.json() ?? {}) as JsonObject;
}
