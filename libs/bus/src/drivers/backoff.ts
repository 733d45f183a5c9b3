import { setTimeout as delay } from 'node:timers/promises';

const firstMs = 100;
/** Upper bound of the delay, so that recovery after an outage of any length is noticed this soon. */
const longestMs = 1_000;

/**
 * Delay before attempt `attempt` (from 1): doubles up to 1 s, with jitter between half and all of it so that pods do not retry in lockstep.
 */
export function backoffMs(attempt: number): number {
  const whole = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 16));
  return Math.round(whole * (0.5 + Math.random() / 2));
}

/** Waits, or returns early when the signal is aborted. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
}
