import { ConfigError, endProcess } from '@tollgate/runtime/start';

/** Why Tollgate does not start (or stop), in words for the person at the terminal. Printed without a stack. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** A datastore that the user named does not answer: a wrong address, or an outage. */
export class NoAnswer extends Refusal {}

/** Runs a command of the supervisor and ends the process; a Refusal, or settings that are wrong, become a plain message and exit code 1. */
export async function answering(command: () => Promise<number>): Promise<void> {
  await endCommand(await exitCodeOf(command));
}

/** Ends the process of a command that has said its last word. The bootstrap is told so: it cuts a process that hangs in its exit, and has the code. */
export async function endCommand(exitCode: number): Promise<never> {
  if (process.connected) await new Promise((told) => process.send?.({ exitCode }, undefined, undefined, told));
  return endProcess(exitCode);
}

async function exitCodeOf(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof ConfigError)) throw error;
    process.stdout.write(`\n${error.message}\n`);
    return 1;
  }
}
