import type { Job } from './job.ts';
import { probeAll } from './probe-all.ts';
import { updateAllBalances } from './update-balances.ts';

/** Every job of the console. */
export const jobs: readonly Job[] = [probeAll, updateAllBalances];
