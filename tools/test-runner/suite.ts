import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { scratchFolder } from './scratch.ts';

const suiteTimeoutMs = 40 * 60_000;
const heartbeatMs = 60_000;

/** One program that passes or fails: a mocha suite, or a check that counts as one test. */
export interface Suite {
  name: string;
  cwd: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  /** Whether it writes TEST_TOTALS_FILE; else its exit code is one test. */
  hasTotals: boolean;
}
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}
export interface Outcome {
  suite: Suite;
  totals: Totals;
  /** A line each. */
  failures: string[];
  seconds: number;
  output: string;
}

const resultSchema = z.object({ passed: z.number(), failed: z.number(), skipped: z.number(), failures: z.array(z.string()) });

/** Runs it to its end. All it prints goes to a file below `results`; what it says it skipped is also shown at once. */
export async function runSuite(suite: Suite, { results, say }: { results: string; say(line: string): void }): Promise<Outcome> {
  const startedAt = Date.now();
  const folder = await mkdtemp(join(scratchFolder(), 'tollgate-totals-'));
  const totalsFile = join(folder, 'totals.json');
  const log = createWriteStream(join(results, `${suite.name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`));
  const child = spawn(suite.command, suite.args, {
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
  const { failures, ...totals } = suite.hasTotals ? await readResult(totalsFile, code) : resultOfCode(code);
  await rm(folder, { recursive: true, force: true });
  return { suite, totals, failures, seconds: seconds(), output };
}

type Result = z.infer<typeof resultSchema>;

function resultOfCode(code: number | null): Result {
  return code === 0
    ? { passed: 1, failed: 0, skipped: 0, failures: [] }
    : { passed: 0, failed: 1, skipped: 0, failures: [`exit code ${code}`] };
}

/** A suite that ended badly without a failed test of its own (it crashed, or a file could not be loaded) is one failure. */
async function readResult(file: string, code: number | null): Promise<Result> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { passed: 0, failed: 1, skipped: 0, failures: [`ended with exit code ${code} before its last test`] };
  const result = resultSchema.parse(JSON.parse(text));
  return code !== 0 && result.failed === 0 ? { ...result, failed: 1, failures: [`ended with exit code ${code} after its tests`] } : result;
}
