import { createTokenBody, listTokensQuery, updateTokenBody } from '@tollgate/contracts';
import { callerOf } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { pathId } from '../../http/path-id.ts';
import { createToken, deleteToken, getToken, listTokens, updateToken } from './service.ts';

const statusOnlyBody = updateTokenBody.pick({ id: true, status: true });

export function tokenRoutes(context: Context) {
  return {
    'GET /api/token': async (req, res) => ok(res, await listTokens(context, listTokensQuery.parse(req.query), callerOf(res))),
    'GET /api/token/search': async (req, res) => ok(res, await listTokens(context, listTokensQuery.parse(req.query), callerOf(res))),
    'GET /api/token/:id': async (req, res) => ok(res, await getToken(context, pathId(req), callerOf(res))),
    'POST /api/token': async (req, res) => ok(res, await createToken(context, createTokenBody.parse(req.body), callerOf(res))),
    'PUT /api/token': async (req, res) => {
      const body = req.query.status_only ? statusOnlyBody.parse(req.body) : updateTokenBody.parse(req.body);
      ok(res, await updateToken(context, body, callerOf(res)));
    },
    'DELETE /api/token/:id': async (req, res) => {
      await deleteToken(context, pathId(req), callerOf(res));
      ok(res);
    },
  } satisfies Routes;
}
