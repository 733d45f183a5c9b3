import type { JsonObject, Stamp } from './provider.ts';
import { type StreamOptions, StreamReading } from './stream-reading.ts';

/** A whole answer of the hub as the one chunk of a stream, for a caller who wants a stream. */
class ReadingOfOne extends StreamReading {
  constructor(chunk: JsonObject, options: StreamOptions) {
    super(options, false);
    this.learn(chunk);
  }

  read(): readonly JsonObject[] {
    return [];
  }
}

/**
 * The stream of one chunk, and one for its end, that says what a whole answer says; undefined when it has no choices. Clients take calls for
 * ended, and tell of it, when a chunk says why all has ended and brings nothing more of them.
 */
export function streamOfOne(answer: JsonObject, stamp: Stamp): { chunks: JsonObject[]; reading: StreamReading } | undefined {
  const { usage: _usage, choices, ...rest } = answer;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  const pieces = (choices as JsonObject[]).map(({ message, ...choice }) =>
    message === undefined ? choice : { ...choice, delta: withIndexes((message ?? {}) as JsonObject) },
  );
  const ends = pieces.map(({ index, finish_reason, delta }) => ({
    index,
    ...(delta ? { delta: {} } : { text: '' }),
    logprobs: null,
    finish_reason,
  }));
  const chunks = [
    { ...rest, choices: pieces.map((piece) => ({ ...piece, finish_reason: null })) },
    { ...rest, choices: ends },
  ];
  return { chunks, reading: new ReadingOfOne({ ...rest, choices: pieces }, { stamp }) };
}

/** Pieces of calls say which call they are of; whole calls do not. */
function withIndexes(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  return { ...message, tool_calls: (message.tool_calls as JsonObject[]).map((call, index) => ({ index, ...call })) };
}
