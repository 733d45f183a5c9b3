import type { signInRoutes } from '@tollgate/contracts';
import { parseCookie } from 'cookie';
import { sessionOf } from '../../auth/authenticate.ts';
import { deviceCookie, setDeviceCookie } from '../../auth/devices.ts';
import { clearSessionCookie } from '../../auth/sessions.ts';
import { visitOf } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { answerEntered } from './enter.ts';
import { signIn } from './service.ts';

const defaultPasswordWarning = {
  en: 'You are using the default password, which is publicly known. Change it now.',
  zh: '您正在使用默认密码，请立即修改！',
};
const temporaryPasswordWarning = {
  en: 'This password is temporary. Set your own password now.',
  zh: '您正在使用临时密码，请立即修改！',
};

export function signInHandlers(context: Context): Handlers<typeof signInRoutes> {
  return {
    'POST /api/user/login': async ({ body, address, req, res }) => {
      const device = context.devices.find(parseCookie(req.headers.cookie ?? '')[deviceCookie]);
      const { deviceCookie: known, ...entered } = await signIn(context, body, { visit: visitOf({ address, req }), device });
      const answer = answerEntered({ req, res }, entered);
      setDeviceCookie(req, res, known);
      const view = answer.data;
      if ('require_2fa' in view || !view.factory_password) return answer;
      return said(view, view.temporary_password ? temporaryPasswordWarning : defaultPasswordWarning);
    },
    'GET /api/user/logout': async ({ req, res }) => {
      const session = await sessionOf(req, context.sessions);
      if (session) await context.sessions.end(session);
      clearSessionCookie(req, res);
    },
  };
}
