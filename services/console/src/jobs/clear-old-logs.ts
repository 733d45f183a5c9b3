import { z } from 'zod';
import { audit } from '../audit/audit.ts';
import { byRule } from '../auth/caller.ts';
import { clearLogs } from '../features/logs/delete.ts';
import { job } from './job.ts';

const dayMs = 24 * 3_600_000;

/** Takes the days out of the log that are older than the option `LogRetentionDays` says: whole days by UTC, today not counted. */
export const clearOldLogs = job({
  name: 'clear-old-logs',
  data: z.strictObject({}),
  alone: true,
  attempts: 3,
  everyMs: ({ options }) => (options.values.LogRetentionDays > 0 ? 3_600_000 : 0),
  async handle({ options, wallet, log }, _data, signal) {
    const days = options.values.LogRetentionDays;
    if (days === 0) return;
    const now = await wallet.now();
    const before = new Date(now - (now % dayMs) - days * dayMs);
    const deleted = await clearLogs(before, now, signal);
    if (deleted === 0) return;
    await audit(byRule, 'log.retention', 'log', { after: { before: before.toISOString(), deleted } });
    log.info({ before, deleted }, 'old days were taken out of the log');
  },
});
