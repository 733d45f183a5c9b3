import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { identityOf } from '../bootstrap/process-identity.mjs';
import { cleanEnvironment } from './tollgate.ts';

const local = join(import.meta.dirname, '..');

describe('several starts at once', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-at-once-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('put the web pages that they have built in their place, each of them, whole', async () => {
    const place = join(folder, 'dist');
    const builder = `
      import { mkdirSync, writeFileSync } from 'node:fs';
      import { putInPlace } from '${join(local, 'bootstrap/web.mjs')}';
      const own = '${folder}/next-' + process.pid;
      for (let round = 0; round < 100; round += 1) {
        mkdirSync(own);
        for (const name of ['index.html', '.built-from']) writeFileSync(own + '/' + name, String(process.pid));
        putInPlace(own, '${place}');
      }`;
    const builders = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '--eval', builder], { stdio: 'inherit' }),
    );
    const ends = await Promise.all(builders.map((each) => once(each, 'exit')));
    expect(ends).to.deep.equal(builders.map(() => [0, null]));
    expect(readdirSync(folder)).to.deep.equal(['dist']);
    expect(readFileSync(join(place, 'index.html'), 'utf8')).to.equal(readFileSync(join(place, '.built-from'), 'utf8'));
  });

  describe('in a clone without packages', () => {
    /** Installs when the file `go` is there, and notes that it has begun. */
    const npm = `#!/bin/sh
      echo $$ >> begun
      while [ ! -e go ]; do sleep 0.02; done
      mkdir -p node_modules/.bin
      ln -s '${process.execPath}' node_modules/.bin/node
      echo '{"packages":{}}' > node_modules/.package-lock.json`;
    const begun = () => (existsSync(join(folder, 'begun')) ? readFileSync(join(folder, 'begun'), 'utf8').trim().split('\n') : []);

    beforeEach(async () => {
      for (const part of ['bootstrap', 'bootstrap.mjs'])
        await cp(join(local, part), join(folder, 'deploy/local', part), { recursive: true });
      await writeFile(join(folder, 'package-lock.json'), '{"packages":{}}');
      await mkdir(join(folder, 'programs'));
      await writeFile(join(folder, 'programs/npm'), npm, { mode: 0o755 });
    });

    let children: ChildProcess[] = [];
    afterEach(() => {
      for (const { pid = 0 } of children) {
        try {
          process.kill(-pid, 'SIGKILL');
        } catch {
          // its group is gone
        }
      }
      children = [];
    });

    function start(): { child: ChildProcess; said(): string; ended: Promise<unknown[]> } {
      const env = cleanEnvironment();
      const child = spawn(process.execPath, [join(folder, 'deploy/local/bootstrap.mjs'), 'build-web'], {
        env: { ...env, PATH: `${join(folder, 'programs')}:${env.PATH}` },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      children.push(child);
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      return { child, said: () => output, ended: once(child, 'close') };
    }

    it('install them once: the others wait, say so, and go on', async () => {
      const starts = [start(), start(), start()];
      const waiting = () => starts.filter(({ said }) => said().includes('waiting for it'));
      await eventually(() => expect(waiting().length + begun().length).to.equal(3));
      await writeFile(join(folder, 'go'), '');
      expect(await Promise.all(starts.map(({ ended }) => ended))).to.deep.equal(starts.map(() => [0, null]));
      expect(begun()).to.have.length(1);
      expect(waiting()).to.have.length(2);
    });

    it('end what installs them when they are killed alone: the next one does not install beside it', async () => {
      await mkdir(join(folder, 'programs'), { recursive: true });
      const endless = "require('node:fs').appendFileSync('begun', process.pid + '\\n'); setInterval(() => undefined, 1000);";
      await writeFile(join(folder, 'programs/npm'), `#!${process.execPath}\n${endless}`, { mode: 0o755 });
      const first = start();
      await eventually(() => expect(begun()).to.have.length(1));
      first.child.kill('SIGKILL');
      await eventually(() => expect(identityOf(Number(begun()[0]))).to.equal(undefined));
    });

    for (const [end, code, ended] of [
      ['was killed with all that it ran', null, (pid: number) => process.kill(-pid, 'SIGKILL')],
      ['was told to end, and ends', 1, (pid: number) => process.kill(pid, 'SIGTERM')],
    ] as const) {
      it(`go on where the one that installs them ${end}`, async () => {
        const first = start();
        await eventually(() => expect(begun()).to.have.length(1));
        const others = [start(), start()];
        await eventually(() => {
          for (const { said } of others) expect(said()).to.contain(`pid ${first.child.pid}`);
        });
        ended(first.child.pid ?? 0);
        await eventually(() => expect(begun()).to.have.length(2));
        await writeFile(join(folder, 'go'), '');
        const ends = await Promise.all([first, ...others].map((each) => each.ended));
        expect(ends.map(([each]) => each)).to.deep.equal([code, 0, 0]);
        expect(begun()).to.have.length(2);
      });
    }
  });
});
