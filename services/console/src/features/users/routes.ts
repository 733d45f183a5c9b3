import type { userRoutes } from '@tollgate/contracts';
import { clearSessionCookie, setSessionCookie } from '../../auth/sessions.ts';
import { visitOf } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { said, undoable } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { affCodeOf, deleteSelf, getSelf, renewAccessToken, testWebhook, updateSelf, updateSetting } from './self.ts';
import { createUser, getUser, listUsers, manageUser, updateUser } from './service.ts';

export function userHandlers(context: Context): Handlers<typeof userRoutes> {
  return {
    'GET /api/user/self': ({ caller }) => getSelf(context, caller),
    'PUT /api/user/self': async ({ body, caller, address, req, res }) => {
      const cookie = await updateSelf(context, body, { caller, visit: visitOf({ address, req }) });
      if (cookie !== undefined) setSessionCookie(req, res, cookie);
    },
    'DELETE /api/user/self': async ({ caller, req, res }) => {
      await deleteSelf(context, caller);
      clearSessionCookie(req, res);
    },
    'GET /api/user/token': ({ caller }) => renewAccessToken(caller),
    'GET /api/user/aff': ({ caller }) => affCodeOf(context, caller),
    'PUT /api/user/setting': async ({ body, caller, language }) => {
      await updateSetting(context, body, caller, language);
      return said(undefined, { en: 'Settings updated', zh: '设置已更新' });
    },
    'POST /api/user/setting/test': async ({ body, caller, language }) => {
      await testWebhook(context, body, caller, language);
      return said(undefined, { en: 'The test notice was sent', zh: '测试通知已发送' });
    },
    'GET /api/user': ({ query, caller }) => listUsers(context, { ...query, keyword: '', group: '' }, caller),
    'GET /api/user/search': ({ query, caller }) => listUsers(context, query, caller),
    'GET /api/user/:id': ({ params, caller }) => getUser(context, params.id, caller),
    'POST /api/user': ({ body, caller }) => createUser(context, body, caller),
    'PUT /api/user': ({ body, caller }) => updateUser(context, body, caller),
    'POST /api/user/manage': ({ body, caller }) => manageUser(context, body, caller),
    'DELETE /api/user/:id': async ({ params, caller }) => {
      const { undo } = await manageUser(context, { id: params.id, action: 'delete' }, caller);
      return undoable(undefined, undo);
    },
  };
}
