import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { identityOf } from '../bootstrap/process-identity.mjs';
import { guardedCommand, pidFromGuard } from '../supervisor/guard.ts';
import { openLifeline } from '../supervisor/lifeline.ts';

describe('the guard of an engine', function () {
  this.timeout(30_000);

  it('ends it also when the supervisor was gone before the guard had begun', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-lifeline-'));
    const lifeline = openLifeline(join(folder, 'lifeline'));
    const { command, args } = guardedCommand({ command: 'sleep', args: ['1000'] });
    const guard = spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', lifeline.reader] });
    lifeline.close(); // the shell has not read its first line by now
    const pid = await pidFromGuard(guard);
    try {
      await eventually(() => expect(identityOf(pid)).to.equal(undefined), { timeoutMs: 10_000 });
    } finally {
      for (const each of [pid, guard.pid ?? 0]) if (identityOf(each) !== undefined) process.kill(each, 'SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});
