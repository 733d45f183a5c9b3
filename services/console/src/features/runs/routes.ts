import type { runRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { changeRun, listRuns, openOwnRun, runDetailOf } from './service.ts';

export function runHandlers(context: Context): Handlers<typeof runRoutes> {
  return {
    'GET /api/run/self': ({ query, caller }) => listRuns(context, query, { userId: caller.id }),
    'GET /api/run': ({ query }) => listRuns(context, query, {}),
    'GET /api/run/detail': ({ query, caller }) => runDetailOf(context, query.id, caller),
    'POST /api/run': ({ body, caller }) => openOwnRun(context, body, caller),
    'PUT /api/run': ({ body, caller }) => changeRun(context, body, caller),
  };
}
