import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';

/** The descriptors of its two ends: what services inherit, and what the guards do. */
export interface Lifeline {
  holder: number;
  reader: number;
  close(): void;
}

/**
 * A pipe that supervisor and services hold open and the engines' guards read. Nothing is ever written: its end tells the
 * guards that everybody who might still write to an engine is gone.
 */
export function openLifeline(path: string): Lifeline {
  rmSync(path, { force: true });
  execFileSync('mkfifo', ['-m', '600', path]);
  const both = openSync(path, constants.O_RDWR); // opening for one alone would wait for the other
  const [holder, reader] = [openSync(path, constants.O_WRONLY), openSync(path, constants.O_RDONLY)];
  closeSync(both);
  return {
    holder,
    reader,
    close() {
      for (const end of [holder, reader]) closeSync(end);
    },
  };
}
