import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

/**
 * A pipe that supervisor and services hold open and the engines' guards read. Nothing is ever written: its end tells the
 * guards that everybody who might still write to an engine is gone.
 */
export function openLifeline(path: string): { path: string; fd: number; close(): void } {
  rmSync(path, { force: true });
  execFileSync('mkfifo', ['-m', '600', path]);
  const both = openSync(path, constants.O_RDWR); // opening for writing alone would wait for the first reader
  const fd = openSync(path, constants.O_WRONLY);
  closeSync(both);
  return { path, fd, close: () => closeSync(fd) };
}
