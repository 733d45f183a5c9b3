import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram, goProgram } from '@tollgate/testing';

const run = promisify(execFile);

/** Prometheus' own checker. What it says of a refusal is in the error. */
export type Promtool = (...args: string[]) => Promise<string>;

/** `PROMTOOL` names it, or it stands on PATH, else it is made from its Go module. Throws EngineUnavailable. */
export async function promtool(): Promise<Promtool> {
  const program = process.env.PROMTOOL ?? (await findProgram('promtool')) ?? (await goProgram('promtool'));
  return async (...args) => {
    try {
      const { stdout, stderr } = await run(program, args, { maxBuffer: 1 << 24, timeout: 120_000 });
      return stdout + stderr;
    } catch (error) {
      const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
      throw new Error(`promtool ${args.slice(0, 2).join(' ')}: ${stdout ?? ''}${stderr ?? ''}` || message);
    }
  };
}
