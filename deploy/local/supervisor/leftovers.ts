import { setTimeout as delay } from 'node:timers/promises';
import { identityOf, stillRuns } from '../bootstrap/process-identity.mjs';
import type { ProcessRecord, RunState } from './run-state.ts';

const patienceMs = 20_000;
const pollMs = 50;

/**
 * Ends what a supervisor that was killed has left running, and only that: a pid counts only with the identity that was
 * written down. Services are on their way out already (they lost their channel); the engines follow them by themselves.
 */
export async function endLeftovers(state: RunState | undefined, say: (line: string) => void): Promise<void> {
  const left = state?.processes.filter(stillRuns) ?? [];
  if (left.length === 0) return;
  say(
    `The last run was killed; waiting for what is left of it to finish: ${left.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ')}`,
  );
  for (const each of left) if (each.kind === 'service') signal(each, 'SIGTERM');
  await untilGone(left, patienceMs);
  for (const each of left) signal(each, 'SIGTERM');
  await untilGone(left, patienceMs);
  for (const each of left) signal(each, 'SIGKILL');
  await untilGone(left, patienceMs);
}

async function untilGone(records: ProcessRecord[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (records.some(stillRuns) && Date.now() < deadline) await delay(pollMs);
}

function signal(record: ProcessRecord, name: NodeJS.Signals): void {
  if (identityOf(record.pid) !== record.identity) return;
  try {
    process.kill(record.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
