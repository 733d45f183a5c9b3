import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** 8 MB, what every decoder must take (https://www.rfc-editor.org/rfc/rfc9659); larger windows would be paid by our memory. */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };

const decoders = new Map<string, (finishFlush?: number) => Transform>([
  ['gzip', (finishFlush) => createGunzip({ finishFlush })],
  ['x-gzip', (finishFlush) => createGunzip({ finishFlush })],
  ['deflate', (finishFlush) => createInflate({ finishFlush })],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: zstdWindow })],
]);

/** The names to tell somebody whose encoding is not understood. */
export const knownEncodings = 'gzip, deflate, br, zstd';

/** How a body is packed, in lower case: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1; `identity` when it is not. */
export function encodingOf(headers: { 'content-encoding'?: string | string[] | undefined }): string {
  return (
    String(headers['content-encoding'] ?? '')
      .trim()
      .toLowerCase() || 'identity'
  );
}

/** Unpacks; undefined for an encoding that is not understood. With `takesCut` what breaks off (gzip, deflate) ends well with what came. */
export function decoderOf(encoding: string, { takesCut = false } = {}): Transform | undefined {
  return decoders.get(encoding)?.(takesCut ? constants.Z_SYNC_FLUSH : undefined);
}
