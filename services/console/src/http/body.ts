import express, { type Request, type RequestHandler } from 'express';

const bytes = new WeakMap<object, Buffer>();

/** Reads bodies of JSON; those whose bytes somebody has signed are kept as they came, too. */
export function jsonBody({ limit, signedPaths }: { limit: number; signedPaths: readonly string[] }): RequestHandler {
  return express.json({
    limit,
    inflate: false,
    verify(req, _res, body) {
      const [path = ''] = (req.url ?? '').split('?');
      if (signedPaths.includes(path.replace(/\/$/, ''))) bytes.set(req, body);
    },
  });
}

/** The bytes of a body whose path is among the signed ones. */
export function bytesOf(request: Request): Buffer | undefined {
  return bytes.get(request);
}
