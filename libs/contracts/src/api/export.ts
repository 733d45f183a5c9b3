import { z } from 'zod';
import { listAuditQuery } from './audit.ts';
import { listBudgetsQuery } from './budget.ts';
import { listChannelsQuery } from './channel-bodies.ts';
import { pageQuery, queryZone } from './common.ts';
import { logFilters } from './log.ts';
import { listOrdersQuery } from './order.ts';
import { listRedemptionsQuery } from './redemption.ts';
import { route } from './route.ts';
import { listDrawingsQuery, listTasksQuery } from './task.ts';
import { listTokensQuery } from './token.ts';
import { listUsersQuery } from './user.ts';

/**
 * How rows are written. CSV is for people: headings in the language of the request, times with the offset of `zone`, dollars beside quota.
 * JSON has the fields of the list as they are.
 */
export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];
const format = { format: z.enum(exportFormats).default('csv'), zone: queryZone };

const paging = { p: true, page_size: true, size: true } as const;

function exportOf<Query extends z.ZodObject>(what: string, query: Query) {
  return {
    summary: `${what}, all rows that the filters leave, as CSV or JSON`,
    query,
    raw: ['text/csv', 'application/json'] as const,
  };
}

/** Whole lists as files, under the filters and the rights of the lists. Keys of channels and tokens are in none of them. */
export const exportRoutes = {
  'GET /api/log/export': route({
    ...exportOf('The log of all users', logFilters.extend(format)),
    access: 'admin',
    example: { query: { type: 2, format: 'csv' } },
  }),
  'GET /api/log/self/export': route({ ...exportOf('The own log', logFilters.extend(format)), access: 'user' }),
  'GET /api/user/export': route({ ...exportOf('Users', listUsersQuery.omit(paging).extend(format)), access: 'admin' }),
  'GET /api/token/export': route({
    ...exportOf('The own tokens, without keys', listTokensQuery.omit(paging).extend(format)),
    access: 'user',
  }),
  'GET /api/channel/export': route({
    ...exportOf('Channels, without keys', listChannelsQuery.omit(paging).extend(format)),
    access: 'admin',
  }),
  'GET /api/redemption/export': route({
    ...exportOf('Redemption codes', listRedemptionsQuery.omit(paging).extend(format)),
    access: 'admin',
  }),
  'GET /api/budget/export': route({
    ...exportOf('Budgets with what is used of them', listBudgetsQuery.omit(paging).extend(format)),
    access: 'user',
  }),
  'GET /api/order/export': route({ ...exportOf('Orders of all users', listOrdersQuery.omit(paging).extend(format)), access: 'admin' }),
  'GET /api/order/self/export': route({ ...exportOf('The own orders', pageQuery.omit(paging).extend(format)), access: 'user' }),
  'GET /api/mj/export': route({ ...exportOf('Drawings of all users', listDrawingsQuery.omit(paging).extend(format)), access: 'admin' }),
  'GET /api/mj/self/export': route({ ...exportOf('The own drawings', listDrawingsQuery.omit(paging).extend(format)), access: 'user' }),
  'GET /api/task/export': route({ ...exportOf('Music of all users', listTasksQuery.omit(paging).extend(format)), access: 'admin' }),
  'GET /api/task/self/export': route({ ...exportOf('The own music', listTasksQuery.omit(paging).extend(format)), access: 'user' }),
  'GET /api/audit/export': route({
    ...exportOf('What administrators changed', listAuditQuery.omit(paging).extend(format)),
    access: 'root',
  }),
};
