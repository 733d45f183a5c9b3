import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Refusal } from '../supervisor/refusal.ts';
import { readRunState, thisSupervisor, writeRunState } from '../supervisor/run-state.ts';

const nobody = 65_534;

describe('the state of a run', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-run-'));
    file = join(folder, 'state.json');
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });

  it('that may not be read is somebody else’s, and not that of a run that has ended', () => {
    writeRunState(file, { supervisor: thisSupervisor(0), address: '', isReady: true, processes: [] });
    expect(readRunState(file)?.isReady).to.equal(true);
    chmodSync(folder, 0);
    expect(() => asPlainUser(() => readRunState(file)))
      .to.throw(Refusal)
      .with.property('message')
      .that.contains(file)
      .and.contains('somebody else');
  });

  it('is none where there is none', () => {
    expect(readRunState(file)).to.equal(undefined);
  });
});

/** Root may look everywhere. */
function asPlainUser<Result>(look: () => Result): Result {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    return look();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
