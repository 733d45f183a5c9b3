import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EngineUnavailable, findProgram } from '@tollgate/testing';

const run = promisify(execFile);

/** Prometheus' own checker: `PROMTOOL` names it, or it stands on PATH. What it says of a refusal is in the error. */
export type Promtool = (...args: string[]) => Promise<string>;

export async function promtool(): Promise<Promtool> {
  const program = process.env.PROMTOOL ?? (await findProgram('promtool'));
  if (!program)
    throw new EngineUnavailable(
      'rules are tried out by promtool of Prometheus (https://prometheus.io/download): put it on PATH, or name it by PROMTOOL',
    );
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
