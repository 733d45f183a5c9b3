import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** What a file's tests came to; a failure is its title and its error's first line. */
interface FileTotals {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
}

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** mocha's `spec` output; besides, `{ [test file]: { passed, failed, skipped, failures } }` as JSON in the file that TEST_TOTALS_FILE names. */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter's default export
export default class SpecWithTotals extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.TEST_TOTALS_FILE;
    if (!file) return;
    const files: Record<string, FileTotals> = {};
    const of = (test: Mocha.Runnable): FileTotals => {
      files[test.file ?? ''] ??= { passed: 0, failed: 0, skipped: 0, failures: [] };
      return files[test.file ?? ''] as FileTotals;
    };
    runner.on(EVENT_TEST_PASS, (test) => of(test).passed++);
    runner.on(EVENT_TEST_PENDING, (test) => of(test).skipped++);
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Error) => {
      const totals = of(test);
      totals.failed++;
      totals.failures.push(`${test.fullTitle()}: ${String(error.message).split('\n')[0]}`);
    });
    runner.once(EVENT_RUN_END, () => writeFileSync(file, `${JSON.stringify(files)}\n`));
  }
}
