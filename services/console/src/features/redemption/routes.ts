import type { redemptionRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { redeem } from './redeem.ts';
import { createRedemptions, deleteRedemption, getRedemption, listRedemptions, updateRedemption } from './service.ts';

export function redemptionHandlers(context: Pick<Context, 'wallet' | 'options'>): Handlers<typeof redemptionRoutes> {
  return {
    'POST /api/user/topup': ({ body, caller }) => redeem(context, body, caller),
    'GET /api/redemption': ({ query }) => listRedemptions({ ...query, keyword: '' }),
    'GET /api/redemption/search': ({ query }) => listRedemptions(query),
    'GET /api/redemption/:id': ({ params }) => getRedemption(params.id),
    'POST /api/redemption': ({ body, caller }) => createRedemptions(context, body, caller),
    'PUT /api/redemption': ({ query, body, caller }) => {
      const { id, status } = body;
      return updateRedemption(query.status_only ? { id, status } : body, caller);
    },
    'DELETE /api/redemption/:id': ({ params, caller }) => deleteRedemption(params.id, caller),
  };
}
