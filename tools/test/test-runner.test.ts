import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { booksDiffer } from '@tollgate/testing';
import { expect } from 'chai';
import { repository } from '../repository.ts';
import type { Suite } from '../test-runner/program.ts';
import { runSuite } from '../test-runner/suite.ts';

/** A test file whose one test fails until it has run as often as `failures` says, and one that is skipped. */
const failing = (failures: number): string => `
  const { appendFileSync, readFileSync } = require('node:fs');
  it('is steady ${failures} times late', () => {
    appendFileSync(__filename + '.runs', '.');
    if (readFileSync(__filename + '.runs').length <= ${failures}) throw new Error('not yet');
  });
  it.skip('is skipped');
`;

describe('the test runner', () => {
  let folder: string;
  const said: string[] = [];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-runner-'));
    for (const failures of [0, 1, 2]) writeFileSync(join(folder, `late-${failures}.cjs`), failing(failures));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    said.length = 0;
    for (const failures of [0, 1, 2]) rmSync(join(folder, `late-${failures}.cjs.runs`), { force: true });
  });

  const args = ['--no-config', '--reporter', join(repository, 'libs/testing/src/reporter.ts')];
  const run = (how: Partial<Suite>) => {
    const suite: Suite = {
      name: 'some',
      cwd: folder,
      command: join(repository, 'node_modules/.bin/mocha'),
      args,
      specs: ['*.cjs'],
      hasTotals: true,
      ...how,
    };
    return runSuite(suite, { results: folder, say: (line) => said.push(line) });
  };
  const runs = (failures: number): number => readFileSync(join(folder, `late-${failures}.cjs.runs`)).length;

  it('refuses a word that is in no suite’s name, and says which there are: what was meant did not run', () => {
    const main = join(repository, 'tools/test-runner/main.ts');
    const { status, stdout } = spawnSync(process.execPath, [main, 'lint', 'relya'], { encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stdout).to.contain('"relya"').and.to.contain('services/relay').and.to.not.contain('"lint"');
  });

  it('counts what passed, failed and was skipped, and names each failure', async () => {
    const { totals, unsteady } = await run({});
    expect([totals.passed, totals.failed, totals.skipped]).to.deep.equal([1, 2, 3]);
    expect(totals.failures).to.have.members(['is steady 1 times late: not yet', 'is steady 2 times late: not yet']);
    expect(unsteady).to.deep.equal([]);
  });

  it('runs the files that failed once more where a suite has a second try, and tells what was unsteady', async () => {
    const { totals, unsteady } = await run({ args: [...args, '--parallel', '--jobs', '2'], hasSecondTry: true });
    expect([totals.passed, totals.failed, totals.skipped]).to.deep.equal([2, 1, 3]);
    expect(totals.failures).to.deep.equal(['is steady 2 times late: not yet']);
    expect(unsteady).to.deep.equal(['is steady 1 times late: not yet']);
    expect([runs(0), runs(1), runs(2)], 'no other file ran again').to.deep.equal([1, 2, 2]);
  });

  it('lets no file run again that found the books apart', async () => {
    const apart = join(folder, 'late-1.cjs');
    writeFileSync(apart, failing(1).replace('not yet', `${booksDiffer}: a call is not in the log`));
    const { totals, unsteady } = await run({ specs: [apart], hasSecondTry: true });
    expect([totals.failed, unsteady.length, runs(1)]).to.deep.equal([1, 0, 1]);
    writeFileSync(apart, failing(1));
  });

  it('takes what crashes, or fails to load, for a failure', async () => {
    writeFileSync(join(folder, 'broken.mjs'), 'import "./nowhere.mjs";');
    const broken = await run({ specs: ['broken.mjs'], hasSecondTry: true });
    expect([broken.totals.passed, broken.totals.failed]).to.deep.equal([0, 1]);
    const crashing = join(folder, 'crashing.mjs');
    writeFileSync(crashing, "it('crashes', () => process.kill(process.pid, 'SIGKILL'));");
    const crashed = await run({ specs: [crashing], hasSecondTry: true });
    expect(crashed.totals.failures).to.deep.equal(['ended with exit code null before its last test']);
    const loud = await run({ command: process.execPath, args: ['-e', 'process.exit(3)'], specs: [], hasTotals: false });
    expect(loud.totals.failures).to.deep.equal(['exit code 3']);
  });
});
