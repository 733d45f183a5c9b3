import type { OptionValues } from '@tollgate/contracts';
import { type Logger, reloading } from '@tollgate/runtime';
import type { OptionStore } from './store.ts';

export interface OptionWatch {
  /** To be told of each notice that options have changed (their keys, with commas); of a gap in the notices: 'all'. */
  noticed(keys: string): void;
  stop(): void;
}

interface Watching {
  logger: Pick<Logger, 'warn'>;
  /** Nothing in memory is older than this, however notices go astray. */
  everyMs?: number;
  /** What follows from the options, made before the next read begins. Is called after each read, also with the values that it had. */
  onRead?(values: OptionValues): unknown;
}

/** Keeps a store as the database is: what notices name is read again, all of it now and then, and again each second while that fails. */
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
