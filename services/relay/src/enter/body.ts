import type { IncomingMessage } from 'node:http';
import { AppError } from '@tollgate/runtime';

/** The caller left before the request was whole: nobody is there to be answered. */
export class CallerLeft extends Error {
  override name = 'CallerLeft';
}

/**
 * The whole body. `take` is told of every piece, so that all bodies together stay bounded; it throws when they do not.
 * Throws: AppError `content_encoding_refused`, `body_too_large`; CallerLeft.
 */
export function readBody(request: IncomingMessage, limits: { maxBytes: number; take(bytes: number): void }): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') throw new AppError('content_encoding_refused');
  const tooLarge = () => new AppError('body_too_large', { limit: limits.maxBytes });
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      try {
        limits.take(piece.length);
      } catch (error) {
        request.pause();
        reject(error);
        return;
      }
      if (length > limits.maxBytes) {
        request.pause();
        reject(tooLarge());
      } else pieces.push(piece);
    });
    request.on('end', () => {
      resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length));
      pieces.length = 0; // the request lives on with its answer
    });
    request.on('close', () => {
      if (!request.complete) reject(new CallerLeft('the caller left before the request was whole'));
    });
    request.on('error', reject);
  });
}
