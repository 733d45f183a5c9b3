import type { budgetRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { budgetHistory, nearBudgets } from './history.ts';
import { createBudget, deleteBudget, getBudget, listBudgets, listOwnBudgets, updateBudget } from './service.ts';

export function budgetHandlers(context: Context): Handlers<typeof budgetRoutes> {
  return {
    'GET /api/budget/self': ({ query, caller }) => listOwnBudgets(context, query, caller),
    'GET /api/budget': ({ query, caller }) => listBudgets(context, query, caller),
    'GET /api/budget/near': ({ query }) => nearBudgets(query.near),
    'GET /api/budget/:id': ({ params, caller }) => getBudget(context, params.id, caller),
    'GET /api/budget/:id/history': ({ params, query, caller }) => budgetHistory(params.id, query.user_id, caller),
    'POST /api/budget': ({ body, caller }) => createBudget(context, body, caller),
    'PUT /api/budget': ({ body, caller }) => updateBudget(context, body, caller),
    'DELETE /api/budget/:id': ({ params, caller }) => deleteBudget(context, params.id, caller),
  };
}
