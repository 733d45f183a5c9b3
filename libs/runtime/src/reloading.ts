import type { Logger } from './logger.ts';

/** What must be read again: named items, or everything. */
export type Stale<Name> = ReadonlySet<Name> | 'all';

export interface Reloading<Name> {
  run(stale: Iterable<Name> | 'all'): void;
  stop(): void;
}

const retryMs = 1_000;

/** Runs one load at a time. Items that become stale meanwhile are combined into one more load. A failed load is retried. */
export function reloading<Name>(load: (stale: Stale<Name>) => Promise<unknown>, logger: Pick<Logger, 'warn'>): Reloading<Name> {
  let stale: Set<Name> | 'all' = new Set();
  let isRunning = false;
  let isStopped = false;
  let retry: NodeJS.Timeout | undefined;

  function add(more: Iterable<Name> | 'all'): void {
    if (more === 'all') stale = 'all';
    else if (stale !== 'all') for (const name of more) stale.add(name);
  }

  async function loop(): Promise<void> {
    isRunning = true;
    clearTimeout(retry);
    while ((stale === 'all' || stale.size > 0) && !isStopped) {
      const wanted: Stale<Name> = stale;
      stale = new Set();
      try {
        await load(wanted);
      } catch (error) {
        logger.warn({ err: error }, 'settings could not be reloaded, keeping the old ones');
        add(wanted);
        retry = setTimeout(start, retryMs);
        retry.unref();
        break;
      }
    }
    isRunning = false;
  }

  function start(): void {
    if (!isRunning && !isStopped) void loop();
  }

  return {
    run(more) {
      add(more);
      start();
    },
    stop() {
      isStopped = true;
      clearTimeout(retry);
    },
  };
}
