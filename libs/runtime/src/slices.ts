/** Longest time in ms that a piece of work may block the event loop. */
const sliceMs = 4;

/**
 * Splits long work into slices, between which the event loop runs. Call it after each step; it returns undefined while the slice lasts, so
 * that short work does not wait: `const turn = pause(); if (turn) await turn;`.
 */
export function slices(): () => Promise<void> | undefined {
  let until = performance.now() + sliceMs;
  return () => {
    if (performance.now() < until) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        until = performance.now() + sliceMs;
        resolve();
      });
    });
  };
}
