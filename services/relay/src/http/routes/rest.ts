import { AppError } from '@tollgate/runtime';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Caller } from '../../auth/callers.ts';
import type { Call } from '../../context/call.ts';
import type { Relay } from '../../context/relay.ts';
import type { ModelView } from '../../dialects/dialect.ts';
import { authenticateToRead } from '../../pipeline/enter-to-read.ts';
import { answerError, answerHeaders } from '../../response/respond.ts';
import type { RoutedChannel } from '../../routing/channel-table.ts';
import { wrongPathError } from '../paths.ts';
import { keyInfoView, subscriptionView, usageView } from './billing-views.ts';
import { storedRoutes } from './stored-routes.ts';

/** Lists of models have dates; when a model was made nobody here knows. */
const created = 1_626_777_600;

/** Every model that this caller may call now, in the order of their names: one that a channel of his group serves, his token names, and that has a price. */
function listModels(relay: Relay, caller: Caller): ModelView[] {
  const group = caller.tokenGroup || caller.userGroup;
  const data: ModelView[] = [];
  for (const model of relay.table.models(group)) {
    const view = viewOf(relay, caller, { model, group });
    if (view !== undefined) data.push(view);
  }
  data.sort((a, b) => (a.id < b.id ? -1 : 1));
  return data;
}

/** One model. Throws: AppError `model_not_found` when this caller may not call it now. */
function modelView(relay: Relay, caller: Caller, model: string): ModelView {
  const view = viewOf(relay, caller, { model, group: caller.tokenGroup || caller.userGroup });
  if (view === undefined) throw new AppError('model_not_found', { model }, { param: 'model' });
  return view;
}

function viewOf(relay: Relay, caller: Caller, { model, group }: { model: string; group: string }): ModelView | undefined {
  if (caller.modelLimits !== undefined && !caller.modelLimits.has(model)) return undefined;
  const channel: RoutedChannel | undefined = relay.table.tiers(group, model)[0]?.[0];
  if (channel === undefined || relay.settings.price(model, group, relay.wallet.time()) === undefined) return undefined;
  return { id: model, object: 'model', created, owned_by: channel.ownedBy };
}

/** What follows /v1/ or /v1beta/ where OpenAI, Anthropic and Google keep something for their callers, or run it for them. */
const families = new Set(
  [
    'assistants batches chatkit containers content_provenance_checks conversations decisions edits evals files fine-tunes',
    'fine_tuning live organization projects skills threads uploads vector_stores videos webhook_endpoints webhook_event_types',
    'agents complete deployment_runs deployments dreams environments memory_stores organizations sessions tunnels user_profiles',
    'vaults auth_tokens cachedContents corpora fileSearchStores interactions operations tunedModels tuningJobs',
  ].flatMap((line) => line.split(' ')),
);

/** Parts of families that are served otherwise. */
const corners = /^\/v1\/(?:audio|chat\/completions|images|messages\/batches|realtime|responses)(?:\/|$)/;

/** What is said to Google by WebSocket: spoken sessions and music. Its own client puts two slashes before it. */
const live = /^\/\/?ws\/google\.ai\.generativelanguage\./;

/** Methods of Google's models that are not served. */
const methods = new Set(
  'asyncBatchEmbedContent batchGenerateContent bidiGenerateContent computeTokens generateAnswer predict predictLongRunning'.split(' '),
);

/**
 * Whether a path that is no route of ours belongs to an API that its callers may well know: it is refused as that, and not as a
 * mistake in an address. Sources: https://platform.openai.com/docs/api-reference, https://docs.anthropic.com/en/api,
 * https://ai.google.dev/api/all-methods, https://ai.google.dev/api/live
 */
function isElsewhere(method: string, path: string): boolean {
  if (/^\/upload\/v1(?:beta)?\//.test(path) || corners.test(path) || live.test(path)) return true;
  const [, version, family = '', name = ''] = path.split('/', 4);
  if (version !== 'v1' && version !== 'v1beta') return false;
  if (family === 'models' && name !== '')
    return method === 'DELETE' || method === 'PATCH' || methods.has(path.slice(path.lastIndexOf(':') + 1));
  return families.has(family.split(':', 1)[0] ?? '');
}

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
  { paths: ['/key/info'], answer: (relay, { caller }) => keyInfoView(relay, caller) },
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
      const caller = await authenticateToRead(relay, call);
      res.json(await answer(relay, { caller, call, name: nameIn(req) }));
    });
    app.all(paths, (req) => {
      const { method, path } = req;
      if (isElsewhere(method, path)) throw new AppError('not_implemented', { method, path });
      if (method === 'POST' && unknownMethod.test(path)) throw wrongPathError(callOf(req), method, path);
      throw new AppError('method_not_allowed', { method, allow: 'GET, HEAD, OPTIONS' });
    });
  }
  for (const [path, routes] of Map.groupBy(storedRoutes, (route) => route.path)) {
    for (const { method, answer } of routes) {
      app[method.toLowerCase() as Lowercase<typeof method>](path, async (req, res) => {
        const call = callOf(req);
        relay.openCalls.enter(call);
        try {
          const caller = await authenticateToRead(relay, call);
          const { id = '', item = '' } = req.params as { id?: string; item?: string };
          const answered = await answer(relay, { caller, call, id, item, query: new URLSearchParams(call.query) });
          if (answered !== undefined) res.json(answered);
        } finally {
          relay.openCalls.leave(call);
        }
      });
    }
    app.all(path, ({ method }) => {
      throw new AppError('method_not_allowed', { method, allow: [...routes.map((route) => route.method), 'OPTIONS'].join(', ') });
    });
  }
  app.all('/v1/realtime', () => {
    throw new AppError('upgrade_needed');
  });
  app.use((req: Request) => {
    const { method, path } = req;
    throw isElsewhere(method, path) ? new AppError('not_implemented', { method, path }) : wrongPathError(callOf(req), method, path);
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const call = callOf(req);
    const told = answerError(res, error instanceof URIError ? unreadableAddress(error) : error, call);
    if (told.status >= 500 && told.code === 'internal_error')
      relay.logger.error({ requestId: call.id, err: error }, 'a call failed for a reason of our own');
    relay.metrics.answered(call, told.status);
    relay.records.failed(call, { status: told.status, error });
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
