import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { repository } from '../repository.ts';

const relay = join(repository, 'services/relay/src');

/** The relay's folders from the bottom up: each imports only from itself and from folders before it (docs/style.md, "Layout"). */
const order = [
  ...['config.ts', 'context', 'modes', 'stored', 'dialects', 'auth', 'request', 'admission', 'routing', 'quota', 'upstream', 'response'],
  ...['records', 'pipeline', 'realtime', 'responses', 'tasks', 'http', 'open.ts', 'index.ts', 'main.ts'],
];

const imports = /^(?:import|export) (?<type>type )?(?:\{[^}]*\}|\* as \w+|\*) from '(?<from>\.[^']+)'|import\('(?<lazy>\.[^']+)'\)/gm;

describe('Folders of the relay', () => {
  it('import only from folders below them', () => {
    const upward: string[] = [];
    for (const file of globSync('**/*.ts', { cwd: relay })) {
      for (const { groups = {} } of readFileSync(join(relay, file), 'utf8').matchAll(imports)) {
        const imported = relative(relay, join(relay, dirname(file), (groups.from ?? groups.lazy) as string));
        // `context/` describes what all steps share, so it names their types. It uses none of their code.
        const isDescription = folderOf(file) === 'context' && (groups.type !== undefined || groups.lazy !== undefined);
        if (!isDescription && layerOf(imported) > layerOf(file)) upward.push(`${file} imports ${imported}`);
      }
    }
    expect(upward).to.deep.equal([]);
  });
});

function folderOf(file: string): string {
  return file.split('/')[0] as string;
}

function layerOf(file: string): number {
  const layer = order.indexOf(folderOf(file));
  if (layer < 0) throw new Error(`${file}: add its folder to the order of layers`);
  return layer;
}
