import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, faultClocks } from '@tollgate/testing';
import { expect } from 'chai';
import { identityOf, stillRuns } from '../bootstrap/process-identity.mjs';
import { repository } from '../supervisor/settings.ts';
import { cleanEnvironment, type Installation, installation } from './tollgate.ts';

describe('whoever of `npm start` is told to end', function () {
  this.timeout(180_000);
  let here: Installation;

  beforeEach(async () => {
    here = await installation();
  });
  afterEach(() => here.remove());

  for (const [signal, told] of [
    ['SIGTERM', 'npm'],
    ['SIGTERM', 'the bootstrap'],
    ['SIGTERM', 'the supervisor'],
    ['SIGKILL', 'npm'],
  ] as const) {
    it(`${signal} to ${told} leaves nothing running`, async () => {
      const chain = await startByNpm();
      const { processes } = here.state();
      const everything = [...Object.values(chain), ...processes];
      expect(everything.filter(stillRuns)).to.have.length(everything.length);
      process.kill(chain[told].pid, signal);
      await eventually(() => expect(everything.filter(stillRuns)).to.deep.equal([]), { timeoutMs: 60_000 });
    });
  }

  /** The processes from npm down to the supervisor; what a shell would add between them would be found here as the bootstrap's parent. */
  async function startByNpm() {
    const npm = spawn('npm', ['start'], {
      cwd: repository,
      env: {
        ...cleanEnvironment(),
        ...faultClocks,
        RELAY_PROCESSES: '1',
        BILLING_PROCESSES: '1',
        DATA_DIR: here.dataDir,
        PORT: '0',
        ENV_FILE: '/dev/null',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    await eventually(() => expect(output).to.contain('Tollgate is ready'), { timeoutMs: 120_000 });
    const { supervisor } = here.state();
    const bootstrap = parentOf(supervisor.pid);
    return { npm: identified(npm.pid), 'the bootstrap': identified(bootstrap), 'the supervisor': supervisor };
  }
});

describe('a command that has said its last word', function () {
  this.timeout(60_000);

  it('is ended with its own exit code, though its process hangs in its exit', async () => {
    const here = await installation();
    const hang = join(here.dataDir, 'hang.mjs');
    // Only in the command: the bootstrap has nobody to send to.
    writeFileSync(
      hang,
      `if (process.send) process.on('exit', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
        process.reallyExit(99);
      });`,
    );
    const command = here.run(['stop'], { env: { NODE_OPTIONS: `--import ${hang}` } });
    expect(await command.ended).to.equal(0);
    expect(command.output()).to.contain('is not running');
    await here.remove();
  });
});

function identified(pid = 0): { pid: number; identity: string } {
  return { pid, identity: identityOf(pid) ?? '' };
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
