import {
  auditView,
  budgetView,
  channelView,
  drawingView,
  type exportRoutes,
  logView,
  managedOrderView,
  orderView,
  redemptionView,
  taskView,
  tokenView,
  userView,
} from '@tollgate/contracts';
import type { Context } from '../../context.ts';
import { sendExport } from '../../http/export.ts';
import type { Handlers } from '../../http/handlers.ts';
import { auditRows } from '../audit/list.ts';
import { budgetRows } from '../budgets/service.ts';
import { channelRows } from '../channels/list.ts';
import { logRows, ownLogRows } from '../logs/list.ts';
import { orderRows, ownOrderRows } from '../orders/service.ts';
import { redemptionRows } from '../redemption/service.ts';
import { drawingRows, musicRows } from '../tasks/list.ts';
import { tokenRows } from '../tokens/service.ts';
import { userRows } from '../users/service.ts';

/** The columns of a view; what a form needs to send a row back is no use in a file. */
function columnsOf<Shape extends object>(view: { shape: Shape }, ...without: (keyof Shape & string)[]): (keyof Shape & string)[] {
  const left: string[] = [...without, 'version', 'quota_shown'];
  return (Object.keys(view.shape) as (keyof Shape & string)[]).filter((name) => !left.includes(name));
}

/** Each list whole, as its own feature finds and shows it. */
export function exportHandlers(context: Context): Handlers<typeof exportRoutes> {
  return {
    'GET /api/log/export': async ({ query, language, res }) => {
      const rows = await logRows(query, language);
      await sendExport(res, { name: 'logs', format: query.format, columns: columnsOf(logView), rows });
    },
    'GET /api/log/self/export': async ({ query, caller, language, res }) => {
      const rows = await ownLogRows(query, caller, language);
      await sendExport(res, { name: 'logs', format: query.format, columns: columnsOf(logView, 'channel', 'channel_name'), rows });
    },
    'GET /api/user/export': ({ query, caller, res }) =>
      sendExport(res, {
        name: 'users',
        format: query.format,
        columns: columnsOf(userView, 'password'),
        rows: userRows(context, query, caller),
      }),
    'GET /api/token/export': async ({ query, caller, res }) => {
      const rows = await tokenRows(context, query, caller);
      await sendExport(res, { name: 'tokens', format: query.format, columns: columnsOf(tokenView, 'key'), rows });
    },
    'GET /api/channel/export': ({ query, res }) =>
      sendExport(res, { name: 'channels', format: query.format, columns: columnsOf(channelView), rows: channelRows(query) }),
    'GET /api/redemption/export': async ({ query, res }) => {
      const rows = await redemptionRows(query);
      await sendExport(res, { name: 'codes', format: query.format, columns: columnsOf(redemptionView, 'count'), rows });
    },
    'GET /api/budget/export': ({ query, caller, res }) =>
      sendExport(res, {
        name: 'budgets',
        format: query.format,
        columns: columnsOf(budgetView),
        rows: budgetRows(context, query, caller),
      }),
    'GET /api/order/export': async ({ query, res }) => {
      const rows = await orderRows(query);
      await sendExport(res, { name: 'orders', format: query.format, columns: columnsOf(managedOrderView), rows });
    },
    'GET /api/order/self/export': ({ query, caller, res }) =>
      sendExport(res, { name: 'orders', format: query.format, columns: columnsOf(orderView), rows: ownOrderRows(caller) }),
    'GET /api/mj/export': ({ query, res }) =>
      sendExport(res, { name: 'drawings', format: query.format, columns: columnsOf(drawingView), rows: drawingRows(context, query) }),
    'GET /api/mj/self/export': ({ query, caller, res }) =>
      sendExport(res, {
        name: 'drawings',
        format: query.format,
        columns: columnsOf(drawingView, 'channel_id'),
        rows: drawingRows(context, query, caller),
      }),
    'GET /api/task/export': ({ query, res }) =>
      sendExport(res, { name: 'music', format: query.format, columns: columnsOf(taskView), rows: musicRows(query) }),
    'GET /api/task/self/export': ({ query, caller, res }) =>
      sendExport(res, { name: 'music', format: query.format, columns: columnsOf(taskView, 'channel_id'), rows: musicRows(query, caller) }),
    'GET /api/audit/export': ({ query, res }) =>
      sendExport(res, { name: 'audit', format: query.format, columns: columnsOf(auditView), rows: auditRows(query) }),
  };
}
