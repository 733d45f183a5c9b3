import { AppError } from '@tollgate/runtime';
import express, { type Request, type RequestHandler, type Response } from 'express';

/** What some clients call UTF-8, and what is a part of it. */
const alsoUtf8 = /;\s*charset\s*=\s*"?(?:utf8|us-ascii|ascii)"?\s*(?=;|$)/i;

function nameUtf8(req: Request): void {
  const { headers } = req;
  if (headers['content-type'] !== undefined) headers['content-type'] = headers['content-type'].replace(alsoUtf8, '; charset=utf-8');
}

const bytes = new WeakMap<object, Buffer>();

/**
 * Reads bodies of JSON in UTF-8; those whose bytes somebody has signed are kept as they came, too. A text with half a character in it,
 * which an escape can spell, is refused: the store would write something else than what was checked.
 */
export function jsonBody({ limit, signedPaths }: { limit: number; signedPaths: readonly string[] }): RequestHandler {
  const read = express.json({
    limit,
    inflate: false,
    verify(req, _res, body, encoding) {
      if (encoding !== 'utf-8') throw Object.assign(new Error('another encoding'), { type: 'charset.unsupported' });
      const [path = ''] = (req.url ?? '').split('?');
      if (signedPaths.includes(path.replace(/\/$/, ''))) bytes.set(req, body);
    },
  });
  return (req, res, next) => {
    nameUtf8(req);
    read(req, res, (error?: unknown) => {
      if (error !== undefined || isWhole(req.body)) return next(error);
      next(new AppError('invalid_json', { reason: 'a text in it has half a character' }));
    });
  };
}

/** The bytes of a body whose path is among the signed ones. */
export function bytesOf(request: Request): Buffer | undefined {
  return bytes.get(request);
}

const form = 'application/x-www-form-urlencoded';
const readForm = express.urlencoded({ extended: false, limit: '16kb', inflate: false, parameterLimit: 100 });

/** The fields of a body that is a form, a list where one stands there twice; of any other body none. */
export async function formOf(req: Request, res: Response): Promise<object> {
  if (!req.is(form)) return {};
  nameUtf8(req);
  await new Promise<void>((resolve, reject) => readForm(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error))));
  return req.body as object;
}

/** Whether every text in a value, names included, is Unicode. Goes as deep as a body can. */
function isWhole(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string' && !next.isWellFormed()) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, each] of Object.entries(next)) left.push(name, each);
  }
  return true;
}
