import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const web = join(import.meta.dirname, '../bootstrap/web.mjs');

describe('web pages that several starts build at once', function () {
  this.timeout(30_000);

  it('are put in their place by each of them, whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-pages-'));
    const place = join(folder, 'dist');
    const builder = `
      import { mkdirSync, writeFileSync } from 'node:fs';
      import { putInPlace } from '${web}';
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
    await rm(folder, { recursive: true });
  });
});
