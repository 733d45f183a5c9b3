import type { statusRoutes } from '@tollgate/contracts';
import { pingDatabase } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { statusView } from './views.ts';

export function statusHandlers({ options, startedAt }: Pick<Context, 'options' | 'startedAt'>): Handlers<typeof statusRoutes> {
  return {
    'GET /api/status': () => statusView(options.values, startedAt),
    'GET /api/status/test': async () => {
      await pingDatabase();
      return said(undefined, { en: 'Server is running', zh: '服务器正在运行' });
    },
    'GET /api/notice': () => options.values.Notice,
    'GET /api/about': () => options.values.About,
    'GET /api/home_page_content': () => options.values.HomePageContent,
  };
}
