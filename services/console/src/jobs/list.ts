import { z } from 'zod';
import { audit } from '../audit/audit.ts';
import { byRule } from '../auth/caller.ts';
import { updateBalances } from '../features/channels/balance.ts';
import { clearChannelStats, noticeFailing } from '../features/channels/stats.ts';
import { clearFailures, clearLogs } from '../features/logs/delete.ts';
import { expireOrders } from '../features/orders/expire.ts';
import { clearStoredObjects } from '../features/users/stored-objects.ts';
import { warnOfBudgets } from '../notices/budgets.ts';
import { warnOfLowBalances } from '../notices/low-balances.ts';
import { noteRefunds as noteAll } from '../task-sync/note-refunds.ts';
import { syncTasks } from '../task-sync/sync-tasks.ts';
import { keepPrices, syncCatalog, syncModels } from './catalog-jobs.ts';
import { importFrom } from './import-from.ts';
import { type Job, job } from './job.ts';
import { listDearest } from './list-dearest.ts';
import { payAllOwed } from './pay-owed.ts';
import { probeAll } from './probe-all.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { sendMail } from './send-mail.ts';
import { sendNotice } from './send-notice.ts';

const dayMs = 24 * 3_600_000;

/** Takes out of the log what is older than an option of days says: whole days by UTC, today not counted. */
function retention(
  name: string,
  {
    option,
    action,
    clear,
  }: { option: RetentionOption; action: string; clear(before: Date, now: number, signal: AbortSignal): Promise<number> },
): Job {
  return job({
    name,
    data: z.strictObject({}),
    alone: true,
    attempts: 3,
    everyMs: ({ options }) => (options.values[option] > 0 ? 3_600_000 : 0),
    async handle({ options, wallet, log }, _data, signal) {
      const days = options.values[option];
      if (days === 0) return;
      const now = await wallet.now();
      const before = new Date(now - (now % dayMs) - days * dayMs);
      const deleted = await clear(before, now, signal);
      if (deleted === 0) return;
      await audit(byRule, action, 'log', { after: { before: before.toISOString(), deleted } });
      log.info({ before, deleted, job: name }, 'old days were taken out of the log');
    },
  });
}

type RetentionOption = 'LogRetentionDays' | 'ErrorLogRetentionDays';

const clearOldLogs = retention('clear-old-logs', { option: 'LogRetentionDays', action: 'log.retention', clear: clearLogs });
const clearOldFailures = retention('clear-old-failures', {
  option: 'ErrorLogRetentionDays',
  action: 'log.failures_retention',
  clear: (before, _now, signal) => clearFailures(before, signal),
});

export const noticeFailingChannels = job({
  name: 'notice-failing-channels',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 60_000,
  handle: (context) => noticeFailing(context),
});

/** Deletes statistics of channels beyond their time (`statsPeriods` in libs/db). */
const clearOldStats = job({
  name: 'clear-old-stats',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 3_600_000,
  handle: async ({ wallet }, _data, signal) => clearChannelStats(await wallet.now(), signal),
});

/** Also what relays stored of calls that were still running when their user was deleted. */
const clearStored = job({
  name: 'clear-stored-objects',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 600_000,
  async handle({ wallet, log }, _data, signal) {
    const deleted = await clearStoredObjects(await wallet.now(), signal);
    if (deleted > 0) log.info({ deleted }, 'stored responses of deleted users were deleted');
  },
});

/** Says of orders that nobody has paid in time that they are over, and forgets those of long ago. */
const expireUnpaidOrders = job({
  name: 'expire-orders',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 3_600_000,
  async handle({ wallet, log }, _data, signal) {
    const done = await expireOrders(await wallet.now(), signal);
    if (done.expired + done.deleted > 0) log.info(done, 'orders that nobody paid are over');
  },
});

/** Asks providers how the music that they work on stands. */
const syncMusic = job({
  name: 'sync-music',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context, _data, signal) {
    await syncTasks(context, 'music', signal);
  },
});

/** Asks providers how the drawings that they work on stand. */
const syncDrawings = job({
  name: 'sync-drawings',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context, _data, signal) {
    await syncTasks(context, 'drawing', signal);
  },
});

/** Notes on failed tasks that what they cost was given back. */
const noteRefunds = job({
  name: 'note-refunds',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context) {
    await noteAll(context);
  },
});

/** Asks the providers of all enabled channels what their accounts have left. */
const updateAllBalances = job({
  name: 'update-balances',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: ({ frequencies }) => frequencies.balancesMs,
  handle: async (context, _data, signal) => void (await updateBalances(context, signal)),
});

export const warnLowBalances = job({
  name: 'warn-of-low-balances',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: () => 15_000,
  handle: async (context, _data, signal) => {
    await warnOfLowBalances(context, signal);
    await warnOfBudgets(context, signal);
  },
});

/** Every job of the console. */
export const jobs: readonly Job[] = [
  ...[probeAll, updateAllBalances, syncDrawings, syncMusic, noteRefunds],
  ...[syncCatalog, syncModels, keepPrices],
  ...[payAllOwed, expireUnpaidOrders, clearOldLogs, sendMail, sendNotice, warnLowBalances, resealSecrets, listDearest],
  ...[clearOldFailures, clearOldStats, clearStored, importFrom, noticeFailingChannels],
];
