import { loginBody } from '@tollgate/contracts';
import { sessionOf } from '../../auth/authenticate.ts';
import { clearSessionCookie, setSessionCookie } from '../../auth/session-cookie.ts';
import type { Context } from '../../context.ts';
import { languageOf, ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { signIn } from './login.ts';

const factoryPasswordWarning = {
  en: 'The factory password is in use. Change it at once: everybody knows it.',
  zh: '您正在使用默认密码，请立即修改！',
};

export function authRoutes(context: Context) {
  return {
    'POST /api/user/login': async (req, res) => {
      const { view, cookie } = await signIn(context, loginBody.parse(req.body), req.ip ?? '');
      setSessionCookie(req, res, cookie);
      ok(res, view, view.factory_password ? factoryPasswordWarning[languageOf(req)] : '');
    },
    'GET /api/user/logout': async (req, res) => {
      const session = await sessionOf(req, context.sessions);
      if (session) await context.sessions.end(session);
      clearSessionCookie(req, res);
      ok(res);
    },
  } satisfies Routes;
}
