import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Names every answer: yyyymmddHHMMSS in UTC and random characters. */
export const requestId: RequestHandler = (_req, res, next) => {
  const id = `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}${randomBytes(8).toString('hex')}`;
  res.locals.requestId = id;
  res.setHeader('x-oneapi-request-id', id);
  res.setHeader('x-request-id', id);
  next();
};
