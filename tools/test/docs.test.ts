import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../repository.ts';

const scripts = Object.keys(JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts);

/** Pages that git tracks, and those that are about to be added. */
function pages(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: repository,
    encoding: 'utf8',
  });
  return listed
    .trim()
    .split('\n')
    .filter((page) => existsSync(join(repository, page)));
}

/** The anchors of a page, as GitHub derives them from headings, and its explicit ones. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)]);
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '');
}

describe('the documentation', () => {
  it('links only to pages, files and headings that exist', () => {
    const broken: string[] = [];
    for (const page of pages()) {
      for (const [, link = ''] of withoutCode(readFileSync(join(repository, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? join(repository, page) : join(repository, dirname(page), path);
        const isThere = existsSync(target) && (anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor));
        if (!isThere) broken.push(`${page}: ${link}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });

  it('names only npm scripts that exist', () => {
    const unknown = pages().flatMap((page) =>
      [...readFileSync(join(repository, page), 'utf8').matchAll(/\bnpm run (?:-s )?([a-z][a-z:-]*)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !scripts.includes(script))
        .map((script) => `${page}: npm run ${script}`),
    );
    expect(unknown).to.deep.equal([]);
  });
});
