import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, createWriteStream, existsSync, statfsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const inMemory = '/dev/shm';
const wantedBytes = 2 * 1024 ** 3;

/**
 * Where tests keep what lasts no longer than they do: in memory, where the system has a folder for that with room in it. Their engines
 * write little, but wait for the disk at each commit, and a run has hundreds of them. `TMPDIR` names another place.
 */
function scratchFolder(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= wantedBytes ? inMemory : tmpdir();
  } catch {
    return tmpdir(); // no Linux
  }
}

const suiteTimeoutMs = 40 * 60_000;
const heartbeatMs = 60_000;

/** One program that passes or fails: a mocha suite, or a check that counts as one test. */
export interface Suite {
  name: string;
  cwd: string;
  command: string;
  args: string[];
  /** mocha's test files, behind its arguments: patterns or paths. */
  specs?: string[];
  env?: Record<string, string>;
  /** Whether it writes TEST_TOTALS_FILE; else its exit code is one test. */
  hasTotals: boolean;
  /** How many of the runner's lanes it takes: more than one where it waits for little. */
  lanes?: number;
  /** Whether a file in which a test failed runs once more, by itself; what passes then is told as unsteady, a fault to be found. */
  hasSecondTry?: boolean;
}
export interface Tools {
  /** The folder for all that is printed. */
  results: string;
  say(line: string): void;
}

const totalsSchema = z.object({ passed: z.number(), failed: z.number(), skipped: z.number(), failures: z.array(z.string()) });
/** What tests came to; a failure is a line. */
export type Totals = z.infer<typeof totalsSchema>;
const filesSchema = z.record(z.string(), totalsSchema);
/** What each test file came to; '' is the program itself. */
export type Files = z.infer<typeof filesSchema>;

export interface Run {
  files: Files;
  seconds: number;
  output: string;
}

/** Runs it to its end. All it prints goes to a file below `results`; what it says it skipped is also shown at once. */
export async function runProgram(suite: Suite, { results, say }: Tools): Promise<Run> {
  const startedAt = Date.now();
  const folder = await mkdtemp(join(scratchFolder(), 'tollgate-totals-'));
  const totalsFile = join(folder, 'totals.json');
  const log = createWriteStream(join(results, `${suite.name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`));
  const child = spawn(suite.command, [...suite.args, ...(suite.specs ?? [])], {
    cwd: suite.cwd,
    env: { ...process.env, ...suite.env, TMPDIR: scratchFolder(), TEST_TOTALS_FILE: totalsFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const take = (chunk: Buffer) => {
    log.write(chunk);
    output += chunk.toString();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', (chunk: Buffer) => {
    take(chunk);
    for (const line of chunk.toString().split('\n')) if (/^\s*SKIPPED:/.test(line)) say(`   ${suite.name}: ${line.trim()}`);
  });
  const seconds = () => (Date.now() - startedAt) / 1000;
  let beatsAfterTests = 0;
  const heartbeat = setInterval(() => {
    say(`   ... ${suite.name}: ${Math.round(seconds())} s`);
    if (!existsSync(totalsFile) || ++beatsAfterTests < 2) return;
    take(Buffer.from('\nThe tests ended, but not their process: something is still open. It was killed.\n'));
    child.kill('SIGKILL');
  }, heartbeatMs);
  const timer = setTimeout(() => {
    take(Buffer.from(`\nThe suite did not end within ${suiteTimeoutMs / 60_000} min and was killed.\n`));
    child.kill('SIGKILL');
  }, suiteTimeoutMs);
  const code = await Promise.race([
    once(child, 'close').then(([exitCode]) => exitCode as number | null),
    once(child, 'error').then(() => 127),
  ]);
  clearInterval(heartbeat);
  clearTimeout(timer);
  log.end();
  const files = suite.hasTotals ? await readFiles(totalsFile, code) : { '': resultOfCode(code) };
  await rm(folder, { recursive: true, force: true });
  return { files, seconds: seconds(), output };
}

function resultOfCode(code: number | null): Totals {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0, failures: [] } : failure(`exit code ${code}`);
}

/** A suite that ended badly without a failed test of its own (it crashed, or a file could not be loaded) is one failure. */
async function readFiles(file: string, code: number | null): Promise<Files> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { '': failure(`ended with exit code ${code} before its last test`) };
  const files = filesSchema.parse(JSON.parse(text));
  const isReported = code === 0 || Object.values(files).some(({ failed }) => failed > 0);
  return isReported ? files : { ...files, '': failure(`ended with exit code ${code} after its tests`) };
}

function failure(line: string): Totals {
  return { passed: 0, failed: 1, skipped: 0, failures: [line] };
}
