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
