import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLifeline } from '../supervisor/lifeline.ts';
import { managedProcess } from '../supervisor/managed-process.ts';

describe('a process that is looked after', function () {
  this.timeout(30_000);

  it('is not begun when it is stopped while its files are still looked through', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-managed-'));
    const lifeline = openLifeline(join(folder, 'lifeline'));
    const looked = Promise.withResolvers<void>();
    const surroundings = { logs: folder, lifeline, stopTimeoutMs: 1_000, say: () => undefined, changed: () => undefined };
    const engine = managedProcess(
      {
        name: 'engine',
        kind: 'engine',
        command: 'sleep',
        args: ['1000'],
        env: {},
        address: '',
        before: () => looked.promise,
        probe: async () => undefined,
      },
      surroundings,
    );
    try {
      const outcome = engine.start().catch((error: Error) => error.message);
      await engine.stop();
      expect(engine.record.state).to.equal('stopped');
      looked.resolve();
      expect(await outcome).to.contain('engine could not start');
      expect(engine.record).to.include({ state: 'stopped', pid: 0 });
    } finally {
      engine.kill();
      lifeline.close();
      await rm(folder, { recursive: true });
    }
  });
});
