import { type SseFrame, SseReader } from './sse.ts';

/** Cuts a body that arrives in any pieces into events. Whatever they travelled in, they come out as server-sent events. */
export interface FrameReader {
  /** The events that these bytes complete. Throws, behind those that stand before it: UpstreamError `unreadable` for what is none or too large. */
  push(bytes: Buffer): Iterable<SseFrame>;
  /** What the body ended with, when that is an event. */
  end(): SseFrame | undefined;
  /** What an unended event keeps in memory. */
  readonly keptBytes: number;
}

/** How a stream's events travel. */
export interface Framing {
  /** What is asked for, as a media type. */
  accept: string;
  /** Whether a body of this media type is such a stream; else it is one whole answer. */
  isStream(mediaType: string): boolean;
  open(): FrameReader;
}

export const serverSentEvents: Framing = {
  accept: 'text/event-stream',
  isStream: (mediaType) => mediaType.includes('text/event-stream'),
  open: () => new SseReader(),
};
