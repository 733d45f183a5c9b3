import { createUserBody, listUsersQuery, manageUserBody, updateSelfBody, updateUserBody, userSettingBody } from '@tollgate/contracts';
import { callerOf } from '../../auth/caller.ts';
import { clearSessionCookie, setSessionCookie } from '../../auth/session-cookie.ts';
import type { Context } from '../../context.ts';
import { languageOf, ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { pathId } from '../../http/path-id.ts';
import { affCodeOf, deleteSelf, getSelf, renewAccessToken, updateSelf, updateSetting } from './self.ts';
import { createUser, getUser, listUsers, manageUser, updateUser } from './service.ts';

export function userRoutes(context: Context) {
  return {
    'GET /api/user/self': async (_req, res) => ok(res, await getSelf(context, callerOf(res))),
    'PUT /api/user/self': async (req, res) => {
      const cookie = await updateSelf(context, updateSelfBody.parse(req.body), { caller: callerOf(res), address: req.ip ?? '' });
      if (cookie !== undefined) setSessionCookie(req, res, cookie);
      ok(res);
    },
    'DELETE /api/user/self': async (req, res) => {
      await deleteSelf(context, callerOf(res));
      clearSessionCookie(req, res);
      ok(res);
    },
    'GET /api/user/token': async (_req, res) => ok(res, await renewAccessToken(callerOf(res))),
    'GET /api/user/aff': async (_req, res) => ok(res, await affCodeOf(context, callerOf(res))),
    'PUT /api/user/setting': async (req, res) => {
      await updateSetting(context, userSettingBody.parse(req.body), callerOf(res));
      ok(res, undefined, languageOf(req) === 'zh' ? '设置已更新' : 'Settings updated');
    },
    'GET /api/user': async (req, res) =>
      ok(res, await listUsers(context, listUsersQuery.parse({ ...req.query, keyword: '', group: '' }), callerOf(res))),
    'GET /api/user/search': async (req, res) => ok(res, await listUsers(context, listUsersQuery.parse(req.query), callerOf(res))),
    'GET /api/user/:id': async (req, res) => ok(res, await getUser(context, pathId(req), callerOf(res))),
    'POST /api/user': async (req, res) => {
      await createUser(context, createUserBody.parse(req.body), callerOf(res));
      ok(res);
    },
    'PUT /api/user': async (req, res) => {
      await updateUser(context, updateUserBody.parse(req.body), callerOf(res));
      ok(res);
    },
    'POST /api/user/manage': async (req, res) => ok(res, await manageUser(context, manageUserBody.parse(req.body), callerOf(res))),
    'DELETE /api/user/:id': async (req, res) => {
      await manageUser(context, { id: pathId(req), action: 'delete' }, callerOf(res));
      ok(res);
    },
  } satisfies Routes;
}
