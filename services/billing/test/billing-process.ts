import { type ServiceProcess, startService } from '@tollgate/testing';

/** A billing process with small batches. It starts even when its datastores soon stall, which the tests need. */
export function startBilling(env: Record<string, string>, until: '/livez' | '/readyz' = '/livez'): Promise<ServiceProcess> {
  return startService('billing', { LOG_LEVEL: 'info', BILLING_BATCH: '50', SWEEP_SECONDS: '1', ...env }, { until });
}
