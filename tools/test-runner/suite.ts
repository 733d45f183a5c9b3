import { booksDiffer } from '@tollgate/testing';
import { type Files, type Run, runProgram, type Suite, type Tools, type Totals } from './program.ts';

export interface Outcome extends Run {
  suite: Suite;
  totals: Totals;
  /** The failures of the first try in files that passed in the second. */
  unsteady: string[];
}

/**
 * Runs a suite; where it has a second try, the files in which a test failed run again by themselves, and what they come to then counts. Books
 * that differed once do: their file has no second try.
 */
export async function runSuite(suite: Suite, tools: Tools): Promise<Outcome> {
  const first = await runProgram(suite, tools);
  const again = suite.hasSecondTry ? Object.keys(first.files).filter((file) => mayRunAgain(first.files, file)) : [];
  if (again.length === 0) return { suite, ...first, totals: sumOf(Object.values(first.files)), unsteady: [] };
  tools.say(`   ... ${suite.name}: ${again.length} of its files failed and run again`);
  const second = await runProgram({ ...suite, name: `${suite.name} again`, specs: again }, tools);
  const files = { ...first.files, ...second.files };
  const unsteady = again.filter((file) => !hasFailed(files, file)).flatMap((file) => first.files[file]?.failures ?? []);
  return {
    suite,
    files,
    totals: sumOf(Object.values(files)),
    unsteady,
    seconds: first.seconds + second.seconds,
    output: first.output + second.output,
  };
}

export function sumOf(all: Totals[]): Totals {
  return all.reduce(
    (left, right) => ({
      passed: left.passed + right.passed,
      failed: left.failed + right.failed,
      skipped: left.skipped + right.skipped,
      failures: [...left.failures, ...right.failures],
    }),
    { passed: 0, failed: 0, skipped: 0, failures: [] },
  );
}

function mayRunAgain(files: Files, file: string): boolean {
  return file !== '' && hasFailed(files, file) && !files[file]?.failures.some((failure) => failure.includes(booksDiffer));
}

function hasFailed(files: Files, file: string): boolean {
  return (files[file]?.failed ?? 0) > 0;
}
