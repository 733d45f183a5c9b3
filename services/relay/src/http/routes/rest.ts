import { AppError } from '@tollgate/runtime';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Caller } from '../../auth/callers.ts';
import type { Relay } from '../../context/relay.ts';
import type { Call } from '../../pipeline/call.ts';
import { enterToRead } from '../../pipeline/enter-to-read.ts';
import { answerError, answerHeaders } from '../../response/respond.ts';
import { wrongPath } from '../wrong-path.ts';
import { subscriptionView, usageView } from './billing-views.ts';
import { listModels, modelView } from './models.ts';
import { isElsewhere } from './not-implemented.ts';

interface Question {
  caller: Caller;
  call: Call;
  /** The rest of a path that ends in `*name`. */
  name: string;
}

interface ReadRoute {
  paths: string[];
  answer(relay: Relay, question: Question): object | Promise<object>;
}

/** The routes that only read, all by GET. */
export const readRoutes: readonly ReadRoute[] = [
  {
    paths: ['/v1/models', '/v1beta/models'],
    answer: (relay, { caller, call: { dialect, query } }) => dialect.modelList(listModels(relay, caller), new URLSearchParams(query)),
  },
  {
    paths: ['/v1/models/*name', '/v1beta/models/*name'],
    answer: (relay, { caller, call, name }) => call.dialect.model(modelView(relay, caller, name)),
  },
  {
    paths: ['/dashboard/billing/subscription', '/v1/dashboard/billing/subscription'],
    answer: (relay, { caller }) => subscriptionView(relay, caller),
  },
  { paths: ['/dashboard/billing/usage', '/v1/dashboard/billing/usage'], answer: (relay, { caller }) => usageView(relay, caller) },
];

/** A method of Google's that exists nowhere stands behind the name of a model. */
const unknownMethod = /:\w+$/;

/** Every route that is not hot. */
export function restApp(relay: Relay): (request: unknown, response: unknown, call: Call) => void {
  const calls = new WeakMap<object, Call>();
  const callOf = (req: Request): Call => calls.get(req) as Call;

  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((req, res, next) => {
    res.set(answerHeaders(callOf(req), {}) as Record<string, string>);
    next();
  });
  for (const { paths, answer } of readRoutes) {
    app.get(paths, async (req, res) => {
      const call = callOf(req);
      const caller = await enterToRead(relay, call);
      res.json(await answer(relay, { caller, call, name: nameIn(req) }));
    });
    app.all(paths, (req) => {
      const { method, path } = req;
      if (isElsewhere(method, path)) throw new AppError('not_implemented', { method, path });
      if (method === 'POST' && unknownMethod.test(path)) throw wrongPath(callOf(req), method, path);
      throw new AppError('method_not_allowed', { method, allow: 'GET, HEAD, OPTIONS' });
    });
  }
  app.all('/v1/realtime', () => {
    throw new AppError('upgrade_needed');
  });
  app.use((req: Request) => {
    const { method, path } = req;
    throw isElsewhere(method, path) ? new AppError('not_implemented', { method, path }) : wrongPath(callOf(req), method, path);
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const call = callOf(req);
    const told = answerError(res, error instanceof URIError ? unreadableAddress(error) : error, call);
    if (told.status >= 500 && told.code === 'internal_error')
      relay.logger.error({ requestId: call.id, err: error }, 'a call failed for a reason of our own');
    relay.metrics.answered(call, told.status);
  });
  return (request, response, call) => {
    calls.set(request as object, call);
    app(request as Request, response as Response);
  };
}

/** The router decodes what stands in a path. */
function unreadableAddress(cause: URIError): AppError {
  return new AppError('invalid_request', { reason: 'the address has a % sign that stands for nothing' }, { cause });
}

/** Names of models may hold slashes. */
function nameIn(req: Request): string {
  const name: unknown = req.params.name;
  return Array.isArray(name) ? name.join('/') : String(name ?? '');
}
