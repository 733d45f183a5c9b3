import { setTimeout as delay } from 'node:timers/promises';

/** However long it took to look: one who stood still himself has to look again. */
const fewestLooks = 3;

/** Resolves with true once a process has failed to say that it lives for as long as it may, with false when it is gone before. */
export async function standsStill(probe: () => Promise<void>, timeoutMs: number, gone: Promise<unknown>): Promise<boolean> {
  const isGone = kept(gone);
  let failed = 0;
  for (let livedAt = performance.now(); !isGone(); ) {
    await delay(timeoutMs / 6, undefined, { ref: false });
    failed = await probe().then(
      () => 0,
      () => failed + 1,
    );
    if (failed === 0) livedAt = performance.now();
    if (failed >= fewestLooks && performance.now() - livedAt >= timeoutMs) return !isGone();
  }
  return false;
}

/** Tells at any time whether a promise is kept by then. */
export function kept(promise: Promise<unknown>): () => boolean {
  let isKept = false;
  void promise.then(() => {
    isKept = true;
  });
  return () => isKept;
}
