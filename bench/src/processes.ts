import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export interface Program {
  name: string;
  pid: number;
  child: ChildProcess;
  /** What it has printed lately. */
  readonly words: string;
  stop(): Promise<void>;
}

const canPin = spawnSync('taskset', ['-p', String(process.pid)]).status === 0;

/** Starts a TypeScript file in a process of its own, on one core, and waits until it says `readyWords` or `isReady` holds. */
export async function startProgram(
  name: string,
  file: string,
  options: { env?: Record<string, string>; core?: number; isReady?: () => Promise<boolean>; readyWords?: RegExp; flags?: string[] } = {},
): Promise<Program> {
  const { env = {}, core, isReady, readyWords = /ready/, flags = [] } = options;
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', ...flags, file];
  const pinned = core !== undefined && canPin ? ['taskset', '-c', String(core), ...command] : command;
  const child = spawn(pinned[0] as string, pinned.slice(1), { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let words = '';
  const collect = (part: Buffer): void => {
    words = (words + part.toString()).slice(-4000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const deadline = Date.now() + 30_000;
  while (!(isReady ? await isReady().catch(() => false) : readyWords.test(words))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} did not start:\n${words}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    name,
    pid: child.pid as number,
    child,
    get words() {
      return words;
    },
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** CPU time that a process has used so far, all threads, in microseconds; ended threads do not count. */
export function cpuMicros(pid: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1000;
}

export function rssMegabytes(pid: number): number {
  return memoryOf(pid, 'VmRSS');
}

/** The most that a process has held since its start, or since that was forgotten. */
export function mostMegabytes(pid: number): number {
  return memoryOf(pid, 'VmHWM');
}

export function forgetMostMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Keeps the process, whoever started it, on one core. */
export function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)]);
}

/** How many files the process may have open. */
export function mostFiles(pid: number): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);
}
