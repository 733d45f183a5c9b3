import { join } from 'node:path';
import {
  freePort,
  type MeasuredService,
  type ServiceProcess,
  type ServiceStart,
  startMeasuredService,
  startService,
} from '@tollgate/testing';

const main = join(import.meta.dirname, '../../src/main.ts');

/** A billing that looks every half second for what was left open. */
export function startBillingProcess(env: Record<string, string>, start?: ServiceStart): Promise<ServiceProcess> {
  return startService('billing', { SWEEP_SECONDS: '0.5', ...env }, start);
}

/** A relay that tells how long it keeps its callers waiting, and what it has in memory. */
export async function startMeasuredRelay(env: Record<string, string>): Promise<MeasuredService> {
  const port = await freePort();
  return startMeasuredService(main, { ...env, RELAY_PORT: String(port) }, port);
}
