import { AppError } from '@tollgate/runtime';
import express, { type NextFunction, type Request, type Response } from 'express';
import { enterByKey } from '../../auth/authenticate.ts';
import { assertMayCall, type Caller } from '../../auth/callers.ts';
import type { Relay } from '../../context/relay.ts';
import type { Call } from '../../pipeline/call.ts';
import { answerError, answerHeaders } from '../../response/respond.ts';
import { subscriptionView, usageView } from './billing-views.ts';
import { listModels, modelView } from './models.ts';
import { isElsewhere } from './not-implemented.ts';

/** Every route that is not hot. */
export function restApp(relay: Relay): (request: unknown, response: unknown, call: Call) => void {
  const calls = new WeakMap<object, Call>();
  const callOf = (req: Request): Call => calls.get(req) as Call;
  const callerOf = async (req: Request): Promise<Caller> => {
    const call = callOf(req);
    const { caller } = await enterByKey(relay, call);
    assertMayCall(caller, call.atMs);
    return caller;
  };

  const app = express().disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.use((req, res, next) => {
    res.set(answerHeaders(callOf(req), {}) as Record<string, string>);
    next();
  });
  app.get(['/v1/models', '/v1beta/models'], async (req, res) => {
    const { dialect, query } = callOf(req);
    res.json(dialect.modelList(listModels(relay, await callerOf(req)), new URLSearchParams(query)));
  });
  app.get(['/v1/models/*name', '/v1beta/models/*name'], async (req, res) => {
    res.json(callOf(req).dialect.model(modelView(relay, await callerOf(req), nameIn(req))));
  });
  app.get(['/dashboard/billing/subscription', '/v1/dashboard/billing/subscription'], async (req, res) => {
    res.json(await subscriptionView(relay, await callerOf(req)));
  });
  app.get(['/dashboard/billing/usage', '/v1/dashboard/billing/usage'], async (req, res) => {
    res.json(await usageView(relay, await callerOf(req)));
  });
  app.all('/v1/realtime', () => {
    throw new AppError('upgrade_needed');
  });
  app.use(({ method, path }: Request) => {
    throw new AppError(isElsewhere(method, path) ? 'not_implemented' : 'not_found', { method, path });
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
  return Array.isArray(name) ? name.join('/') : String(name);
}
