import { rm } from 'node:fs/promises';
import type { GuardedChild } from './guarded-child.ts';

/** An engine that tests kill and start again. */
export interface Restartable {
  readonly pid: number;
  /** Ends it with SIGKILL; the data folder stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and data (ends it cleanly first if it still runs). */
  restart(): Promise<void>;
  /** Ends it and removes the folder that was made for it. */
  stop(): Promise<void>;
}

/** Starts an engine by `launch`, which is called again for every restart. */
export async function restartable(launch: () => Promise<GuardedChild>, ownedFolder: string | undefined): Promise<Restartable> {
  let child = await launch();
  return {
    get pid() {
      return child.pid;
    },
    kill9: () => child.end('SIGKILL'),
    async restart() {
      await child.end('SIGTERM');
      child = await launch();
    },
    async stop() {
      await child.end('SIGTERM');
      if (ownedFolder) await rm(ownedFolder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
