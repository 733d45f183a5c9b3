import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { completed } from '../complete-lockfile.mjs';
import { repository } from '../repository.ts';

interface Lockfile {
  packages: Record<string, { version?: string; resolved?: string; link?: boolean }>;
}

describe('the lockfile', () => {
  const lockfile = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lockfile;

  it('names the builds of native tools for every platform, so that npm ci is refused on none (npm run lockfile)', () => {
    const whole = completed(lockfile) as Lockfile;
    expect(Object.keys(lockfile.packages)).to.include.members(Object.keys(whole.packages));
  });

  it('pins exact versions and no registry host', () => {
    for (const [path, { version, resolved, link }] of Object.entries(lockfile.packages)) {
      if (link || !path.includes('node_modules/')) continue;
      expect(version, path).to.match(/^\d+\.\d+\.\d+/);
      expect(resolved, path).to.equal(undefined);
    }
  });
});
