import { setTimeout as delay } from 'node:timers/promises';

/** Repeats an assertion until it holds; after `timeoutMs` (5 s) it throws what the assertion threw last. */
export async function eventually(
  assertion: () => unknown | Promise<unknown>,
  { timeoutMs = 5_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await delay(everyMs);
  }
}
