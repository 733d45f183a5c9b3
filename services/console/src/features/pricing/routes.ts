import { channelTypes, type pricingRoutes } from '@tollgate/contracts';
import type { Handlers } from '../../http/handlers.ts';
import { pricedGroups, usableGroups } from './groups.ts';
import { modelsIn, type PricingContext, pricing } from './service.ts';

const modelsByType = Object.fromEntries(channelTypes.filter(({ models }) => models.length > 0).map(({ type, models }) => [type, models]));

export function pricingHandlers(context: PricingContext): Handlers<typeof pricingRoutes> {
  const { options } = context;
  return {
    'GET /api/pricing': ({ caller, language }) => pricing(context, { ownGroup: caller?.group, language }),
    'GET /api/models': () => modelsByType,
    'GET /api/group': () => Object.keys(options.values.GroupRatio),
    'GET /api/user/groups': ({ language }) => pricedGroups(options.values, { ownGroup: undefined, language }),
    'GET /api/user/self/groups': ({ caller, language }) => pricedGroups(options.values, { ownGroup: caller.group, language }),
    'GET /api/user/models': ({ caller, language }) =>
      modelsIn(Object.keys(usableGroups(options.values, { ownGroup: caller.group, language })), context),
  };
}
