import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** 8 MB, which every decoder must support (https://www.rfc-editor.org/rfc/rfc9659). Larger windows would cost our memory. */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };

const decoders = new Map<string, (finishFlush?: number) => Transform>([
  ['gzip', (finishFlush) => createGunzip({ finishFlush })],
  ['x-gzip', (finishFlush) => createGunzip({ finishFlush })],
  ['deflate', (finishFlush) => createInflate({ finishFlush })],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: zstdWindow })],
]);

/** The supported encodings, for error messages. */
export const knownEncodings = 'gzip, deflate, br, zstd';

/** The content encoding in lower case (https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1); `identity` when there is none. */
export function encodingOf(headers: { 'content-encoding'?: string | string[] | undefined }): string {
  return (
    String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase() || 'identity'
  );
}

/** Creates a decoder; undefined for an unsupported encoding. With `takesCut`, truncated gzip and deflate data ends without an error. */
export function decoderOf(encoding: string, { takesCut = false } = {}): Transform | undefined {
  return decoders.get(encoding)?.(takesCut ? constants.Z_SYNC_FLUSH : undefined);
}
