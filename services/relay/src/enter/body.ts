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

const deepest = 100;
const quote = 0x22;
const backslash = 0x5c;

/**
 * The body as JSON. How deep it nests is bounded before it is parsed: brackets alone, a few megabytes of them, would take
 * all memory. Throws: AppError `invalid_json`.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new AppError('invalid_json', { reason: 'it is empty' });
  checkDepth(body);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // The parser's own words quote the body, which may be long and is not ours to repeat; where it is wrong is enough.
    const words = String(error);
    const isCut = words.includes('end of JSON input') || words.includes('Unterminated');
    const position = /position \d+/.exec(words)?.[0];
    throw new AppError('invalid_json', { reason: isCut ? 'it ends too early' : `it is wrong at ${position ?? 'its beginning'}` });
  }
}

function checkDepth(body: Buffer): void {
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      at = stringEnd(body, at);
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepest) throw new AppError('invalid_json', { reason: `it nests deeper than ${deepest} levels` });
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
}

/** Where the quote stands that ends the string begun at `start`; the end of the body when there is none. */
function stringEnd(body: Buffer, start: number): number {
  for (let end = body.indexOf(quote, start + 1); end >= 0; end = body.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (body[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return body.length;
}
