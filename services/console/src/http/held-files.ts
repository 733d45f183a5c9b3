import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const packable = new Set(['.js', '.css', '.svg', '.json']);
const packers = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** All files below a folder, by the path that they are asked for; none that is hidden. */
export function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [`/${relative(folder, path)}`, readFileSync(path)]));
}

/**
 * Serves files that are held in memory, texts packed, each once when it is first asked for: what is kept is bounded, and no path leads to
 * anything else. That is left to the next handler.
 */
export function heldFiles(files: ReadonlyMap<string, Buffer>, cacheControlOf: (path: string) => string): RequestHandler {
  const packed = new Map<string, Promise<Buffer>>();
  return async (req, res, next) => {
    const file = files.get(req.path);
    if (!file || (req.method !== 'GET' && req.method !== 'HEAD')) return next();
    const type = extname(req.path);
    res.type(type).set('cache-control', cacheControlOf(req.path));
    if (!packable.has(type)) return void res.send(file);
    const encoding = req.acceptsEncodings('br', 'gzip');
    res.set('vary', 'Accept-Encoding');
    if (encoding !== 'br' && encoding !== 'gzip') return void res.send(file);
    const key = `${encoding}:${req.path}`;
    const bytes = packed.get(key) ?? packers[encoding](file);
    packed.set(key, bytes);
    res.set('content-encoding', encoding).send(await bytes);
  };
}
