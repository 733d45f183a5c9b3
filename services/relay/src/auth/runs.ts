import type { RunDoc } from '@tollgate/db';
import { AppError, type DatastoreWatch } from '@tollgate/runtime';
import { findRun, openRun, type RunName, runBudgetId } from '@tollgate/wallet';
import { LRUCache } from 'lru-cache';

/** The ceilings of runs, as the database had them at most a minute ago. */
export interface Runs {
  find(name: RunName): Promise<RunDoc | undefined>;
  open(name: RunName, fields: Pick<RunDoc, 'userId' | 'limit'>): Promise<RunDoc>;
  /** What was changed is read again. */
  forgetAll(): void;
}

const lifeMs = 60_000;
const mostKnown = 50_000;

export function openRuns(datastores: Pick<DatastoreWatch, 'guard'>): Runs {
  const known = new LRUCache<string, { run: RunDoc | undefined }>({ max: mostKnown, ttl: lifeMs, ttlResolution: 500 });
  /** Grows with every notice: what was read before one is not kept after it. */
  let generation = 0;

  async function read(id: string, ask: () => Promise<RunDoc | null>): Promise<RunDoc | undefined> {
    const before = generation;
    try {
      const run = (await datastores.guard('MongoDB', ask)) ?? undefined;
      if (before === generation) known.set(id, { run });
      return run;
    } catch (cause) {
      throw new AppError('service_unavailable', {}, { cause, retryAfterSeconds: 2 });
    }
  }

  return {
    async find(name) {
      const id = runBudgetId(name);
      const found = known.get(id);
      return found === undefined ? read(id, () => findRun(name)) : found.run;
    },
    async open(name, fields) {
      return (await read(runBudgetId(name), () => openRun(name, { ...fields, openedBy: 'caller' }))) as RunDoc;
    },
    forgetAll() {
      generation += 1;
      known.clear();
    },
  };
}
