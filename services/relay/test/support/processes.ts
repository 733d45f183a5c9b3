import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, faultClocks, freePort, type MeasuredService, startMeasuredService } from '@tollgate/testing';

/** One of our services in a process of its own, which a test may kill. */
export interface ServiceProcess {
  url: string;
  pid: number;
  kill9(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const ownServices = join(import.meta.dirname, '../../..');
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export function startRelayProcess(env: Record<string, string>, services?: string): Promise<ServiceProcess> {
  return start('relay', 'RELAY_PORT', { env, services });
}

/** A relay that tells how long it keeps its callers waiting, and what it has in memory. */
export async function startMeasuredRelay(env: Record<string, string>): Promise<MeasuredService> {
  const port = await freePort();
  return startMeasuredService(join(ownServices, 'relay/src/main.ts'), { ...env, RELAY_PORT: String(port) }, port);
}

export function startBillingProcess(env: Record<string, string>, services?: string): Promise<ServiceProcess> {
  return start('billing', 'BILLING_PORT', { env: { SWEEP_SECONDS: '0.5', ...env }, services });
}

export function startConsoleProcess(env: Record<string, string>, services?: string): Promise<ServiceProcess> {
  return start('console', 'CONSOLE_PORT', { env, services });
}

interface Start {
  env: Record<string, string>;
  /** Another release's. */
  services: string | undefined;
}

async function start(service: string, portName: string, { env, services = ownServices }: Start): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(services, service, 'src/main.ts')], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...faultClocks, ...env, [portName]: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  alive.add(child);
  const exited = once(child, 'exit').then(([code]) => {
    alive.delete(child);
    return code as number | null;
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`${service} ended with code ${child.exitCode}`);
      const answer = await fetch(`${url}/readyz`);
      if (answer.status !== 200) throw new Error(`${service} is not ready: ${await answer.text()}`);
    },
    { timeoutMs: 60_000 },
  );
  return {
    url,
    pid: child.pid ?? 0,
    async kill9() {
      child.kill('SIGKILL');
      await exited;
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
