import type { OptionValues } from '@tollgate/contracts';
import { type Logger, reloading } from '@tollgate/runtime';
import type { OptionStore } from './store.ts';

export interface OptionWatch {
  /** Call for each notice of changed options (their keys, comma-separated), and with 'all' after a gap. */
  noticed(keys: string): void;
  stop(): void;
}

interface Watching {
  logger: Pick<Logger, 'warn'>;
  /** Maximum age of the values in memory, even when notices are lost. */
  everyMs?: number;
  /** Derives state from the options before the next read begins. Called after each read, including reads without a change. */
  onRead?(values: OptionValues): unknown;
}

/** Keeps a store up to date: reads the options named by notices, everything at intervals, and retries every second while reads fail. */
export function watchOptions(store: OptionStore, { logger, everyMs = 60_000, onRead }: Watching): OptionWatch {
  const reads = reloading<string>(async (keys) => {
    const values = await store.read(keys);
    await onRead?.(values);
  }, logger);
  const timer = setInterval(() => reads.run('all'), everyMs);
  timer.unref();
  return {
    noticed: (keys) => reads.run(keys === 'all' ? 'all' : keys.split(',')),
    stop() {
      clearInterval(timer);
      reads.stop();
    },
  };
}
