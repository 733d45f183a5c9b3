import type { signInRoutes } from '@tollgate/contracts';
import { parseCookie } from 'cookie';
import { sessionOf } from '../../auth/authenticate.ts';
import { deviceCookie, setDeviceCookie } from '../../auth/devices.ts';
import { clearSessionCookie, setSessionCookie } from '../../auth/session-cookie.ts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { signIn } from './service.ts';

const factoryPasswordWarning = {
  en: 'The factory password is in use. Change it at once: everybody knows it.',
  zh: '您正在使用默认密码，请立即修改！',
};
const firstPasswordWarning = {
  en: 'This password was made for the first sign-in. Choose your own now.',
  zh: '您正在使用初始密码，请立即修改！',
};

export function signInHandlers(context: Context): Handlers<typeof signInRoutes> {
  return {
    'POST /api/user/login': async ({ body, address, req, res }) => {
      const device = context.devices.find(parseCookie(req.headers.cookie ?? '')[deviceCookie]);
      const { view, ...signedIn } = await signIn(context, body, { address, device });
      setSessionCookie(req, res, signedIn.cookie);
      setDeviceCookie(req, res, signedIn.deviceCookie);
      if (!view.factory_password) return view;
      return said(view, context.isLocalOnly ? factoryPasswordWarning : firstPasswordWarning);
    },
    'GET /api/user/logout': async ({ req, res }) => {
      const session = await sessionOf(req, context.sessions);
      if (session) await context.sessions.end(session);
      clearSessionCookie(req, res);
    },
  };
}
