import { clearOldLogs } from './clear-old-logs.ts';
import type { Job } from './job.ts';
import { payAllOwed } from './pay-owed.ts';
import { probeAll } from './probe-all.ts';
import { sendMail } from './send-mail.ts';
import { sendNotice } from './send-notice.ts';
import { updateAllBalances } from './update-balances.ts';
import { warnLowBalances } from './warn-of-low-balances.ts';

/** Every job of the console. */
export const jobs: readonly Job[] = [probeAll, updateAllBalances, payAllOwed, clearOldLogs, sendMail, sendNotice, warnLowBalances];
