import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls of one user that wait for each other. A small balance may be held whole by calls that will cost a fraction of it: a
 * call that finds nothing left then waits for one of them to end, instead of being refused what the user can well afford.
 */
export interface Turns {
  /** A hold of this user was taken. */
  taken(userId: number): void;
  /** It ended; the call that has waited longest is let try again. */
  ended(userId: number): void;
  /** Waits for a turn: true when it has come, false when none of the user's holds is open or the wait was too long. */
  wait(userId: number): Promise<boolean>;
  /** Lets the next in line try, too: there may be something left for him. */
  next(userId: number): void;
}

interface Line {
  open: number;
  waiting: (() => void)[];
}

const mostWaiting = 1000;

export function turns({ patienceMs }: { patienceMs: number }): Turns {
  const lines = new Map<number, Line>();
  const tidy = (userId: number, line: Line) => {
    if (line.open <= 0 && line.waiting.length === 0) lines.delete(userId);
  };
  return {
    taken(userId) {
      const line = lines.get(userId);
      if (line === undefined) lines.set(userId, { open: 1, waiting: [] });
      else line.open += 1;
    },
    ended(userId) {
      const line = lines.get(userId);
      if (line === undefined) return;
      line.open -= 1;
      line.waiting.shift()?.();
      tidy(userId, line);
    },
    async wait(userId) {
      const line = lines.get(userId);
      if (line === undefined || line.open <= 0 || line.waiting.length >= mostWaiting) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const turn = () => resolve(true);
      line.waiting.push(turn);
      const patience = new AbortController();
      const came = await Promise.race([promise, delay(patienceMs, false, { signal: patience.signal, ref: false })]);
      patience.abort();
      if (!came) line.waiting.splice(line.waiting.indexOf(turn), 1);
      return came;
    },
    next(userId) {
      lines.get(userId)?.waiting.shift()?.();
    },
  };
}
