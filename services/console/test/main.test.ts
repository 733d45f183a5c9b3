import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnvironment, engines, eventually } from '@tollgate/testing';
import { expect } from 'chai';

const entry = join(import.meta.dirname, '../src/main.ts');

describe('the process', () => {
  it('starts, says where it listens, and ends in order on SIGTERM', async () => {
    const { mongodbUri, redisUrl } = await engines();
    const env = {
      MONGODB_URI: mongodbUri(),
      REDIS_URL: await redisUrl(),
      MASTER_KEY: randomBytes(32).toString('hex'),
      CONSOLE_PORT: '0',
    };
    const { child, lines } = start(env);
    await eventually(() => expect(lines.find((line) => line.msg === 'the console listens')).to.have.property('port'), {
      timeoutMs: 20_000,
    });
    const port = lines.find((line) => line.msg === 'the console listens')?.port;
    const { data } = (await (await fetch(`http://127.0.0.1:${port}/api/status`)).json()) as { data: { system_name: string } };
    expect(data.system_name).to.equal('Tollgate');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([0, null]); // its last words are read
    expect(lines.map((line) => line.msg)).to.include('stopped');
  });

  it('lists everything that is wrong with its settings, without repeating their values', async () => {
    const { child, output } = start({ MONGODB_URI: 'http://canary', CONSOLE_PORT: 'canary', MASTER_KEY: 'short-canary' });
    expect((await once(child, 'close'))[0]).to.equal(1);
    for (const name of ['MONGODB_URI', 'REDIS_URL', 'CONSOLE_PORT', 'MASTER_KEY']) expect(output.join('')).to.contain(name);
    expect(output.join('')).not.to.contain('canary');
  });

  interface Line {
    msg?: string;
    port?: number;
  }

  function start(env: Record<string, string>): { child: ChildProcess; lines: Line[]; output: string[] } {
    const child = spawn(process.execPath, [entry], { env: { ...bareEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: string[] = [];
    const lines: Line[] = [];
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        output.push(line);
        if (line.startsWith('{')) lines.push(JSON.parse(line) as Line);
      });
    }
    return { child, lines, output };
  }
});
