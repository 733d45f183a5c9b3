import type { logRoutes, usageDataRoutes } from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { listDearest } from '../../jobs/list-dearest.ts';
import { deleteLogsBefore } from './delete.ts';
import { listLogs, listOwnLogs } from './list.ts';
import { listLogsOfKey, searchLogs, searchOwnLogs } from './search.ts';
import { ownStat, stat } from './stat.ts';
import { usageDataOf } from './usage-data.ts';

/** What counts from now counts by Redis's clock, as the rows do. */
export function logHandlers({ wallet, options, jobs, log }: Context): Handlers<typeof logRoutes & typeof usageDataRoutes> {
  const { usageData, ownUsageData } = usageDataOf({
    options,
    nowMs: () => wallet.time(),
    listDays: () => void jobs.start(listDearest, {}).catch((error) => log.warn({ error }, 'the dearest are listed at the next hour')),
  });
  return {
    'GET /api/log': ({ query, language }) => listLogs(query, language),
    'GET /api/log/search': ({ query, language }) => searchLogs(query, language),
    'GET /api/log/self/search': ({ query, caller, language }) => searchOwnLogs(query, caller, language),
    'GET /api/log/token': ({ query, language, address, req }) =>
      listLogsOfKey({ ...query, header: req.headers.authorization, address }, wallet.time(), language),
    'GET /api/log/stat': ({ query }) => stat(query, wallet.time()),
    'GET /api/log/self': ({ query, caller, language }) => listOwnLogs(query, caller, language),
    'GET /api/log/self/stat': ({ query, caller }) => ownStat(query, caller, wallet.time()),
    'DELETE /api/log': ({ query, caller }) => deleteLogsBefore(query.target_timestamp, caller, wallet.time()),
    'GET /api/data': ({ query }) => usageData(query),
    'GET /api/data/self': ({ query, caller }) => ownUsageData(query, caller),
  };
}
