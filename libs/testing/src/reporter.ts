import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** mocha's `spec` output; besides, `{ passed, failed, skipped, failures }` as JSON in the file that TEST_TOTALS_FILE names: a failure is its title and its error's first line. */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter's default export
export default class SpecWithTotals extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.TEST_TOTALS_FILE;
    if (!file) return;
    const failures: string[] = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Error) => {
      failures.push(`${test.fullTitle()}: ${String(error.message).split('\n')[0]}`);
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
      writeFileSync(file, `${JSON.stringify({ passed: passes, failed, skipped: pending, failures })}\n`);
    });
  }
}
