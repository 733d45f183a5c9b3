/** Tells a burst of calls, which may wait until all are served, from a rush, in which nobody may wait for long. */
export interface Rush {
  /** From now on somebody waits, or nobody does. */
  waits(isSomebody: boolean, nowMs: number): void;
  isOn(nowMs: number): boolean;
}

/**
 * A rush begins when somebody has waited for `burstMs` longer than nobody has, and is over when nobody has waited for as much longer than somebody has. Were
 * it over with the first gap in the queue, the next calls would be let wait for seconds like those of a burst: gaps come in the midst of a rush, since what a stream costs comes after
 * it has been let in, and since a process may get no CPU time for a while.
 */
export function openRush(burstMs: number): Rush {
  let isWaiting = false;
  let isOn = false;
  let sinceMs = 0;
  let stoodMs = 0;

  function look(nowMs: number): void {
    const passedMs = nowMs - sinceMs;
    sinceMs = nowMs;
    stoodMs = Math.min(burstMs, Math.max(0, stoodMs + (isWaiting ? passedMs : -passedMs)));
    if (stoodMs === burstMs) isOn = true;
    else if (stoodMs === 0) isOn = false;
  }

  return {
    waits(isSomebody, nowMs) {
      look(nowMs);
      isWaiting = isSomebody;
    },
    isOn(nowMs) {
      look(nowMs);
      return isOn;
    },
  };
}
