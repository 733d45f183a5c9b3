import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { repository } from '../repository.ts';

process.env.RECHECK_SYNC_BACKEND = 'pure'; // neither Java nor a binary of this platform is asked for
const { checkSync } = await import('recheck');
const { parseSync } = await import('vite');

const sources = globSync(
  ['libs/*/src/**/*.{ts,tsx}', 'services/*/src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'deploy/**/*.{ts,mjs}', 'bench/**/*.ts'],
  {
    cwd: repository,
    exclude: (path) => ['node_modules', 'test'].some((folder) => path.split('/').includes(folder)),
  },
);

interface Pattern {
  source: string;
  flags: string;
  /** The files that it stands in. */
  files: Set<string>;
}

/** Every pattern that is written down, as a literal or as the text that a RegExp is made of. */
function patternsOf(files: string[]): Pattern[] {
  const patterns = new Map<string, Pattern>();
  const note = (file: string, source: string, flags: string) => {
    const key = `/${source}/${flags}`;
    const pattern = patterns.get(key) ?? { source, flags, files: new Set() };
    patterns.set(key, pattern);
    pattern.files.add(file);
  };
  for (const file of files) {
    const { program, errors } = parseSync(file, readFileSync(join(repository, file), 'utf8'));
    expect(errors, file).to.have.length(0);
    visit(program, (node) => {
      if (node.regex !== undefined) note(file, node.regex.pattern, node.regex.flags);
      if (node.callee?.name !== 'RegExp') return;
      const [source, flags] = node.arguments ?? [];
      if (typeof source?.value === 'string') note(file, source.value, typeof flags?.value === 'string' ? flags.value : '');
    });
  }
  return [...patterns.values()];
}

interface Node {
  regex?: { pattern: string; flags: string };
  callee?: { name?: string };
  arguments?: { value?: unknown }[];
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  look(node as Node);
  for (const child of Object.values(node)) visit(child, look);
}

describe('Regular expressions', () => {
  const patterns = patternsOf(sources);

  it('are found in all rooms', () => {
    expect(patterns.length).to.be.greaterThan(100);
    for (const room of ['libs/', 'services/', 'web/', 'deploy/']) {
      expect(
        patterns.some(({ files }) => [...files].some((file) => file.startsWith(room))),
        room,
      ).to.equal(true);
    }
  });

  it('of the sources take a time that grows no faster than the text', function () {
    this.timeout(300_000);
    const slow = patterns.flatMap(({ source, flags, files }) => {
      const found = checkSync(source, flags, { timeout: 120_000 });
      return found.status === 'safe'
        ? []
        : [`/${source}/${flags} in ${[...files].join(', ')}: ${'complexity' in found ? found.complexity?.summary : found.status}`];
    });
    expect(slow).to.deep.equal([]);
  });

  it('that are slow would be told', () => {
    expect(checkSync(String.raw`(\w+:\/\/)[^\s/@]+@`, 'g').status).to.equal('vulnerable');
  });
});
