import type { UpstreamError } from '@tollgate/providers';
import { decoderOf } from '@tollgate/runtime';
import { upstreamFailure } from '../context/errors.ts';

/** Who takes an answer's body, piece by piece. After `ended` or `failed` nothing comes. */
export interface BodySink {
  piece(bytes: Buffer): void;
  ended(): void;
  failed(error: UpstreamError): void;
}

/** An answer that comes packed although it was asked for as it is, on its way to its sink. */
export interface Unpacker extends BodySink {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/**
 * Gives `sink` what stands in a packed body, at the sink's own pace; how much there may be is the sink's to say. A coding that
 * nobody asked for and we do not know, or one that is broken: the sink is told that the answer cannot be read.
 */
export function unpacking(encoding: string, sink: BodySink, source: { pause(): void; resume(): void }): Unpacker {
  const unpacker = decoderOf(encoding, { takesCut: true });
  const unreadable = () => sink.failed(upstreamFailure('unreadable', 'upstream_bad_answer'));
  if (unpacker === undefined) {
    const nothing = () => undefined;
    return { piece: nothing, ended: unreadable, failed: (error) => sink.failed(error), pause: nothing, resume: nothing, destroy: nothing };
  }
  unpacker.on('data', (bytes: Buffer) => sink.piece(bytes));
  unpacker.once('end', () => sink.ended());
  unpacker.once('error', unreadable);
  unpacker.on('drain', () => source.resume());
  return {
    piece(bytes) {
      if (!unpacker.write(bytes)) source.pause();
    },
    ended: () => void unpacker.end(),
    failed: (error) => sink.failed(error),
    pause: () => void unpacker.pause(),
    resume: () => void unpacker.resume(),
    destroy: () => void unpacker.destroy(),
  };
}
