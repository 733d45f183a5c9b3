import { setTimeout as delay } from 'node:timers/promises';

/** Repeats an assertion until it holds, and gives what it gave; after `timeoutMs` (15 s) it throws what the assertion threw last. */
export async function eventually<Given>(
  assertion: () => Given | Promise<Given>,
  { timeoutMs = 15_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Given> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await delay(everyMs);
  }
}
