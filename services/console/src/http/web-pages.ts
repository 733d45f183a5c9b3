import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type RequestHandler, type Response, Router } from 'express';

const packable = new Set(['.js', '.css', '.svg', '.json']);
const packers = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** All files below a folder, by the path that they are asked for; none that is hidden. */
function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [`/${relative(folder, path)}`, readFileSync(path)]));
}

/**
 * Serves files that are held in memory, texts packed, each once when it is first asked for: what is kept is bounded, and no path leads to
 * anything else. That is left to the next handler.
 */
function heldFiles(files: ReadonlyMap<string, Buffer>, cacheControlOf: (path: string) => string): RequestHandler {
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

const indexPath = '/index.html';

/** Files under `/assets` carry their hash in the name. */
function cacheControlOf(path: string): string {
  return path.startsWith('/assets/') ? `public, max-age=${365 * 24 * 3600}, immutable` : 'public, max-age=3600';
}

/**
 * The built web pages. Every path that is no file's is a page of the single-page app, whose index is never kept. The files are read at start,
 * all of them (3 MB): pages that are built anew under us need a new start, until which those of before go on whole, lazy parts too.
 * `nonce` lets the app's own style tags through the content security policy.
 */
export function webPages(directory: string, nonceOf: (res: Response) => string): Router {
  const root = resolve(directory);
  if (!existsSync(join(root, indexPath))) throw new Error(`WEB_DIR has no index.html; are the web pages built? (${root})`);
  const files = new Map(readFiles(root));
  const index = files.get(indexPath)?.toString() ?? '';
  files.delete(indexPath);
  const page: RequestHandler = (_req, res) => {
    res.setHeader('cache-control', 'no-cache');
    res.type('html').send(index.replaceAll('__CSP_NONCE__', nonceOf(res)));
  };
  return Router()
    .use(heldFiles(files, cacheControlOf))
    .use('/assets', (_req, res, next) => {
      res.setHeader('cache-control', 'no-store');
      next();
    })
    .get('/{*page}', (req, res, next) =>
      req.path.startsWith('/assets/') || req.path === '/api' || req.path.startsWith('/api/') ? next() : page(req, res, next),
    );
}
