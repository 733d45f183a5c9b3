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
import type { Response } from 'express';
import type { Context } from '../../context.ts';
import { type ExportOf, sendExport } from '../../http/export.ts';
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

/** What every export request says of how its file is written. */
interface ExportCall {
  query: { format: ExportFormat; zone: string };
  language: Language;
  res: Response;
}

/** Each list whole, as its own feature finds and shows it. */
export function exportHandlers(context: Context): Handlers<typeof exportRoutes> {
  function send<View extends object>({ query, language, res }: ExportCall, file: Omit<ExportOf<View>, 'format' | 'reader'>): Promise<void> {
    const { QuotaPerUnit: quotaPerUnit, DisplayInCurrencyEnabled: asCurrency } = context.options.values;
    const reader = { language, zone: query.zone || 'UTC', money: { quotaPerUnit, asCurrency } };
    return sendExport(res, { ...file, format: query.format, reader });
  }
  return {
    'GET /api/log/export': async (call) =>
      send(call, {
        name: logName(call.query, call.query.username || 'all'),
        valueNames: logTypeNames,
        columns: logColumns(call.query.format),
        rows: await logRows(call.query, call.language),
      }),
    'GET /api/log/self/export': async (call) =>
      send(call, {
        name: logName(call.query, call.caller.username),
        valueNames: logTypeNames,
        columns: logColumns(call.query.format, 'channel', 'channel_name'),
        rows: await ownLogRows(call.query, call.caller, call.language),
      }),
    'GET /api/user/export': (call) =>
      send(call, { name: 'users', columns: columnsOf(userView, 'password'), rows: userRows(context, call.query, call.caller) }),
    'GET /api/token/export': async (call) =>
      send(call, { name: 'tokens', columns: columnsOf(tokenView, 'key'), rows: await tokenRows(context, call.query, call.caller) }),
    'GET /api/channel/export': (call) => send(call, { name: 'channels', columns: columnsOf(channelView), rows: channelRows(call.query) }),
    'GET /api/redemption/export': async (call) =>
      send(call, { name: 'codes', columns: columnsOf(redemptionView, 'count'), rows: await redemptionRows(call.query) }),
    'GET /api/budget/export': (call) =>
      send(call, { name: 'budgets', columns: columnsOf(budgetView), rows: budgetRows(context, call.query, call.caller) }),
    'GET /api/order/export': async (call) =>
      send(call, { name: 'orders', columns: columnsOf(managedOrderView), rows: await orderRows(call.query) }),
    'GET /api/order/self/export': (call) => send(call, { name: 'orders', columns: columnsOf(orderView), rows: ownOrderRows(call.caller) }),
    'GET /api/mj/export': (call) =>
      send(call, { name: 'drawings', columns: columnsOf(drawingView), rows: drawingRows(context, call.query) }),
    'GET /api/mj/self/export': (call) =>
      send(call, {
        name: 'drawings',
        columns: columnsOf(drawingView, 'channel_id'),
        rows: drawingRows(context, call.query, call.caller),
      }),
    'GET /api/task/export': (call) => send(call, { name: 'music', columns: columnsOf(taskView), rows: musicRows(call.query) }),
    'GET /api/task/self/export': (call) =>
      send(call, { name: 'music', columns: columnsOf(taskView, 'channel_id'), rows: musicRows(call.query, call.caller) }),
    'GET /api/audit/export': (call) => send(call, { name: 'audit', columns: columnsOf(auditView), rows: auditRows(call.query) }),
  };
}
