import { listLogsQuery, logFilters, usageDataQuery } from '@tollgate/contracts';
import { callerOf } from '../../auth/caller.ts';
import { languageOf, ok } from '../../http/answer.ts';
import type { Routes } from '../../http/mount.ts';
import { deleteLogsBefore } from './delete.ts';
import { listLogs, listOwnLogs } from './list.ts';
import { ownStat, stat } from './stat.ts';
import { ownUsageData, usageData } from './usage-data.ts';

export const logRoutes = {
  'GET /api/log': async (req, res) => ok(res, await listLogs(listLogsQuery.parse(req.query), languageOf(req))),
  'GET /api/log/stat': async (req, res) => ok(res, await stat(logFilters.parse(req.query))),
  'GET /api/log/self': async (req, res) => ok(res, await listOwnLogs(listLogsQuery.parse(req.query), callerOf(res), languageOf(req))),
  'GET /api/log/self/stat': async (req, res) => ok(res, await ownStat(logFilters.parse(req.query), callerOf(res))),
  'DELETE /api/log': async (req, res) => ok(res, await deleteLogsBefore(Number(req.query.target_timestamp), callerOf(res))),
  'GET /api/data': async (req, res) => ok(res, await usageData(usageDataQuery.parse(req.query))),
  'GET /api/data/self': async (req, res) => ok(res, await ownUsageData(usageDataQuery.parse(req.query), callerOf(res))),
} satisfies Routes;
