import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { faultClocks } from '@tollgate/testing';

/** A billing in a process of its own, which a test may kill. */
export interface BillingProcess {
  kill9(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
  get(path: string): Promise<Response>;
}

const entry = join(import.meta.dirname, '../src/main.ts');

/** Starts `main.ts` and waits until it is ready. */
export async function startBilling(env: Record<string, string>): Promise<BillingProcess> {
  const settings = { LOG_LEVEL: 'info', HOST: '127.0.0.1', BILLING_BATCH: '50', SWEEP_SECONDS: '1', ...env };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    env: { PATH: process.env.PATH, ...faultClocks, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killOnExit = () => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  const exited = once(child, 'exit').then(([code]) => {
    process.off('exit', killOnExit);
    return code as number | null;
  });
  const port = await healthPort(child, exited);
  return {
    async kill9() {
      child.kill('SIGKILL');
      await exited;
    },
    signal: (name) => void child.kill(name),
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    get: (path) => fetch(`http://127.0.0.1:${port}${path}`),
  };
}

function healthPort(child: ChildProcess, exited: Promise<number | null>): Promise<number> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        lines.push(line);
        const fact = JSON.parse(line) as { msg: string; level: string; port?: number };
        if (fact.port) resolve(fact.port);
      }
    });
    void exited.then((code) => reject(new Error(`billing ended with ${code} before it was ready:\n${lines.slice(-10).join('\n')}`)));
  });
}
