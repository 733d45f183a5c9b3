import { EventReading } from './event-reading.ts';
import { PlainReading } from './plain-reading.ts';
import type { PassThrough, Translation } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import type { StreamOptions, StreamReading } from './stream-reading.ts';
import { TranslatedReading } from './translated-reading.ts';

/** Throws: UpstreamError when this provider streams no such answers. */
export function openStreamReading<Request>(
  dialect: PassThrough<Request> | Translation<Request, unknown>,
  options: StreamOptions,
): StreamReading {
  if (dialect.speaks === 'openai') return dialect.streamsEvents ? new EventReading(dialect, options) : new PlainReading(dialect, options);
  if (dialect.decodeStream === undefined) throw unreadable('a stream');
  return new TranslatedReading(dialect.decodeStream(options.stamp, { isWhole: options.isWhole === true }), options);
}
