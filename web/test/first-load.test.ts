import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { builtPages } from './support/built-pages.ts';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

const budgetBytes = 235_000;
const web = join(import.meta.dirname, '..');

describe('What a browser has to load', () => {
  let folder: string;
  let chunks: Record<string, Chunk>;
  before(async () => {
    folder = await builtPages();
    chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  });

  /** The files of some chunks and of all that they import at once, each once. */
  function filesOf(names: string[], found = new Set<string>()): Set<string> {
    for (const name of names) {
      const chunk = chunks[name];
      if (!chunk) throw new Error(`the build has no chunk ${name}`);
      if (found.has(chunk.file)) continue;
      found.add(chunk.file);
      filesOf(chunk.imports ?? [], found);
    }
    return found;
  }
  const gzipped = (files: Iterable<string>): number =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  const texts = ['src/app/i18n/en.json', 'src/shared/i18n/en.json'];

  it('is at most 235 kB at first load, in few files: scripts, styles, texts and letters, the sign-in page included', () => {
    const scripts = [...filesOf(['index.html', 'src/features/session/i18n/en.json', ...texts])];
    const styles = Object.values(chunks).flatMap(({ css = [] }) => css);
    // A font is compressed already.
    const letters = readdirSync(join(folder, 'assets')).filter((file) => file.startsWith('inter-ascii'));
    expect(letters).to.have.length(1);
    const files = [...scripts, ...styles, 'index.html', 'first-paint.js', 'favicon.svg'];
    const bytes = gzipped(new Set(files)) + readFileSync(join(folder, 'assets', letters[0] as string)).length;
    expect(bytes, `${(bytes / 1000).toFixed(0)} kB`).to.be.at.most(budgetBytes);
    expect(files.length + letters.length, files.join(' ')).to.be.at.most(12);
  });

  it('names every script of the page in files that are counted above', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] as string);
    expect(named).to.not.be.empty;
    expect([...filesOf(['index.html'])]).to.include.members(named);
    expect(page, 'no inline script: the content security policy refuses it').to.not.match(/<script(?![^>]*\bsrc=)/);
  });

  it('is at most 120 kB more with any page, shell and all; what a page shows later (charts, Markdown, editors) comes apart', () => {
    const before = filesOf(['index.html']);
    const pages = globSync('src/features/*/*-page.tsx', { cwd: web }).filter((page) => chunks[page] && !page.includes('login'));
    expect(pages).to.include.members(['src/features/dashboard/dashboard-page.tsx', 'src/features/playground/playground-page.tsx']);
    const sizes = pages.map((page) => {
      const files = filesOf(['src/app/page-routes.tsx', 'src/app/open-pages.tsx', page]);
      return { page, bytes: gzipped([...files].filter((file) => !before.has(file))) };
    });
    expect(sizes.filter(({ bytes }) => bytes > 120_000)).to.deep.equal([]);
    expect(
      gzipped(
        [...filesOf(['src/features/dashboard/stacked-bars.tsx'])].filter(
          (file) => !filesOf(['src/features/dashboard/dashboard-page.tsx']).has(file),
        ),
      ),
    ).to.be.at.most(120_000);
  });

  it('has no forms for the lists of tokens and users: their code comes with an editor', () => {
    for (const name of ['tokens/tokens-page', 'users/users-page']) {
      const files = [...filesOf(['index.html', 'src/app/shell.tsx', `src/features/${name}.tsx`])];
      expect(
        files.filter((file) => /forms-/.test(file)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('keeps price tables and the option registry out of every chunk, channel types out of the first', () => {
    const all = Object.values(chunks).filter(({ file }) => file.endsWith('.js'));
    for (const { file } of all) expect(readFileSync(join(folder, file), 'utf8'), file).to.not.include('UserUsableGroups');
    const first = [...filesOf(['index.html', 'src/app/shell.tsx', 'src/features/tokens/tokens-page.tsx'])];
    for (const file of first) expect(readFileSync(join(folder, file), 'utf8'), file).to.not.include('midjourney-proxy');
  });
});
