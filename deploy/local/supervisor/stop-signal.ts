const sameWishMs = 1_000; // npm, the shell and the terminal may each pass on one Ctrl-C

/**
 * Resolves with the reason when a first signal asks to stop, or when the bootstrap that started us is gone. A later,
 * separate signal calls `insisted`.
 */
export function firstStopSignal(insisted: () => void): Promise<string> & { isAsked(): boolean } {
  let askedAt = 0;
  const asked = new Promise<string>((resolve) => {
    const ask = (reason: string) => {
      if (askedAt && Date.now() - askedAt > sameWishMs) insisted();
      if (!askedAt) askedAt = Date.now();
      resolve(reason);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
    process.once('disconnect', () => ask('npm is gone'));
    if (process.connected === false) ask('npm was gone before the start'); // undefined: it was started without a channel
  });
  return Object.assign(asked, { isAsked: () => askedAt > 0 });
}
