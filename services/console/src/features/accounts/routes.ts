import type { accountRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { bindEmail, resetPassword, sendReset, sendTestMail, sendVerification } from './mails.ts';
import { register } from './register.ts';
import { transferInviteQuota } from './transfer.ts';

export function accountHandlers(context: Context): Handlers<typeof accountRoutes> {
  return {
    'GET /api/verification': ({ query, caller, language }) => sendVerification(context, query.email, { caller, language }),
    'POST /api/user/register': ({ body, language }) => register(context, body, language),
    'GET /api/reset_password': ({ query, language }) => sendReset(context, query.email, language),
    'POST /api/user/reset': ({ body }) => resetPassword(context, body),
    'GET /api/oauth/email/bind': ({ query, caller }) => bindEmail(context, query, caller),
    'POST /api/user/aff_transfer': async ({ body, caller }) => {
      await transferInviteQuota(context, body.quota, caller);
      return said(undefined, { en: 'Transferred', zh: '划转成功' });
    },
    'POST /api/option/test_mail': async ({ body, language }) => {
      await sendTestMail(context, body.email, language);
      return said(undefined, { en: 'The test mail was sent', zh: '测试邮件已发送' });
    },
  };
}
