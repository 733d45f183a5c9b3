import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bareEnvironment } from './bare-environment.ts';
import { faultClocks } from './clocks-off.ts';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';

const portNames = { relay: 'RELAY_PORT', billing: 'BILLING_PORT', console: 'CONSOLE_PORT' };
const ownServices = join(import.meta.dirname, '../../../services');
const keptWords = 4_096;

export type ServiceName = keyof typeof portNames;

/** One of our services in a process of its own, which a test may kill. Its clock is off, as `faultClocks` says. */
export interface ServiceProcess {
  url: string;
  pid: number;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  kill9(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceStart {
  /** Where its services are, if it is another release's. */
  services?: string | undefined;
  /** What it answers with 200 once it has started. That of a service whose stores stand still is /livez. */
  until?: '/readyz' | '/livez';
  /** Is given what it prints. */
  hear?: (words: string) => void;
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Starts a service on a free port and waits until it is ready; `env` are its settings. Throws, with its last words, when it ends before. */
export async function startService(
  name: ServiceName,
  env: Record<string, string>,
  { services = ownServices, until = '/readyz', hear }: ServiceStart = {},
): Promise<ServiceProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(services, name, 'src/main.ts')], {
    env: { ...bareEnvironment(), LOG_LEVEL: 'silent', ...faultClocks, ...env, [portNames[name]]: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  alive.add(child);
  let lastWords = '';
  child.stdout.on('data', (bytes: Buffer) => {
    lastWords = (lastWords + bytes.toString()).slice(-keptWords);
    hear?.(bytes.toString());
  });
  // 'close' comes after 'exit', with all that it said.
  const exited = once(child, 'close').then(([code]) => {
    alive.delete(child);
    return code as number | null;
  });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}${until}`, {
    name,
    end: () => (alive.has(child) ? undefined : `${endOf(child)}: ${lastWords}`),
    timeoutMs: 60_000,
  });
  return {
    url,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    async kill9() {
      child.kill('SIGKILL');
      await exited;
    },
    stop() {
      child.kill('SIGTERM');
      child.kill('SIGCONT'); // a test that failed in between may have left it stopped
      return exited;
    },
  };
}

interface Start {
  name: string;
  /** How it has ended; nothing while it runs. */
  end: () => string | undefined;
  timeoutMs: number;
}

/** Waits until a service answers 200 at `url`. Throws as soon as it has ended. */
export async function untilItAnswers(url: string, { name, end, timeoutMs }: Start): Promise<void> {
  await eventually(
    async () => {
      if (end() !== undefined) return;
      const answer = await fetch(url);
      if (answer.status !== 200) throw new Error(`${name} is not ready: ${await answer.text()}`);
    },
    { timeoutMs, everyMs: 50 },
  );
  if (end() !== undefined) throw new Error(`${name} ended before it was ready, by ${end()}`);
}

/** What a process ended by: its code or a signal. */
export function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  return exitCode === null ? (signalCode ?? undefined) : `code ${exitCode}`;
}
