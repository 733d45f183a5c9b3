import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';

const { MongoClient } = mongoose.mongo;

/** A bundled store in a process of its own, with a client on it. */
export interface Running {
  child: ChildProcess;
  pid: number;
  client: InstanceType<typeof MongoClient>;
  db: ReturnType<InstanceType<typeof MongoClient>['db']>;
  /** Until the first answer. */
  startMs: number;
}

export async function start(folder: string): Promise<Running> {
  const began = performance.now();
  const child = fork(join(import.meta.dirname, '../src/main.ts'), {
    env: { ...process.env, EMBEDDED_MONGO_PATH: folder, EMBEDDED_MONGO_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const uri = /mongodb:\/\/\S+/.exec(line.toString())?.[0] as string;
  const client = await MongoClient.connect(uri);
  await client.db('bench').command({ ping: 1 });
  return { child, pid: child.pid as number, client, db: client.db('bench'), startMs: performance.now() - began };
}

export async function stop({ child, client }: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await client.close();
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** CPU time of the process so far, in ms. */
export function cpuMs({ pid }: Running): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') as string[];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function rssMb({ pid }: Running, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

/** Prints how long `run` takes, and how much of that the store was at work. */
export async function timed(running: Running, name: string, { times, run }: { times: number; run: () => Promise<unknown> }): Promise<void> {
  const took: number[] = [];
  const cpu = cpuMs(running);
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await run();
    took.push(performance.now() - began);
  }
  console.log(`${name.padEnd(58)}${spread(took)}, store ${((cpuMs(running) - cpu) / times).toFixed(1)} ms CPU`);
}

export function spread(took: number[]): string {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
}
