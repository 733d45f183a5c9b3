import { updateOptionBody } from '@tollgate/contracts';
import { callerOf } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { languageOf, ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { listOptions, resetModelRatio, updateOption } from './service.ts';

export function optionRoutes(context: Context) {
  return {
    'GET /api/option': async (_req, res) => ok(res, await listOptions(context)),
    'PUT /api/option': async (req, res) => {
      await updateOption(context, updateOptionBody.parse(req.body), callerOf(res), languageOf(req));
      ok(res);
    },
    'POST /api/option/rest_model_ratio': async (req, res) => {
      await resetModelRatio(context, callerOf(res));
      ok(res, undefined, languageOf(req) === 'zh' ? '重置模型倍率成功' : 'Model ratios were reset');
    },
  } satisfies Routes;
}
