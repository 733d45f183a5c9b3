import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { identityOf } from '../bootstrap/process-identity.mjs';

const processRecord = z.object({
  name: z.string(),
  kind: z.enum(['engine', 'service']),
  pid: z.number(),
  identity: z.string(),
  startedAt: z.number(),
  address: z.string(),
  state: z.enum(['starting', 'ready', 'waiting', 'stopping', 'stopped']),
  restarts: z.number(),
});
/** One process as `npm run status` shows it and as the next start recognises it. */
export type ProcessRecord = z.output<typeof processRecord>;

const runState = z.object({
  supervisor: z.object({ pid: z.number(), identity: z.string(), startedAt: z.number() }),
  address: z.string(),
  isReady: z.boolean(),
  processes: z.array(processRecord),
});
export type RunState = z.output<typeof runState>;

/** The last state a supervisor wrote, whether it still runs or not. */
export function readRunState(file: string): RunState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return runState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined; // written by another version: its processes end by themselves, having lost their supervisor
  }
}

/** This process, as the one that minds the others. */
export function thisSupervisor(startedAt: number): RunState['supervisor'] {
  return { pid: process.pid, identity: identityOf(process.pid) ?? '', startedAt };
}

export function writeRunState(file: string, state: RunState): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(state, null, 2), { mode: 0o600 });
  renameSync(partial, file);
}
