import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that only this very process has, or undefined when no such process lives (a zombie counts as gone). A pid alone is
 * not enough: the system gives it to another program once its owner is gone.
 */
export function identityOf(pid) {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Whether the process that had this identity still runs. */
export function stillRuns(record) {
  return identityOf(record.pid) === record.identity;
}

function fromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from field 3 on; field 2, the name, may hold anything
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTicks}`;
  } catch {
    return undefined; // no such process
  }
}

function fromPs(pid) {
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() ||
      undefined
    );
  } catch {
    return undefined; // ps exits with 1 when there is none
  }
}
