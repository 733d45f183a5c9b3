import { setTimeout as delay } from 'node:timers/promises';

const firstMs = 100;
/** What comes back after an outage of any length is noticed this soon. */
const longestMs = 2_000;

/** How long to wait before try number `attempt` (from 1): doubling to 2 s, each between half and the whole, so that pods do not march in step. */
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
