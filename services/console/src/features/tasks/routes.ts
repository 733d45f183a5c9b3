import type { taskRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { conditionalGet } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { listDrawings, listMusic } from './list.ts';

export function taskHandlers(context: Context): Handlers<typeof taskRoutes> {
  return {
    'GET /api/mj': async ({ query, req, res }) => conditionalGet(await listDrawings(context, query), req, res),
    'GET /api/mj/self': async ({ query, caller, req, res }) => conditionalGet(await listDrawings(context, query, caller), req, res),
    'GET /api/task': async ({ query, req, res }) => conditionalGet(await listMusic(query), req, res),
    'GET /api/task/self': async ({ query, caller, req, res }) => conditionalGet(await listMusic(query, caller), req, res),
  };
}
