import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { DatastoreAway } from '@tollgate/contracts';
import type { Logger } from './logger.ts';

const everyMs = 250;
const silentMs = 700;
/** A timer this late says that this process stood still, not the datastore. */
const lateMs = 100;

/** Knows at any time which datastores answer, so that no caller waits for one that does not. */
export interface DatastoreWatch {
  /** Those that do not answer now. */
  readonly away: ReadonlySet<string>;
  /** Gives what the work gives; rejects with DatastoreAway at once while the datastore is away, and when it goes away meanwhile. The work itself goes on. */
  guard<T>(datastore: string, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

interface Watching {
  logger: Pick<Logger, 'warn'>;
  /** One does not answer any more; `isSilent`: its connection is open, and nothing comes. */
  onAway?(datastore: string, isSilent: boolean): void;
}

/** Asks each datastore four times a second by its probe, a round trip; one that fails it, or says nothing for 0.7 s, is away. */
export function watchDatastores(probes: Readonly<Record<string, () => Promise<unknown>>>, { logger, onAway }: Watching): DatastoreWatch {
  const away = new Set<string>();
  const guarded = new Map(Object.keys(probes).map((datastore) => [datastore, new Set<() => void>()]));
  const ending = new AbortController();

  function note(datastore: string, found: Answer): void {
    if (found === 'answers') {
      if (away.delete(datastore)) logger.warn({ datastore }, 'a datastore answers again');
      return;
    }
    if (!away.has(datastore)) logger.warn({ datastore, found }, 'a datastore does not answer');
    away.add(datastore);
    for (const reject of guarded.get(datastore) ?? []) reject();
    onAway?.(datastore, found === 'silent');
  }

  async function watch(datastore: string, probe: () => Promise<unknown>): Promise<void> {
    while (!ending.signal.aborted) {
      const found = await answerOf(probe);
      if (ending.signal.aborted) return;
      note(datastore, found);
      await delay(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined); // aborted: the loop ends
    }
  }

  const watching = Object.entries(probes).map(([datastore, probe]) => watch(datastore, probe));
  return {
    away,
    guard<T>(datastore: string, work: () => Promise<T>) {
      const absence = () => new DatastoreAway(datastore, `${datastore} does not answer`);
      if (away.has(datastore)) return Promise.reject<T>(absence());
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const leave = () => reject(absence());
      guarded.get(datastore)?.add(leave);
      work()
        .then(resolve, reject)
        .finally(() => guarded.get(datastore)?.delete(leave));
      return promise;
    },
    async stop() {
      ending.abort();
      await Promise.all(watching);
    },
  };
}

type Answer = 'answers' | 'fails' | 'silent';

/** An answer that arrived while this process stood still counts: it is read before the silence is believed. */
async function answerOf(probe: () => Promise<unknown>): Promise<Answer> {
  let answer: Answer | undefined;
  const asked = probe().then(
    () => {
      answer = 'answers';
    },
    () => {
      answer = 'fails';
    },
  );
  while (answer === undefined) {
    const dueAt = performance.now() + silentMs;
    const waited = new AbortController();
    await Promise.race([asked, delay(silentMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined)]);
    waited.abort();
    if (answer !== undefined) break;
    const isLate = performance.now() - dueAt > lateMs;
    await nextTurn();
    await nextTurn();
    if (answer === undefined && !isLate) return 'silent';
  }
  return answer;
}
