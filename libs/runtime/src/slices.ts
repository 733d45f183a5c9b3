/** A long piece of work holds the event loop no longer than this at once, in ms. */
const sliceMs = 4;

/**
 * Cuts long work into slices, between which others have their turn. Asked after each step; while the slice lasts it gives
 * undefined, so that short work waits for nothing: `const turn = pause(); if (turn) await turn;`.
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
