/** An engine that this machine cannot run. The message says what to install, so that a suite can be skipped with the reason. */
export class EngineUnavailable extends Error {
  override name = 'EngineUnavailable';
}

/**
 * For `before` hooks: starts an engine; where it is not to be had, says so loudly and skips the suite, which mocha counts as
 * skipped. Any other failure stays a failure.
 */
export async function orSkip<Engine>(context: Mocha.Context, start: () => Promise<Engine>): Promise<Engine> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
    return skipBecause(context, error.message);
  }
}

/** Skips a test or suite and prints why: what the machine or server lacks. */
export function skipBecause(context: Mocha.Context, reason: string): never {
  process.stderr.write(`\n  SKIPPED: ${reason}\n`);
  context.skip();
}
