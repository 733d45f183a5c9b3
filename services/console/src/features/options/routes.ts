import type { optionRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { isNewAddressSeen } from './lock-out.ts';
import { listOptions, resetModelRatio, updateOption, updateOptions } from './service.ts';

export function optionHandlers(context: Context): Handlers<typeof optionRoutes> {
  return {
    'GET /api/option': async ({ caller, language, req }) => {
      if (isNewAddressSeen(context, req.host))
        await updateOptions(context, [{ key: 'FormerServerAddress', value: null }], {
          actor: caller,
          language,
          host: req.host,
          confirm: true,
        });
      return listOptions(context);
    },
    'PUT /api/option': ({ body, caller, language, req }) =>
      updateOption(context, body, { actor: caller, language, host: req.host, confirm: body.confirm }),
    'PUT /api/option/batch': ({ body, caller, language, req }) =>
      updateOptions(context, body.options, { actor: caller, language, host: req.host, confirm: body.confirm }),
    'POST /api/option/rest_model_ratio': async ({ query, caller, language }) => {
      await resetModelRatio(context, { actor: caller, language, confirm: query.confirm });
      return said(undefined, { en: 'Model ratios were reset', zh: '重置模型倍率成功' });
    },
  };
}
