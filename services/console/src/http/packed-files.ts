import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const packable = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.json', 'application/json; charset=utf-8'],
]);
const packers = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Serves the text files of a folder packed, each packed once when it is first asked for. `names` are all files there are, so what
 * is kept is bounded and no path leads out of the folder. Anything else is left to the next handler.
 */
export function packedFiles(folder: string, names: ReadonlySet<string>, cacheControl: string): RequestHandler {
  const packed = new Map<string, Promise<Buffer>>();
  return async (req, res, next) => {
    const name = req.path.slice(1);
    const type = packable.get(extname(name));
    const encoding = req.acceptsEncodings('br', 'gzip');
    if (req.method !== 'GET' || !type || !names.has(name) || (encoding !== 'br' && encoding !== 'gzip')) return next();
    const key = `${encoding}:${name}`;
    let bytes = packed.get(key);
    if (!bytes) {
      bytes = readFile(join(folder, name)).then(packers[encoding]);
      bytes.catch(() => packed.delete(key));
      packed.set(key, bytes);
    }
    res
      .set({ 'content-type': type, 'content-encoding': encoding, 'cache-control': cacheControl, vary: 'Accept-Encoding' })
      .send(await bytes);
  };
}
