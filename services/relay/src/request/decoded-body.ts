import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, decoderOf, encodingOf, knownEncodings } from '@tollgate/runtime';

/** The caller left before the request was whole: nobody is there to be answered. */
export class CallerLeft extends Error {
  override name = 'CallerLeft';
}

/**
 * The bytes of a body, unpacked as they come if they were sent packed: who reads them counts what they are unpacked, and stops where that is
 * too much. `fail` is told of what keeps them from coming whole: CallerLeft, AppError `broken_encoding`, an error of the line.
 * Throws: AppError `content_encoding_refused`.
 */
export function decodedBody(request: IncomingMessage, fail: (error: unknown) => void): Readable {
  const encoding = encodingOf(request.headers);
  const decoder = decoderOf(encoding);
  if (decoder === undefined && encoding !== 'identity') throw new AppError('content_encoding_refused', { accepted: knownEncodings });
  request.on('error', fail);
  request.on('close', () => {
    if (request.complete) return;
    decoder?.destroy();
    fail(new CallerLeft('the caller left before the request was whole'));
  });
  if (decoder === undefined) return request;
  decoder.on('error', (cause) => fail(new AppError('broken_encoding', { encoding }, { cause })));
  return request.pipe(decoder);
}

/** Bytes that a body will have when it is unpacked, where its head says so. */
export function saidLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined || encodingOf(headers) !== 'identity' ? undefined : Number(length);
}
