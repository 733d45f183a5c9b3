import type { Difference } from './difference.ts';

const looks = 3;

/**
 * What is not as its sources say may be on its way: a difference counts when it is there at three looks, the later ones after a while
 * (`waitMs`, then twice as long), which `look` itself waits for. Nobody who finds none waits.
 */
export async function lasting(waitMs: number, look: (waitMs: number) => Promise<Difference[]>): Promise<Difference[]> {
  let differences: Difference[] = [];
  for (let number = 0; number < looks; number++) {
    differences = await look(number * waitMs);
    if (differences.length === 0) break;
  }
  return differences;
}
