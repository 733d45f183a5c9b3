import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { packedFiles } from './packed-files.ts';

const yearSeconds = 365 * 24 * 3600;

/**
 * The built web pages. Files under `/assets` carry their hash in the name and are kept for a year; every other path is a page
 * of the single-page app, whose index is never kept. The files are read at start: a new build needs a new start. `nonce` lets the app's own style tags through the content security policy.
 */
export function webPages(directory: string, nonceOf: (res: express.Response) => string): Router {
  const root = resolve(directory);
  if (!existsSync(join(root, 'index.html'))) throw new Error(`WEB_DIR has no index.html; are the web pages built? (${root})`);
  const assets = join(root, 'assets');
  const assetNames = new Set(existsSync(assets) ? readdirSync(assets) : []);
  const index = readFileSync(join(root, 'index.html'), 'utf8');
  const page: RequestHandler = (_req, res) => {
    res.setHeader('cache-control', 'no-cache');
    res.type('html').send(index.replaceAll('__CSP_NONCE__', nonceOf(res)));
  };
  return Router()
    .use('/assets', packedFiles(assets, assetNames, `public, max-age=${yearSeconds}, immutable`))
    .use('/assets', express.static(assets, { immutable: true, maxAge: yearSeconds * 1000, index: false, redirect: false }))
    .get('/index.html', page)
    .use(express.static(root, { index: false, redirect: false, maxAge: 3600 * 1000 }))
    .get('/{*page}', (req, res, next) =>
      req.path.startsWith('/assets/') || req.path === '/api' || req.path.startsWith('/api/') ? next() : page(req, res, next),
    );
}
