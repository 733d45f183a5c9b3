import { setTimeout as delay } from 'node:timers/promises';

const graceMs = 2_000;
const lookEveryMs = 20;
/** Name lookups and file access: thread work that cannot be interrupted. */
const threadWork = /^(GetAddrInfo|GetNameInfo|FSReq)/;

/**
 * Ends this process with `exitCode`, or by SIGKILL after 2 s when a thread is stuck. `process.exit` waits without limit for thread work (a
 * lookup at a dead name server, a file on a hanging disk) and ignores signals meanwhile.
 */
export async function endProcess(exitCode: number): Promise<never> {
  const deadline = Date.now() + graceMs;
  while (process.getActiveResourcesInfo().some((name) => threadWork.test(name))) {
    if (Date.now() > deadline) process.kill(process.pid, 'SIGKILL');
    await delay(lookEveryMs);
  }
  process.exit(exitCode);
}
