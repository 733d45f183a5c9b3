import type { Route } from '@tollgate/contracts';
import { AppError, Histogram, metrics } from '@tollgate/runtime';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Caller } from '../auth/caller.ts';
import { envelope, languageOf } from './answer.ts';
import type { Call } from './handlers.ts';

type AnyHandler = (call: Call<Route, string>) => unknown;

/** What stands before a handler, besides the parser. */
export interface Platform {
  /** Lets a request through to a route, or throws; leaves who asks in `res.locals.caller`. */
  guard(route: Route): RequestHandler;
  readBody: RequestHandler;
}

/**
 * A router with exactly the routes of a table of contracts, each behind its guard. Query and body are read and parsed only after it.
 * A path with a parameter comes after those that it would swallow, wherever it stands in the table.
 */
export function mount<Table extends Record<string, Route>>(
  table: Table,
  handlers: { [Name in keyof Table]: unknown },
  { guard, readBody }: Platform,
): Router {
  const router = Router({ caseSensitive: true });
  for (const name of Object.keys(table).sort(byPath)) {
    const route = table[name] as Route;
    const [method, path] = partsOf(name);
    if (route.forAnySite) {
      router[method](path, openToAll);
      router.options(path, openToAll, (_req, res) => void res.status(204).end());
    }
    if (method === 'get' && !isForAnybody(route)) router.head(path, (_req, _res, next) => next('router'));
    router[method](path, timed(name), guard(route), readBody, answering(route, handlers[name] as AnyHandler));
  }
  return router;
}

/** A browser asks beforehand where a page of another site sends a header of its own, as `Authorization` is. */
const openToAll: RequestHandler = (_req, res, next) => {
  res.set({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, Authorization', 'access-control-max-age': '86400' });
  next();
};

/** Of what people sign in for, and of what is counted, a GET may change something, as in the product family, where no path answers HEAD. */
function isForAnybody({ access, limiter, csrfExempt }: Route): boolean {
  return access === 'anyone' && !limiter && csrfExempt === true;
}

function answering(route: Route, handle: AnyHandler): RequestHandler {
  return async (req, res) => {
    const call = callOf(route, req, res);
    const answer = await handle(call);
    if (route.raw !== undefined || res.headersSent) return;
    res.json(envelope(answer, { language: call.language, isBeside: route.beside !== undefined }));
  };
}

function callOf(route: Route, req: Request, res: Response): Call<Route, string> {
  return {
    caller: res.locals.caller as Caller,
    params: (route.params ? route.params.parse(req.params) : pathNumbers(req.params)) as Record<string, number>,
    query: route.query?.parse(req.query),
    body: route.body && bodyOf(route.body, req),
    language: languageOf(req),
    address: req.ip ?? '',
    req,
    res,
  };
}

function bodyOf(schema: NonNullable<Route['body']>, { body }: Request): unknown {
  if (body === undefined)
    throw new AppError('invalid_parameter', { reason: 'the body must be JSON, with the Content-Type application/json' });
  return schema.parse(body);
}

function partsOf(name: string): ['get' | 'post' | 'put' | 'delete' | 'patch', string] {
  const [method = '', path = ''] = name.split(' ');
  return [method.toLowerCase() as 'get', path];
}

function byPath(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => partsOf(name)[1].replaceAll(':', '\uffff')) as [string, string];
  return a < b ? -1 : Number(a > b);
}

const seconds = new Histogram({
  name: 'console_request_seconds',
  help: 'How long requests to the API took, by route and HTTP status',
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  registers: [metrics],
});

function timed(route: string): RequestHandler {
  return (_req, res, next) => {
    const begin = performance.now();
    res.once('finish', () => seconds.observe({ route, status: res.statusCode }, (performance.now() - begin) / 1000));
    next();
  };
}

/** The parts of a path, which are numbers unless the contract says otherwise. */
function pathNumbers(params: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, numberIn(part)]));
}

function numberIn(part: unknown): number {
  if (typeof part !== 'string' || !/^\d{1,15}$/.test(part))
    throw new AppError('invalid_parameter', { reason: 'the id in the address must be a number' });
  return Number(part);
}
