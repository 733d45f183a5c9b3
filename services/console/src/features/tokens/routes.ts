import type { tokenRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { deleteToken, deleteTokens, patchTokens } from './bulk.ts';
import { createChild } from './child.ts';
import { createTokens, getToken, listTokens, updateToken } from './service.ts';

export function tokenHandlers(context: Context): Handlers<typeof tokenRoutes> {
  return {
    'GET /api/token': ({ query, caller }) => listTokens(context, query, caller),
    'GET /api/token/search': ({ query, caller }) => listTokens(context, query, caller),
    'GET /api/token/:id': ({ params, caller }) => getToken(context, params.id, caller),
    'POST /api/token': ({ body, caller }) => createTokens(context, body, caller),
    'POST /api/token/child': ({ body, address, req }) => createChild(context, body, { key: keyIn(req.headers.authorization), address }),
    'PUT /api/token/batch': ({ body, caller }) => patchTokens(context, body, caller),
    'POST /api/token/batch': ({ body, caller }) => deleteTokens(context, body, caller),
    'PUT /api/token': ({ query, body, caller }) => {
      const { id, status } = body;
      return updateToken(context, query.status_only ? { id, status } : body, caller);
    },
    'DELETE /api/token/:id': ({ params, caller }) => deleteToken(context, params.id, caller),
  };
}

/** The key in `Authorization: Bearer sk-...`. */
function keyIn(authorization = ''): string {
  return authorization
    .replace(/^Bearer /i, '')
    .trim()
    .replace(/^sk-/, '');
}
