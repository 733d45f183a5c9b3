import { type SseFrame, SseReader, withoutMark } from './sse.ts';

/** Cuts a body that arrives in any pieces into events. Whatever they travelled in, they come out as server-sent events. */
export interface FrameReader {
  /** The events that these bytes complete. Throws, behind those that stand before it: UpstreamError `unreadable` for what is none or too large. */
  push(bytes: Buffer): Iterable<SseFrame>;
  /** What the body ended with, as far as that is events. */
  end(): readonly SseFrame[];
  /** What an unended event keeps in memory. */
  readonly keptBytes: number;
  /** Frees an unended event that will not be read. */
  drop(): void;
}

/** How a stream's events travel. */
export interface Framing {
  /** What is asked for, as a media type. */
  accept: string;
  /** Whether a body of this media type is such a stream; else it is one whole answer. */
  isStream(mediaType: string): boolean;
  /** Whether a body that begins so is one, whatever it is said to be; left out where only its media type tells. */
  beginsWith?(bytes: Buffer): boolean;
  open(): FrameReader;
}

/** What the first line of an event stream may begin with. */
const fields = ['data:', 'event:', 'id:', 'retry:', ':'];

export const serverSentEvents: Framing = {
  accept: 'text/event-stream',
  isStream: (mediaType) => mediaType.includes('text/event-stream'),
  beginsWith(bytes) {
    const text = withoutMark(bytes).toString('latin1', 0, 20).trimStart();
    return text !== '' && fields.some((field) => text.startsWith(field) || field.startsWith(text));
  },
  open: () => new SseReader(),
};
