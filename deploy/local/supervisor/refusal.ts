/** Why Tollgate does not start (or stop), in words for the person at the terminal. Printed without a stack. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** Runs a command of the supervisor; a Refusal becomes a plain message and exit code 1. */
export async function answering(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stdout.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
