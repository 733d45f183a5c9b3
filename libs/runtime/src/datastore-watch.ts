import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { DatastoreAway } from '@tollgate/contracts';
import type { Logger } from './logger.ts';

const everyMs = 250;
/** A datastore on a busy machine may be slow; one that is gone refuses connections, which counts at once. */
const silentMs = 3_000;
/** Callers wait for a datastore that is slow, but with the wait for the next probe not for a second. */
const [slowMs, patienceMs, lookMs] = [700, 800, 100];
/** A timer this late shows that this process stalled, not the datastore. */
const lateMs = 100;

/** Tracks which datastores answer, so that no caller waits for one that is down. */
export interface DatastoreWatch {
  /** The datastores that do not answer now. */
  readonly away: ReadonlySet<string>;
  /**
   * Returns the result of the work. Rejects with DatastoreAway while the datastore is down, as soon as it goes down, and when the work has
   * waited for 0.8 s for one that is slow. The work itself goes on.
   */
  guard<T>(datastore: string, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

interface Watching {
  logger: Pick<Logger, 'warn'>;
  /** A datastore stopped answering. `isSilent`: its connection is open, but no reply arrived for 3 s. */
  onAway?(datastore: string, isSilent: boolean): void;
  /** Called again and again while a datastore is slow, for so long by now: what has waited for `patienceMs` of it should wait no longer. */
  onSlow?(slow: { patienceMs: number; slowForMs: number }): void;
}

/** Probes each datastore four times a second with a round trip. A datastore that fails it, or takes longer than 3 s, counts as down. */
export function watchDatastores(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
  { logger, onAway, onSlow }: Watching,
): DatastoreWatch {
  const away = new Set<string>();
  /** Since when each piece of work waits. */
  const guarded = new Map(Object.keys(probes).map((datastore) => [datastore, new Map<() => void, number>()]));
  const ending = new AbortController();

  function note(datastore: string, found: Answer): void {
    if (found === 'answers') {
      if (away.delete(datastore)) logger.warn({ datastore }, 'a datastore answers again');
      return;
    }
    if (!away.has(datastore)) logger.warn({ datastore, found }, 'a datastore does not answer');
    away.add(datastore);
    for (const reject of guarded.get(datastore)?.keys() ?? []) reject();
    onAway?.(datastore, found === 'silent');
  }

  function refuseLongest(datastore: string, slowForMs: number): void {
    const now = performance.now();
    for (const [reject, since] of guarded.get(datastore) ?? []) if (now - since >= patienceMs) reject();
    onSlow?.({ patienceMs, slowForMs });
  }

  async function watch(datastore: string, probe: () => Promise<unknown>): Promise<void> {
    while (!ending.signal.aborted) {
      const probing = startProbe(probe);
      let found = await answerWithin(probing, slowMs);
      if (ending.signal.aborted) return;
      for (let waitedMs = slowMs; found === 'slow' && waitedMs < silentMs; waitedMs += lookMs) {
        refuseLongest(datastore, waitedMs);
        found = await answerWithin(probing, lookMs);
        if (ending.signal.aborted) return;
      }
      note(datastore, found === 'slow' ? 'silent' : found);
      await delay(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined); // aborted: the loop ends
    }
  }

  const watching = Object.entries(probes).map(([datastore, probe]) => watch(datastore, probe));
  return {
    away,
    guard<T>(datastore: string, work: () => Promise<T>) {
      const absence = () => new DatastoreAway(datastore, `${datastore} does not answer`);
      if (away.has(datastore)) return Promise.reject<T>(absence());
      const waiting = guarded.get(datastore);
      return new Promise<T>((resolve, reject) => {
        const leave = () => reject(absence());
        waiting?.set(leave, performance.now());
        // On the path of every call: one promise, not four.
        work().then(
          (answer) => {
            waiting?.delete(leave);
            resolve(answer);
          },
          (error: unknown) => {
            waiting?.delete(leave);
            reject(error as Error);
          },
        );
      });
    },
    async stop() {
      ending.abort();
      await Promise.all(watching);
    },
  };
}

type Answer = 'answers' | 'fails' | 'slow' | 'silent';

interface Probing {
  answer: Answer | undefined;
  ended: Promise<void>;
}

function startProbe(probe: () => Promise<unknown>): Probing {
  const probing: Probing = { answer: undefined, ended: Promise.resolve() };
  probing.ended = probe().then(
    () => {
      probing.answer = 'answers';
    },
    () => {
      probing.answer = 'fails';
    },
  );
  return probing;
}

/** Reads a reply that arrived while this process stalled before the datastore counts as slow. */
async function answerWithin(probing: Probing, ms: number): Promise<Answer> {
  while (probing.answer === undefined) {
    const dueAt = performance.now() + ms;
    const waited = new AbortController();
    await Promise.race([probing.ended, delay(ms, undefined, { signal: waited.signal, ref: false }).catch(() => undefined)]);
    waited.abort();
    if (probing.answer !== undefined) break;
    const isLate = performance.now() - dueAt > lateMs;
    await nextTurn();
    await nextTurn();
    if (probing.answer === undefined && !isLate) return 'slow';
  }
  return probing.answer;
}
