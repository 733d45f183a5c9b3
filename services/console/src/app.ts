import { type Routes, routes } from '@tollgate/contracts';
import { AppError, type DatastoreWatch, type ProxyWatch, plainForwardedFor } from '@tollgate/runtime';
import express, { type Express } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { guardWith, refuseOtherOrigins } from './auth/guards.ts';
import { routeLimits, within } from './auth/limits.ts';
import { turnstile } from './auth/turnstile.ts';
import type { Context } from './context.ts';
import { accountHandlers } from './features/accounts/routes.ts';
import { auditHandlers } from './features/audit/routes.ts';
import { budgetHandlers } from './features/budgets/routes.ts';
import { catalogHandlers } from './features/catalog/routes.ts';
import { channelHandlers } from './features/channels/routes.ts';
import { exportHandlers } from './features/exports/routes.ts';
import { importHandlers } from './features/imports/routes.ts';
import { jobHandlers } from './features/jobs/routes.ts';
import { logHandlers } from './features/logs/routes.ts';
import { openApiHandlers } from './features/openapi/routes.ts';
import { optionHandlers } from './features/options/routes.ts';
import { orderHandlers } from './features/orders/routes.ts';
import { ownAccountHandlers } from './features/own-account/routes.ts';
import { pricingHandlers } from './features/pricing/routes.ts';
import { redemptionHandlers } from './features/redemption/routes.ts';
import { runHandlers } from './features/runs/routes.ts';
import { signInHandlers } from './features/sign-in/routes.ts';
import { statusHandlers } from './features/status/routes.ts';
import { systemHandlers } from './features/system/routes.ts';
import { taskHandlers } from './features/tasks/routes.ts';
import { thirdPartyHandlers } from './features/third-party/routes.ts';
import { browserOf } from './features/third-party/states.ts';
import { tokenHandlers } from './features/tokens/routes.ts';
import { undoHandlers } from './features/undo/routes.ts';
import { userHandlers } from './features/users/routes.ts';
import { packedJson, requestId } from './http/answer.ts';
import { jsonBody } from './http/body.ts';
import { errorHandler, unknownPath } from './http/error-handler.ts';
import type { Handlers } from './http/handlers.ts';
import { networkOf, refuseUnknownHosts, type TrustedPeers } from './http/known-hosts.ts';
import { mount } from './http/mount.ts';
import { nonceOf, security } from './http/security.ts';
import { webPages } from './http/web-pages.ts';
import { pagesWhileAway, type Refusals } from './http/while-away.ts';

export interface AppOptions {
  proxies: ProxyWatch;
  isTrusted: TrustedPeers;
  /** Host names that the console answers to, besides those it knows. */
  hosts: readonly string[];
  /** '' serves no pages. */
  webDirectory: string;
  /** Per address, to /api; 0 is no limit. */
  requestsPerMinute: number;
  /** Where a solved Turnstile is verified. */
  turnstileAddress: string;
  datastores: Pick<DatastoreWatch, 'away'>;
  refusals: Refusals;
}

const bodyLimit = 2 << 20;

/** The console as an Express app: the API as its contract says, the web pages, and nothing else. */
export function createApp(context: Context, options: AppOptions): Express {
  const { isTrusted, hosts, webDirectory, requestsPerMinute, turnstileAddress, datastores, refusals, proxies } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', (address: string) => isTrusted(address));
  app.set('query parser', 'simple');
  app.set('etag', false);
  const siteAddress = () => context.options.values.ServerAddress;
  app.use(
    plainAddresses(proxies),
    requestId,
    security(() => context.options.values),
    refuseUnknownHosts(hosts, () => [siteAddress(), context.options.values.FormerServerAddress]),
  );
  app.use('/api', refusals.api(datastores.away), packedJson, noStore, refuseOtherOrigins(siteAddress), requestLimit(requestsPerMinute));
  const guard = guardWith({
    sessions: context.sessions,
    limit: routeLimits(context.redis),
    checkTurnstile: turnstile(context.egressByOrigin.services, () => context.options.values, turnstileAddress),
    takeState: async (req) => (await context.states.take(browserOf(req), String(req.query.state ?? ''))) !== undefined,
  });
  app.use(
    mount(routes, handlersOf(context), { guard, readBody: jsonBody({ limit: bodyLimit, signedPaths: ['/api/user/stripe/webhook'] }) }),
  );
  if (webDirectory !== '') app.use(pagesWhileAway(datastores.away), webPages(webDirectory, nonceOf));
  app.use((req, res) => void res.status(404).json(unknownPath(req)));
  app.use(errorHandler(context.log));
  return app;
}

/** One for each route of the contract; it does not compile while one is missing. */
function handlersOf(context: Context): Handlers<Routes> {
  return {
    ...statusHandlers(context),
    ...systemHandlers(context),
    ...signInHandlers(context),
    ...accountHandlers(context),
    ...thirdPartyHandlers(context),
    ...ownAccountHandlers(context),
    ...userHandlers(context),
    ...pricingHandlers(context),
    ...catalogHandlers(context),
    ...tokenHandlers(context),
    ...budgetHandlers(context),
    ...runHandlers(context),
    ...redemptionHandlers(context),
    ...orderHandlers(context),
    ...channelHandlers(context),
    ...logHandlers(context),
    ...taskHandlers(context),
    ...optionHandlers(context),
    ...jobHandlers(context),
    ...importHandlers(context),
    ...auditHandlers,
    ...undoHandlers(context),
    ...exportHandlers(context),
    ...openApiHandlers,
  };
}

function requestLimit(requestsPerMinute: number): express.RequestHandler {
  if (requestsPerMinute === 0) return (_req, _res, next) => next();
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 });
  return async (req, _res, next) => {
    if (req.ip === undefined) throw new AppError('internal_error'); // the caller has left
    await within(limiter.consume(networkOf(req.ip)));
    next();
  };
}

const noStore: express.RequestHandler = (_req, res, next) => {
  res.setHeader('cache-control', 'no-store');
  next();
};

/** Before anything asks for the caller's address. */
function plainAddresses(proxies: ProxyWatch): express.RequestHandler {
  return (req, _res, next) => {
    proxies.saw(req);
    const forwarded = req.headers['x-forwarded-for'];
    if (forwarded !== undefined) req.headers['x-forwarded-for'] = plainForwardedFor(String(forwarded));
    next();
  };
}
