import { type FrameReader, serverSentEvents } from './framing.ts';
import { openStreamReading } from './open-stream-reading.ts';
import { WholeOfChunks } from './openai/whole-of-chunks.ts';
import type { OwnWhole } from './own-whole.ts';
import type { Dialect } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import type { SseFrame } from './sse.ts';
import type { StreamReading } from './stream-reading.ts';
import { thinkingToWholeContent } from './thinking.ts';
import { isUnreadable, UpstreamError } from './upstream-error.ts';
import type { WholeOptions, WholeReading } from './whole-answer.ts';

const brace = 0x7b;
/** A longer body that does not say that it is a stream is none: it would be read at once. */
const longestUnsaid = 1 << 20;

/**
 * Whether an answer that was not asked for as a stream is one all the same: some providers give nothing else, some do whatever they are asked.
 * `begins` are its first bytes, or all of them.
 */
export function cameAsStream<Request>(
  dialect: Dialect<Request, unknown>,
  { begins, contentType = '' }: { begins: Buffer; contentType?: string | undefined },
): boolean {
  if (dialect.speaks === 'openai' ? !dialect.answersAt.includes('choices') : dialect.decodeStream === undefined) return false;
  const { framing = serverSentEvents } = dialect;
  if (dialect.speaks !== 'openai' && dialect.streamsOnly) return framing.beginsWith?.(begins) ?? true; // not everybody who is asked to stream does
  if (begins[0] === brace) return false;
  return framing.isStream(contentType.toLowerCase()) || (begins.length <= longestUnsaid && framing.beginsWith?.(begins) === true);
}

/** A whole answer out of the stream that its provider gave instead, read as it comes. */
export class CollectedStream<Request> {
  readonly #options: WholeOptions;
  readonly #reader: FrameReader;
  readonly #reading: StreamReading;
  readonly #chunks = new WholeOfChunks();
  /** What the caller gets, where he speaks as his provider does. */
  readonly #own: OwnWhole | undefined;
  #failure: unknown;

  constructor(dialect: Dialect<Request, unknown>, options: WholeOptions) {
    const { stamp, usageBound, choices } = options;
    this.#options = options;
    this.#reader = (dialect.framing ?? serverSentEvents).open();
    this.#reading = openStreamReading(dialect, { stamp, usageBound, choices, isWhole: true });
    const isSame = dialect.speaks === options.speaks && !options.thinkingToContent;
    this.#own = dialect.speaks === 'openai' || !isSame ? undefined : dialect.collect?.();
  }

  /** True when nothing more is to come: the body may be kept open behind its end. */
  push(bytes: Buffer): boolean {
    if (this.#failure === undefined) this.#read(() => this.#reader.push(bytes));
    return this.#failure !== undefined || this.#reading.isDone;
  }

  /** Throws: UpstreamError when what has come is an error, no whole answer, or none. */
  whole(): WholeReading {
    const reading = this.#reading;
    const last = this.#reader.end();
    if (this.#failure === undefined) this.#read(() => last);
    // Whatever unreadable stands behind a whole answer, it stays so.
    if (this.#failure !== undefined && !(reading.isComplete && isUnreadable(this.#failure))) throw this.#failure;
    if (!reading.hasAnswer) throw unreadable();
    if (!reading.isComplete) throw interrupted();
    const told = this.#chunks.answer(reading.head);
    const answer = this.#options.thinkingToContent ? thinkingToWholeContent(told) : told;
    const { head, usage, isUsageLast } = reading;
    const own = this.#own?.answer;
    const body = own && Buffer.from(JSON.stringify(own));
    return { body, stated: own ?? {}, answer, head, usage, isUsageLast, counted: () => reading.delivered };
  }

  #read(frames: () => Iterable<SseFrame>): void {
    try {
      for (const frame of frames()) {
        const isOver = this.#reading.isDone;
        for (const chunk of this.#reading.read(frame)) this.#chunks.add(chunk);
        if (!isOver && frame.hasData) this.#own?.add(frame);
      }
    } catch (error) {
      this.#failure = error;
    }
  }
}

function interrupted(): UpstreamError {
  const message = 'The upstream provider broke off its answer';
  return new UpstreamError({ kind: 'interrupted', status: 502, message, code: 'upstream_interrupted' });
}
