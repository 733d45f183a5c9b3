import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** The data of an answer, which is asked for again and again; 304 for whoever has it already. A browser may keep it, and asks each time. */
export function unlessKnown<Data>(data: Data, req: Request, res: Response): Data {
  const tag = `W/"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)}"`;
  res.setHeader('etag', tag);
  res.setHeader('cache-control', 'private, no-cache');
  if (req.headers['if-none-match']?.includes(tag)) res.status(304).end();
  return data;
}
