/** The longest id of a run, in characters. */
export const longestRunId = 128;

/** Budgets with this prefix are ceilings of runs. */
export const runPrefix = 'run-';

/** Dollars as `X-Run-Budget` states them, such as `1.00`; undefined for another text. */
export function dollarsIn(text: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}
