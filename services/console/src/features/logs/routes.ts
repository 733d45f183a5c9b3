import type { logRoutes, usageDataRoutes } from '@tollgate/contracts';
import type { Handlers } from '../../http/handlers.ts';
import { deleteLogsBefore } from './delete.ts';
import { listLogs, listOwnLogs } from './list.ts';
import { ownStat, stat } from './stat.ts';
import { ownUsageData, usageData } from './usage-data.ts';

export const logHandlers: Handlers<typeof logRoutes & typeof usageDataRoutes> = {
  'GET /api/log': ({ query, language }) => listLogs(query, language),
  'GET /api/log/stat': ({ query }) => stat(query),
  'GET /api/log/self': ({ query, caller, language }) => listOwnLogs(query, caller, language),
  'GET /api/log/self/stat': ({ query, caller }) => ownStat(query, caller),
  'DELETE /api/log': ({ query, caller }) => deleteLogsBefore(query.target_timestamp, caller),
  'GET /api/data': ({ query }) => usageData(query),
  'GET /api/data/self': ({ query, caller }) => ownUsageData(query, caller),
};
