import { Histogram, metrics } from '@tollgate/runtime';
import { type RequestHandler, Router } from 'express';
import { guard } from '../auth/guards.ts';
import type { Sessions } from '../auth/sessions.ts';
import { type RouteName, routeNames } from '../guard-table.ts';

/** The handlers of a part of the console, by the names that the guard table gives their routes. */
export type Routes = { [Name in RouteName]?: RequestHandler };

/** A router with exactly the routes of the guard table, each behind its guard; a body is read only after the guard. */
export function mount(
  routes: Record<RouteName, RequestHandler>,
  { sessions, readBody }: { sessions: Sessions; readBody: RequestHandler },
): Router {
  const router = Router({ caseSensitive: true });
  for (const name of routeNames) {
    const [method, path] = name.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string];
    const handlers = [timed(name), guard(name, sessions), readBody, routes[name]];
    if (method === 'GET') router.get(path, ...handlers);
    else if (method === 'POST') router.post(path, ...handlers);
    else if (method === 'PUT') router.put(path, ...handlers);
    else router.delete(path, ...handlers);
  }
  return router;
}

const seconds = new Histogram({
  name: 'console_request_seconds',
  help: 'How long requests to the API took, by route and HTTP status',
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  registers: [metrics],
});

function timed(route: RouteName): RequestHandler {
  return (_req, res, next) => {
    const begin = performance.now();
    res.once('finish', () => seconds.observe({ route, status: res.statusCode }, (performance.now() - begin) / 1000));
    next();
  };
}
