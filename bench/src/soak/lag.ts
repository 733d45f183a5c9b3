import { rows } from '@tollgate/db';

/** How long answers wait until their charge can be read. */
export interface Lag {
  /** The answer came just now; `isTimed`: this is the moment when the provider was done with it. */
  answered(requestId: string, isTimed: boolean): void;
  /** Answers whose log row has not been seen yet. */
  readonly waiting: number;
  readonly timed: number;
  /** Milliseconds; NaN when nothing was timed. */
  percentile(share: number): number;
  stop(): Promise<void>;
}

/** How often the log is asked: every figure errs by so much against us, at most. */
const lookEveryMs = 50;
const mostAtOnce = 1000;

/** Asks the log for every answer until its row is there. */
export function watchLag(): Lag {
  const waiting = new Map<string, { sinceMs: number; isTimed: boolean }>();
  const times: number[] = [];
  let isStopped = false;

  async function look(): Promise<void> {
    const ids = [...waiting.keys().take(mostAtOnce)];
    if (ids.length === 0) return;
    const found = await rows
      .usageLogs()
      .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
      .toArray();
    const now = performance.now();
    for (const { _id } of found) {
      const answer = waiting.get(_id);
      waiting.delete(_id);
      if (answer?.isTimed) times.push(now - answer.sinceMs);
    }
  }
  const looking = (async () => {
    while (!isStopped) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  })();

  return {
    answered: (requestId, isTimed) => void waiting.set(requestId, { sinceMs: performance.now(), isTimed }),
    get waiting() {
      return waiting.size;
    },
    get timed() {
      return times.length;
    },
    percentile: (share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN,
    async stop() {
      isStopped = true;
      await looking;
    },
  };
}
