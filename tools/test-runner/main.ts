import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { goPrograms, kafkaRuntime } from '@tollgate/testing';
import { repository } from '../repository.ts';
import type { Suite } from './program.ts';
import { type Outcome, runSuite, sumOf } from './suite.ts';
import { checks, quickSuites, rooms } from './suites.ts';

const results = join(repository, 'test-results');
const shownFailureLines = 120;
/** Side by side, for much of most suites is waiting: for leases, sessions and sweeps. */
const lanes = availableParallelism() > 1 ? 4 : 1;

/**
 * `npm test [-- words]`: lint, types and web build, then every suite, as many at a time as there are lanes (or those whose name contains one of
 * the words). `npm test -- --quick` runs lint, types and the libraries' suites.
 * The last line is `N passed, N failed, N skipped`, and the exit code is 0 only when nothing failed and something passed.
 */
async function main(args: string[]): Promise<number> {
  const isQuick = args.includes('--quick');
  const words = args.filter((arg) => arg !== '--quick');
  const suites = isQuick ? quickSuites() : { checks: checks(), rooms: rooms() };
  const names = [...suites.checks, ...suites.rooms].map(({ name }) => name);
  const unknown = words.filter((word) => !names.some((name) => name.includes(word)));
  if (unknown.length > 0) {
    say(`No suite's name holds ${unknown.map((word) => `"${word}"`).join(' or ')}. They are:\n  ${names.join('\n  ')}`);
    return 1;
  }
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const isWanted = ({ name }: Suite) => words.length === 0 || words.some((word) => name.includes(word));
  // A suite that had to fetch the broker or to make a program itself would run out of its time, and leave behind what it had begun.
  const [checked] = await Promise.all([
    inLanes(suites.checks.filter(isWanted)),
    ...(words.length === 0 && !isQuick ? [kafkaRuntime(), goPrograms()].map((made) => made.catch(tellMissing)) : []),
  ]);
  const outcomes = [...checked, ...(await inLanes(suites.rooms.filter(isWanted)))];
  for (const { suite, totals, output } of outcomes) {
    if (totals.failed > 0) say(`\n--- ${suite.name} failed (all of its output: test-results/) ---\n${failuresIn(output)}`);
  }
  if (!isQuick) tellMissingMongo();
  const sum = sumOf(outcomes.map(({ totals }) => totals));
  say(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
}

/** In their order, each as soon as its lanes are free. */
async function inLanes(suites: Suite[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const running = new Set<Promise<void>>();
  let taken = 0;
  for (const suite of suites) {
    const width = Math.min(suite.lanes ?? 1, lanes);
    while (taken + width > lanes) await Promise.race(running);
    taken += width;
    const run = runAndTell(suite).then((outcome) => {
      outcomes.push(outcome);
      taken -= width;
      running.delete(run);
    });
    running.add(run);
  }
  await Promise.all(running);
  return outcomes;
}

async function runAndTell(suite: Suite): Promise<Outcome> {
  const outcome = await runSuite(suite, { results, say });
  const { passed, failed, skipped } = outcome.totals;
  const count = `${passed} of ${passed + failed}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  say(`${failed > 0 ? 'FAILED' : 'ok'} ${suite.name}: ${count} (${outcome.seconds.toFixed(1)} s)`);
  for (const failure of outcome.totals.failures) say(`   ${failure}`);
  for (const failure of outcome.unsteady) say(`   UNSTEADY, passed when its file ran again: ${failure}`);
  return outcome;
}

/** The part of a suite's output that matters: mocha's list of failures, or the end of whatever it said. */
function failuresIn(output: string): string {
  const lines = output.trimEnd().split('\n');
  const list = lines.findLastIndex((line) => /^\s+\d+ failing/.test(line));
  return (list >= 0 ? lines.slice(list, list + shownFailureLines) : lines.slice(-shownFailureLines)).join('\n');
}

function tellMissing(error: Error): void {
  say(`\n!!! ${error.message}`);
}

function tellMissingMongo(): void {
  if (process.env.MONGODB_URI || process.env.TEST_MONGODB_URI) return;
  say('\n!!! No MONGODB_URI was given: everything ran on the bundled store (or a container, where a Docker engine answers).');
  say('!!! What only a real MongoDB can show counts as skipped. To run it: MONGODB_URI=mongodb://... npm test');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main(process.argv.slice(2));
