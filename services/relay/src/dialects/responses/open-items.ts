import type { JsonObject } from '@tollgate/providers';
import { packed, type RoundTripState } from '../opaque-state.ts';
import { annotationOf } from './response-object.ts';

export interface Place {
  id: string;
  index: number;
}

export type Ended = { events: JsonObject[]; whole: JsonObject };

/** An item of a streamed answer, while it is being told. */
export interface OpenItem {
  readonly index: number;
  /** Its last events, and the item as a whole. */
  end(status: 'completed' | 'incomplete'): Ended;
}

export const added = ({ index }: Place, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});
export const done = ({ index }: Place, item: JsonObject): JsonObject => ({ type: 'response.output_item.done', output_index: index, item });

/** Thinking, as one summary. */
export class ReasoningItem implements OpenItem {
  readonly #place: Place;
  readonly #carried: Required<Omit<RoundTripState, 'text'>> & RoundTripState = { thinking: [], calls: {} };
  #thought = '';

  constructor(place: Place) {
    this.#place = place;
  }

  get index(): number {
    return this.#place.index;
  }

  begin(): JsonObject[] {
    return [added(this.#place, { id: this.#place.id, type: 'reasoning', summary: [] })];
  }

  add(text: string): JsonObject[] {
    const part = { type: 'summary_text', text: '' };
    const opening = this.#thought === '' ? [{ ...this.#at('response.reasoning_summary_part.added'), part }] : [];
    this.#thought += text;
    return [...opening, { ...this.#at('response.reasoning_summary_text.delta'), delta: text }];
  }

  /** Told with its end. */
  carry({ thinking = [], calls = {}, text }: RoundTripState): JsonObject[] {
    if (text !== undefined) this.#carried.text = text;
    this.#carried.thinking.push(...thinking);
    Object.assign(this.#carried.calls, calls);
    return [];
  }

  end(): Ended {
    const { id } = this.#place;
    const { thinking, calls, text } = this.#carried;
    const isCarrying = thinking.length > 0 || Object.keys(calls).length > 0 || text !== undefined;
    const part = { type: 'summary_text', text: this.#thought };
    const sealed = isCarrying ? { encrypted_content: packed(this.#carried) } : {};
    const whole = { id, type: 'reasoning', summary: this.#thought === '' ? [] : [part], ...sealed };
    const told = [
      { ...this.#at('response.reasoning_summary_text.done'), text: this.#thought },
      { ...this.#at('response.reasoning_summary_part.done'), part },
    ];
    return { events: [...(this.#thought === '' ? [] : told), done(this.#place, whole)], whole };
  }

  #at(type: string): JsonObject {
    return { type, item_id: this.#place.id, output_index: this.#place.index, summary_index: 0 };
  }
}

interface Part {
  type: 'output_text' | 'refusal';
  text: string;
  annotations: JsonObject[];
  /** How likely its words were. */
  logprobs: JsonObject[];
}

/** What the model says, or refuses to. */
export class MessageItem implements OpenItem {
  readonly #place: Place;
  readonly #parts: Part[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  get index(): number {
    return this.#place.index;
  }

  /** What it says last, so far. */
  get words(): string {
    return this.#parts.at(-1)?.text ?? '';
  }

  begin(): JsonObject[] {
    return [added(this.#place, this.#whole('in_progress'))];
  }

  say(type: Part['type'], text: string, likelihoods: JsonObject[]): JsonObject[] {
    const opening = this.#into(type);
    const part = this.#parts.at(-1) as Part;
    part.text += text;
    const logprobs = type === 'output_text' ? { logprobs: likelihoods } : {};
    if (type === 'output_text') for (const likelihood of likelihoods) part.logprobs.push(likelihood);
    return [...opening, { ...this.#at(`response.${type}.delta`), delta: text, ...logprobs }];
  }

  annotate(note: JsonObject): JsonObject[] {
    const annotation = annotationOf(note);
    if (annotation === undefined) return [];
    const opening = this.#into('output_text');
    const { annotations } = this.#parts.at(-1) as Part;
    annotations.push(annotation);
    return [...opening, { ...this.#at('response.output_text.annotation.added'), annotation_index: annotations.length - 1, annotation }];
  }

  end(status: 'completed' | 'incomplete'): Ended {
    const whole = this.#whole(status);
    return { events: [...this.#endPart(), done(this.#place, whole)], whole };
  }

  /** Makes sure that the part that is open is of this kind. */
  #into(type: Part['type']): JsonObject[] {
    if (this.#parts.at(-1)?.type === type) return [];
    const ended = this.#endPart();
    const part: Part = { type, text: '', annotations: [], logprobs: [] };
    this.#parts.push(part);
    return [...ended, { ...this.#at('response.content_part.added'), part: wholePart(part) }];
  }

  #endPart(): JsonObject[] {
    const part = this.#parts.at(-1);
    if (part === undefined) return [];
    const told = part.type === 'refusal' ? { refusal: part.text } : { text: part.text, logprobs: part.logprobs };
    return [
      { ...this.#at(`response.${part.type}.done`), ...told },
      { ...this.#at('response.content_part.done'), part: wholePart(part) },
    ];
  }

  #at(type: string): JsonObject {
    return { type, item_id: this.#place.id, output_index: this.#place.index, content_index: this.#parts.length - 1 };
  }

  #whole(status: string): JsonObject {
    return { id: this.#place.id, type: 'message', status, role: 'assistant', content: this.#parts.map(wholePart) };
  }
}

function wholePart({ type, text, annotations, logprobs }: Part): JsonObject {
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations, logprobs };
}
