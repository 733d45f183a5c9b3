import {
  auditView,
  budgetView,
  channelView,
  drawingView,
  type ExportFormat,
  type exportRoutes,
  isoTime,
  type Language,
  type LogFilters,
  type LogView,
  logType,
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
import type { ExportReader } from '../../http/export-columns.ts';
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
/** The types of log rows, as the console's pages call them. */
const logTypeNames = {
  type: {
    [logType.topUp]: { en: 'Top-up', zh: '充值' },
    [logType.consume]: { en: 'Usage', zh: '消费' },
    [logType.manage]: { en: 'Admin', zh: '管理' },
    [logType.system]: { en: 'System', zh: '系统' },
    [logType.error]: { en: 'Failed', zh: '失败' },
  },
} as const;

/** `other` is JSON for programs, and in files for programs alone. */
function logColumns(format: ExportFormat, ...without: (keyof LogView & string)[]): (keyof LogView & string)[] {
  return columnsOf(logView, ...without, ...(format === 'csv' ? (['other'] as const) : []));
}

/** The name of a log's file: whose, from when; the day of the file, its end, follows. */
function logName({ start_timestamp: from, end_timestamp: to, zone }: LogFilters & { zone: string }, whose: string): string {
  const day = (seconds: number): string => isoTime(seconds, zone || 'UTC').slice(0, 10);
  const parts = ['logs', whose.replace(/[^\w.-]/g, '_'), from > 0 && `from-${day(from)}`, to > 0 && `to-${day(to)}`];
  return parts.filter(Boolean).join('-');
}

export function exportHandlers(context: Context): Handlers<typeof exportRoutes> {
  const readerOf = ({ query, language }: { query: { zone: string }; language: Language }): ExportReader => ({
    language,
    zone: query.zone,
    money: { quotaPerUnit: context.options.values.QuotaPerUnit, asCurrency: context.options.values.DisplayInCurrencyEnabled },
  });
  return {
    'GET /api/log/export': async ({ query, language, res }) => {
      const rows = await logRows(query, language);
      await sendExport(res, {
        reader: readerOf({ query, language }),
        name: logName(query, query.username || 'all'),
        format: query.format,
        valueNames: logTypeNames,
        columns: logColumns(query.format),
        rows,
      });
    },
    'GET /api/log/self/export': async ({ query, caller, language, res }) => {
      const rows = await ownLogRows(query, caller, language);
      await sendExport(res, {
        reader: readerOf({ query, language }),
        name: logName(query, caller.username),
        format: query.format,
        valueNames: logTypeNames,
        columns: logColumns(query.format, 'channel', 'channel_name'),
        rows,
      });
    },
    'GET /api/user/export': ({ query, language, caller, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'users',
        format: query.format,
        columns: columnsOf(userView, 'password'),
        rows: userRows(context, query, caller),
      }),
    'GET /api/token/export': async ({ query, language, caller, res }) => {
      const rows = await tokenRows(context, query, caller);
      await sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'tokens',
        format: query.format,
        columns: columnsOf(tokenView, 'key'),
        rows,
      });
    },
    'GET /api/channel/export': ({ query, language, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'channels',
        format: query.format,
        columns: columnsOf(channelView),
        rows: channelRows(query),
      }),
    'GET /api/redemption/export': async ({ query, language, res }) => {
      const rows = await redemptionRows(query);
      await sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'codes',
        format: query.format,
        columns: columnsOf(redemptionView, 'count'),
        rows,
      });
    },
    'GET /api/budget/export': ({ query, language, caller, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'budgets',
        format: query.format,
        columns: columnsOf(budgetView),
        rows: budgetRows(context, query, caller),
      }),
    'GET /api/order/export': async ({ query, language, res }) => {
      const rows = await orderRows(query);
      await sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'orders',
        format: query.format,
        columns: columnsOf(managedOrderView),
        rows,
      });
    },
    'GET /api/order/self/export': ({ query, language, caller, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'orders',
        format: query.format,
        columns: columnsOf(orderView),
        rows: ownOrderRows(caller),
      }),
    'GET /api/mj/export': ({ query, language, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'drawings',
        format: query.format,
        columns: columnsOf(drawingView),
        rows: drawingRows(context, query),
      }),
    'GET /api/mj/self/export': ({ query, language, caller, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'drawings',
        format: query.format,
        columns: columnsOf(drawingView, 'channel_id'),
        rows: drawingRows(context, query, caller),
      }),
    'GET /api/task/export': ({ query, language, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'music',
        format: query.format,
        columns: columnsOf(taskView),
        rows: musicRows(query),
      }),
    'GET /api/task/self/export': ({ query, language, caller, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'music',
        format: query.format,
        columns: columnsOf(taskView, 'channel_id'),
        rows: musicRows(query, caller),
      }),
    'GET /api/audit/export': ({ query, language, res }) =>
      sendExport(res, {
        reader: readerOf({ query, language }),
        name: 'audit',
        format: query.format,
        columns: columnsOf(auditView),
        rows: auditRows(query),
      }),
  };
}
