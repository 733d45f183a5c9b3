import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { identityOf } from '../bootstrap/process-identity.mjs';
import { Refusal } from './refusal.ts';

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

/** The last state a supervisor wrote, whether it still runs or not. Throws Refusal where this user may not look. */
export function readRunState(file: string): RunState | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  try {
    return runState.parse(JSON.parse(text));
  } catch {
    return undefined; // written by another version: its processes end by themselves, having lost their supervisor
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return undefined;
    throw new Refusal(
      `${file} may not be read by this user (${code}): the installation is somebody else's. Ask as the user who started it.`,
    );
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
