import { setTimeout as delay } from 'node:timers/promises';

const graceMs = 2_000;
const lookEveryMs = 20;
/** Look-ups of names and work on files: what threads do that nothing interrupts. */
const threadWork = /^(GetAddrInfo|GetNameInfo|FSReq)/;

/**
 * Ends this process, with `exitCode` unless one of its threads is stuck. `process.exit` waits for work on threads, without a bound and
 * deaf to signals: a look-up at a name server that is away, a file on a disk that hangs. What is not done after 2 s is cut by SIGKILL.
 */
export async function endProcess(exitCode: number): Promise<never> {
  const deadline = Date.now() + graceMs;
  while (process.getActiveResourcesInfo().some((name) => threadWork.test(name))) {
    if (Date.now() > deadline) process.kill(process.pid, 'SIGKILL');
    await delay(lookEveryMs);
  }
  process.exit(exitCode);
}
