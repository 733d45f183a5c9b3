import { type ServiceProcess, startService } from '@tollgate/testing';

/** A billing that takes few events at a time. It has started though its stores stand still at once: that is what is tested here. */
export function startBilling(env: Record<string, string>): Promise<ServiceProcess> {
  return startService('billing', { LOG_LEVEL: 'info', BILLING_BATCH: '50', SWEEP_SECONDS: '1', ...env }, { until: '/livez' });
}
