import { channelTypes } from '@tollgate/contracts';
import { callerBySession } from '../../auth/authenticate.ts';
import { callerOf } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { pricedGroups, usableGroups } from './groups.ts';
import { modelsIn } from './offered-models.ts';
import { pricing } from './pricing.ts';

const modelsByType = Object.fromEntries(channelTypes.filter(({ models }) => models.length > 0).map(({ type, models }) => [type, models]));

export function pricingRoutes({ options, sessions }: Context) {
  return {
    'GET /api/pricing': async (req, res) => {
      const visitor = await callerBySession(req, sessions);
      res.json({ success: true, message: '', ...(await pricing(options.values, visitor?.group)) });
    },
    'GET /api/models': (_req, res) => ok(res, modelsByType),
    'GET /api/group': (_req, res) => ok(res, Object.keys(options.values.GroupRatio)),
    'GET /api/user/groups': (_req, res) => ok(res, pricedGroups(options.values)),
    'GET /api/user/self/groups': (_req, res) => ok(res, pricedGroups(options.values, callerOf(res).group)),
    'GET /api/user/models': async (_req, res) =>
      ok(res, await modelsIn(Object.keys(usableGroups(options.values, callerOf(res).group)), options.values)),
  } satisfies Routes;
}
