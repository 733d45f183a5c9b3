import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bareEnvironment } from './bare-environment.ts';
import { endOf, untilItAnswers } from './service-process.ts';

/** A service in a process of its own, of which a test asks how long it has kept its callers waiting. */
export interface MeasuredService {
  origin: string;
  pid: number;
  /** The most CPU time that one turn of its event loop has taken since this was asked last, in ms. */
  longestTurnMs(): Promise<number>;
  /** What it has in memory, in bytes. */
  memoryBytes(): Promise<number>;
  /** The same without its garbage, which is collected for this. */
  keptBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the program `main`; `port` is the one that its environment names. Resolves when it is ready; throws as soon as it ends before. */
export async function startMeasuredService(main: string, env: Record<string, string>, port: number): Promise<MeasuredService> {
  const child = fork(main, {
    execArgv: ['--import', join(import.meta.dirname, 'longest-turn.ts')],
    env: { ...bareEnvironment(), LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const origin = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${origin}/readyz`, { name: main, end: () => endOf(child), timeoutMs: 30_000 });
  const told = async (asked: 'turn' | 'memory' | 'kept') => {
    const answer = once(child, 'message');
    child.send(asked);
    return (await answer)[0] as { longestMs: number; rss: number; kept: number };
  };
  return {
    origin,
    pid: child.pid ?? 0,
    longestTurnMs: async () => (await told('turn')).longestMs,
    memoryBytes: async () => (await told('memory')).rss,
    keptBytes: async () => (await told('kept')).kept,
    async stop() {
      process.removeListener('exit', kill);
      if (endOf(child) !== undefined) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
