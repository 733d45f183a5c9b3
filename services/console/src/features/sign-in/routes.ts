import { loginBody } from '@tollgate/contracts';
import { parseCookie } from 'cookie';
import { sessionOf } from '../../auth/authenticate.ts';
import { deviceCookie, setDeviceCookie } from '../../auth/devices.ts';
import { clearSessionCookie, setSessionCookie } from '../../auth/session-cookie.ts';
import type { Context } from '../../context.ts';
import { languageOf, ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { signIn } from './login.ts';

const factoryPasswordWarning = {
  en: 'The factory password is in use. Change it at once: everybody knows it.',
  zh: '您正在使用默认密码，请立即修改！',
};
const firstPasswordWarning = {
  en: 'This password was made for the first sign-in. Choose your own now.',
  zh: '您正在使用初始密码，请立即修改！',
};

export function authRoutes(context: Context) {
  return {
    'POST /api/user/login': async (req, res) => {
      const device = context.devices.find(parseCookie(req.headers.cookie ?? '')[deviceCookie]);
      const signedIn = await signIn(context, loginBody.parse(req.body), { address: req.ip ?? '', device });
      const { view } = signedIn;
      setSessionCookie(req, res, signedIn.cookie);
      setDeviceCookie(req, res, signedIn.deviceCookie);
      const warning = context.isLocalOnly ? factoryPasswordWarning : firstPasswordWarning;
      ok(res, view, view.factory_password ? warning[languageOf(req)] : '');
    },
    'GET /api/user/logout': async (req, res) => {
      const session = await sessionOf(req, context.sessions);
      if (session) await context.sessions.end(session);
      clearSessionCookie(req, res);
      ok(res);
    },
  } satisfies Routes;
}
