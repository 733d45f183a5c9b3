import { accountRoutes } from './api/account.ts';
import { auditRoutes } from './api/audit.ts';
import { budgetRoutes } from './api/budget.ts';
import { catalogRoutes } from './api/catalog.ts';
import { channelRoutes } from './api/channel.ts';
import { channelStatsRoutes } from './api/channel-stats.ts';
import { exportRoutes } from './api/export.ts';
import { importRoutes } from './api/import.ts';
import { jobRoutes } from './api/job.ts';
import { logRoutes } from './api/log.ts';
import { openApiRoutes } from './api/openapi.ts';
import { optionRoutes } from './api/option.ts';
import { orderRoutes } from './api/order.ts';
import { ownAccountRoutes } from './api/own-account.ts';
import { pricingRoutes } from './api/pricing.ts';
import { redemptionRoutes } from './api/redemption.ts';
import type * as part from './api/route.ts';
import { runRoutes } from './api/run.ts';
import { statusRoutes } from './api/status.ts';
import { systemRoutes } from './api/system.ts';
import { taskRoutes } from './api/task.ts';
import { thirdPartyRoutes } from './api/third-party.ts';
import { tokenRoutes } from './api/token.ts';
import { undoRoutes } from './api/undo.ts';
import { usageDataRoutes } from './api/usage-data.ts';
import { signInRoutes, userRoutes } from './api/user.ts';

/**
 * Every route of the console; what does not stand here does not exist. Guard, parser, answers' check, API document and the web's calls
 * come from it. The web imports its types only, so that no schema of another page is loaded. Both forms of a trailing slash are answered.
 */
export const routes = {
  ...statusRoutes,
  ...signInRoutes,
  ...accountRoutes,
  ...thirdPartyRoutes,
  ...ownAccountRoutes,
  ...userRoutes,
  ...pricingRoutes,
  ...catalogRoutes,
  ...tokenRoutes,
  ...budgetRoutes,
  ...runRoutes,
  ...redemptionRoutes,
  ...orderRoutes,
  ...channelStatsRoutes,
  ...channelRoutes,
  ...logRoutes,
  ...usageDataRoutes,
  ...taskRoutes,
  ...optionRoutes,
  ...jobRoutes,
  ...importRoutes,
  ...systemRoutes,
  ...auditRoutes,
  ...undoRoutes,
  ...exportRoutes,
  ...openApiRoutes,
};

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export const routeNames = Object.keys(routes) as RouteName[];
/** What a caller of a route sends, and what he gets: of `data`, or the fields beside `success`. */
export type SentTo<Name extends RouteName> = part.Sent<Routes[Name], Name>;
export type AnswerTo<Name extends RouteName> = part.AnswerOf<Routes[Name]>;
