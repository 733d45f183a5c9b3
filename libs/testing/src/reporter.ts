import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** mocha's `spec` output; besides, the totals `{ passed, failed, skipped }` as JSON in the file that TEST_TOTALS_FILE names. */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter's default export
export default class SpecWithTotals extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.TEST_TOTALS_FILE;
    if (!file) return;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      writeFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}\n`);
    });
  }
}
