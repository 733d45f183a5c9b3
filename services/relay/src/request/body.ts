import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { DetachedStrings } from '@tollgate/providers';
import { AppError, decoderOf, encodingOf, knownEncodings } from '@tollgate/runtime';
import { CallerLeft } from '../context/errors.ts';
import { JsonScan, withoutByteOrderMark } from './json-scan.ts';

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

/** Shorter bodies are looked at in one piece. */
const smallBody = 64 * 1024;
/** Shorter pieces are put together first: each costs more than its bytes. */
const smallPiece = 16 * 1024;

/** A JSON body, ready to be parsed. */
export interface JsonBody {
  json: Buffer;
  /** Of a large body: the long texts that do not stand in `json`. They are passed on as they came. */
  long: DetachedStrings | undefined;
  /** What parsing it will take, about. */
  parsedBytes: number;
  /** How many keys stand at its top, twice or not. */
  fields: number;
  /** How many stand below it. */
  nestedFields: number;
}

/**
 * The whole body, looked through as it comes. `take` is told of every piece, so that all bodies together stay bounded; it throws when they do not.
 * Throws: AppError `content_encoding_refused`, `broken_encoding`, `body_too_large`, `invalid_json`; CallerLeft.
 */
export function readBody(request: IncomingMessage, limits: { maxBytes: number; take(bytes: number): void }): Promise<JsonBody> {
  const tooLarge = () => new AppError('body_too_large', { limit: limits.maxBytes });
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge();
  const { promise, ...ends } = Promise.withResolvers<JsonBody>();
  // The request lives on with its answer, and its listeners with it: of a body that has been read they keep nothing.
  let told: typeof ends | undefined = ends;
  let pieces: Buffer[] = [];
  let large: JsonScan | undefined;
  let unseen = 0;
  let length = 0;
  const scan = () => {
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    pieces = [];
    unseen = 0;
    if (large !== undefined) return large.push(bytes);
    large = new JsonScan({ leavesOut: true });
    large.push(withoutByteOrderMark(bytes));
  };
  const over = () => {
    told = undefined;
    pieces = [];
    large = undefined;
  };
  const fail = (error: unknown) => {
    told?.reject(error);
    over();
  };
  const body = decodedBody(request, fail);
  body.on('data', (piece: Buffer) => {
    if (told === undefined) return;
    length += piece.length;
    unseen += piece.length;
    try {
      limits.take(piece.length);
      if (length > limits.maxBytes) throw tooLarge();
      pieces.push(piece);
      if (length > smallBody && unseen >= smallPiece) scan();
    } catch (error) {
      body.pause();
      fail(error);
    }
  });
  body.on('end', () => {
    try {
      if (large !== undefined && unseen > 0) scan();
      told?.resolve(jsonBody(large ?? scanned(pieces)));
      over();
    } catch (error) {
      fail(error);
    }
  });
  return promise;
}

function scanned(pieces: Buffer[]): JsonScan {
  const scan = new JsonScan({ leavesOut: false });
  scan.push(withoutByteOrderMark(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
  return scan;
}

function jsonBody(scan: JsonScan): JsonBody {
  const { parsedBytes, fields, nestedFields } = scan;
  const { json, long } = scan.end();
  return { json, long, parsedBytes, fields, nestedFields };
}
