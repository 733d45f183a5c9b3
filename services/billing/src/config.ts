import { listenSetting, serviceEnv } from '@tollgate/runtime';
import { z } from 'zod';

export const billingEnv = serviceEnv.omit({ MASTER_KEY: true, MASTER_KEYS_ALSO: true }).extend({
  BILLING_PORT: listenSetting.default(0), // answers /livez and /readyz: a port (0 takes a free one), or the path of a Unix socket
  BILLING_BATCH: z.coerce.number().int().min(1).max(5_000).default(1_000), // maximum number of events charged at once
  SWEEP_SECONDS: z.coerce.number().positive().default(15), // interval between sweeps of overdue holds
  RECONCILE_HOUR_UTC: z.coerce.number().int().min(0).max(23).default(3), // the hour at which wallets are compared with the ledger and the log
});
export type BillingEnv = z.infer<typeof billingEnv>;
