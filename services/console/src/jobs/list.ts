import { clearOldLogs } from './clear-old-logs.ts';
import { expireUnpaidOrders } from './expire-orders.ts';
import type { Job } from './job.ts';
import { listDearest } from './list-dearest.ts';
import { noteRefunds } from './note-refunds.ts';
import { payAllOwed } from './pay-owed.ts';
import { probeAll } from './probe-all.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { sendMail } from './send-mail.ts';
import { sendNotice } from './send-notice.ts';
import { syncDrawings } from './sync-drawings.ts';
import { syncMusic } from './sync-music.ts';
import { updateAllBalances } from './update-balances.ts';
import { warnLowBalances } from './warn-of-low-balances.ts';

/** Every job of the console. */
export const jobs: readonly Job[] = [
  ...[probeAll, updateAllBalances, syncDrawings, syncMusic, noteRefunds],
  ...[payAllOwed, expireUnpaidOrders, clearOldLogs, sendMail, sendNotice, warnLowBalances, resealSecrets, listDearest],
];
