import type { Usage } from '@tollgate/contracts';
import { type DetachedStrings, isObject, type JsonObject, patchJson, type RealtimeRequest } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Settings } from '../context/settings.ts';
import { checkNames, wrong } from '../dialects/fields.ts';
import { realtime } from '../modes/realtime.ts';
import { JsonScan, parseJson, refuseDoubled, refused, withoutByteOrderMark } from '../request/json-scan.ts';
import { objectIn } from '../request/read-request.ts';
import { lookInSlices } from '../request/scan-in-chunks.ts';

/** Of longer messages long texts are left out of what is parsed. */
const longMessage = 64 * 1024;

/** An event of the caller's: parsed, and its bytes. */
export interface CallerEvent {
  event: RealtimeRequest & { type: string };
  json: Buffer;
  long: DetachedStrings | undefined;
}

const known = new Set(['type', 'event_id', 'session', 'response', 'item', 'audio', 'previous_item_id', 'response_id', 'item_id']);
const knownOfSession = new Set(['type', 'model', 'tools', 'prompt', 'instructions', 'audio', 'turn_detection', 'max_output_tokens']);

/** The event of a message, as far as it is one. Throws: AppError `invalid_json`, `invalid_request`. */
export function readEvent(message: Buffer, model: string): CallerEvent {
  const scan = new JsonScan({ leavesOut: message.length > longMessage });
  scan.push(withoutByteOrderMark(message));
  const { json, long } = scan.end();
  const event = objectIn(parseJson(json));
  refuseDoubled(event, scan.nestedFields);
  return { event: { ...event, type: typeof event.type === 'string' ? event.type : '', model }, json, long };
}

/** Throws: AppError `invalid_request` that names what is wrong with the shape of an event. */
export function checkEvent({ event }: CallerEvent): void {
  const { model: _own, ...sent } = event;
  checkNames(sent, known);
  if (event.type === '') throw wrong('type is required: the name of an event', 'type');
  for (const field of ['session', 'response', 'item'] as const) {
    const value = event[field];
    if (value !== undefined && value !== null && !isObject(value)) throw wrong(`${field} must be an object`, field);
    if (isObject(value)) checkNames(value, knownOfSession);
  }
}

/** The event's bytes with some fields set otherwise; of what stands there twice the last stays. */
export function written({ json, long }: CallerEvent, set: JsonObject = {}): Buffer {
  const patched = patchJson(json, { set });
  return long === undefined ? patched : Buffer.concat(long.whole(patched));
}

/** What an event's texts weigh. Throws: AppError `sensitive_words_detected`, `invalid_json`. */
export async function weighed({ event, long }: CallerEvent, { hasSensitiveWord }: Settings): Promise<Usage> {
  if (long !== undefined) return realtime.weigh(event, await lookInSlices(event, { rules: realtime, long, hasSensitiveWord }));
  if (hasSensitiveWord !== undefined) {
    realtime.eachText?.(event, (text) => {
      if (hasSensitiveWord(text)) throw new AppError('sensitive_words_detected');
    });
  }
  return realtime.weigh(event);
}

/** How many bytes of audio an event has. Throws: AppError `invalid_json`. */
export function audioBytes({ event, long }: CallerEvent): number {
  const { audio } = event;
  if (typeof audio !== 'string') throw refused('audio must be a text');
  const length = long?.lengthOf(audio);
  if (length !== undefined) return Math.max(0, Math.floor(length * 0.75) - 2); // of a long text only the length is known
  return Math.floor((audio.length - (/={1,2}$/.exec(audio)?.[0].length ?? 0)) * 0.75);
}

/** What is kept of a client's event that a provider may refuse. */
interface SentEvent {
  /** The client's own id for the event; undefined: it named none. */
  own: string | undefined;
  onRefused: (() => void) | undefined;
}

/** Errors follow their event closely; older events are forgotten. */
const mostRemembered = 2_048;

/**
 * Event ids toward a provider are ours, because a client may use one id twice and a refusal must concern exactly one event.
 * Source: https://platform.openai.com/docs/api-reference/realtime-server-events/error
 */
export class EventIds {
  readonly #prefix: string;
  readonly #sent = new Map<string, SentEvent>();
  #count = 0;

  constructor(callId: string) {
    this.#prefix = `event_${callId}_`;
  }

  /** A new id, unique within the session. */
  next(): string {
    this.#count += 1;
    return this.#prefix + this.#count;
  }

  /** The id under which an event goes to the provider. `onRefused` runs at most once. */
  outgoing(own: string | undefined, onRefused?: () => void): string {
    const id = this.next();
    this.#sent.set(id, { own, onRefused });
    if (this.#sent.size > mostRemembered) this.#sent.delete(this.#sent.keys().next().value ?? '');
    return id;
  }

  /** A provider refused an event. Returns the client's own id for it; undefined: the client gave none, or the id is unknown. */
  refused(id: unknown): string | undefined {
    if (typeof id !== 'string') return undefined;
    const sent = this.#sent.get(id);
    const onRefused = sent?.onRefused;
    if (sent !== undefined) sent.onRefused = undefined;
    onRefused?.();
    return sent?.own;
  }
}
