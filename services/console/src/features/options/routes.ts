import type { optionRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { listOptions, resetModelRatio, updateOption, updateOptions } from './service.ts';

export function optionHandlers(context: Context): Handlers<typeof optionRoutes> {
  return {
    'GET /api/option': () => listOptions(context),
    'PUT /api/option': ({ body, caller, language }) => updateOption(context, body, caller, language),
    'PUT /api/option/batch': ({ body, caller, language }) => updateOptions(context, body.options, caller, language),
    'POST /api/option/rest_model_ratio': async ({ caller }) => {
      await resetModelRatio(context, caller);
      return said(undefined, { en: 'Model ratios were reset', zh: '重置模型倍率成功' });
    },
  };
}
