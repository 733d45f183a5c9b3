import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { heldFiles, readFiles } from './held-files.ts';

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
