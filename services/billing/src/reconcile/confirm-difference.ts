import type { Difference } from './difference.ts';

const looks = 3;

/**
 * A difference may be a write on its way, so it counts only when it is found three times, with pauses of `waitMs` and twice that, which
 * `look` itself waits for. Without a difference there is no pause.
 */
export async function confirmDifferences(waitMs: number, look: (waitMs: number) => Promise<Difference[]>): Promise<Difference[]> {
  let differences: Difference[] = [];
  for (let number = 0; number < looks; number++) {
    differences = await look(number * waitMs);
    if (differences.length === 0) break;
  }
  return differences;
}
