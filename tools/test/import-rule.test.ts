import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

import { repository } from '../repository.ts';

const biome = join(repository, 'node_modules/.bin/biome');

/** [file, what it imports, whether its room may] — one line per cell of the table of rooms that matters. */
const table: [file: string, imported: string, allowed: boolean][] = [
  ['libs/contracts/src/a.ts', 'zod', true],
  ['libs/contracts/src/a.ts', './channel.ts', true],
  ['libs/contracts/src/api/a.ts', '../channel.ts', true],
  ['libs/contracts/src/a.ts', 'node:fs', false],
  ['libs/contracts/src/a.ts', 'mongoose', false],
  ['libs/contracts/src/a.ts', '@tollgate/pricing', false],
  ['libs/contracts/src/a.ts', '../../pricing/src/index.ts', false],
  ['libs/pricing/src/a.ts', '@tollgate/contracts', true],
  ['libs/pricing/src/a.ts', 'node:crypto', false],
  ['libs/pricing/src/a.ts', '@tollgate/db', false],
  ['libs/db/src/a.ts', 'mongoose', true],
  ['libs/db/src/a.ts', 'node:crypto', true],
  ['libs/db/src/a.ts', '@tollgate/contracts', true],
  ['libs/db/src/a.ts', '@tollgate/runtime', false],
  ['libs/db/src/a.ts', 'ioredis', false],
  ['libs/bus/src/a.ts', '@tollgate/db', false],
  ['libs/bus/src/drivers/a.ts', 'kafkajs', true],
  ['libs/runtime/src/a.ts', '@tollgate/bus', false],
  ['libs/runtime/src/a.ts', 'pino', true],
  ['libs/wallet/src/a.ts', '@tollgate/db', true],
  ['libs/wallet/src/a.ts', '@tollgate/relay', false],
  ['libs/wallet/src/a.ts', '@tollgate/bus', false],
  ['libs/options/src/a.ts', '@tollgate/db', true],
  ['libs/options/src/a.ts', '@tollgate/runtime', true],
  ['libs/options/src/a.ts', '@tollgate/bus', false],
  ['libs/options/src/a.ts', '@tollgate/console', false],
  ['libs/providers/src/registry.ts', './openai/index.ts', true],
  ['libs/providers/src/anthropic/a.ts', '../provider.ts', true],
  ['libs/providers/src/anthropic/a.ts', '../openai/chat.ts', true],
  ['libs/providers/src/anthropic/a.ts', '../gemini/chat.ts', false],
  ['libs/providers/src/bedrock/a.ts', '../anthropic/request.ts', true],
  ['libs/providers/src/bedrock/a.ts', '../cohere/request.ts', false],
  ['libs/providers/src/bedrock/a.ts', 'node:crypto', true],
  ['libs/providers/src/bedrock/a.ts', 'node:net', false],
  ['libs/providers/src/anthropic/a.ts', 'undici', false],
  ['libs/providers/src/anthropic/a.ts', 'node:http', false],
  ['libs/providers/src/anthropic/a.ts', '@tollgate/runtime', false],
  ['libs/embedded-mongo/src/a.ts', '@tollgate/db', false],
  ['services/relay/src/quota/a.ts', '@tollgate/wallet', true],
  ['services/relay/src/quota/a.ts', '@tollgate/billing', false],
  ['services/relay/src/quota/a.ts', '@tollgate/testing', false],
  ['services/relay/src/quota/a.ts', '@tollgate/wallet/src/reserve.ts', false],
  ['services/relay/src/quota/a.ts', '../../../../libs/wallet/src/reserve.ts', false],
  ['services/console/src/features/users/a.ts', '../../../../relay/src/enter/caller.ts', false],
  ['services/relay/test/a.test.ts', '@tollgate/testing', true],
  ['services/relay/test/a.test.ts', '../src/server.ts', true],
  ['web/src/features/tokens/a.ts', '../../shared/api.ts', true],
  ['web/src/features/tokens/form/a.ts', '../../../shared/api.ts', true],
  ['web/src/features/tokens/form/a.ts', '../api.ts', true],
  ['web/src/features/tokens/a.ts', '@tollgate/contracts', true],
  ['web/src/features/tokens/a.ts', '@tollgate/contracts/api/token', true],
  ['web/src/features/tokens/a.ts', '@tollgate/pricing/bill', true],
  ['web/src/features/tokens/a.ts', '@tollgate/pricing', false],
  ['web/src/features/tokens/a.ts', '../channels/api.ts', false],
  ['web/src/features/tokens/a.ts', '../../app/store.ts', false],
  ['web/src/features/tokens/form/a.ts', '../../channels/api.ts', false],
  ['web/src/features/tokens/a.ts', '@tollgate/db', false],
  ['web/src/shared/a.ts', '../features/tokens/api.ts', false],
  ['web/src/app/router.ts', '../features/tokens/api.ts', true],
  ['deploy/local/supervisor/a.ts', '@tollgate/embedded-mongo', true],
  ['deploy/local/supervisor/a.ts', '@tollgate/console', false],
  ['tools/settings-pages/a.ts', '@tollgate/local', true],
  ['tools/settings-pages/a.ts', '@tollgate/local/supervisor/settings.ts', false],
  ['tools/settings-pages/a.ts', '../../deploy/local/supervisor/settings.ts', false],
];

const restricting = ['lint/style/noRestrictedImports', 'lint/correctness/noUndeclaredDependencies', 'lint/suspicious/noImportCycles'];
/** Two files of one room that take no more than types of each other. */
const circle = ['libs/bus/src/there.ts', 'libs/bus/src/back.ts'] as const;

describe('the import rule of the lint', function () {
  this.timeout(30_000);
  let folder: string;
  let refused: Set<string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-imports-'));
    const config = JSON.parse(await readFile(join(repository, 'biome.json'), 'utf8'));
    config.vcs.enabled = false; // the copy is no git repository
    await writeFile(join(folder, 'biome.json'), JSON.stringify(config));
    for (const [index, [file, imported]] of table.entries()) {
      const path = join(folder, caseFile(file, index));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `import * as it from '${imported}';\n\nexport const used = it;\n`);
      const manifest = packageManifest(file);
      await copyFile(join(repository, manifest), join(folder, manifest));
    }
    const [there, back] = circle;
    await writeFile(join(folder, there), "import type { Back } from './back.ts';\n\nexport type There = Back | 1;\n");
    await writeFile(join(folder, back), "import type { There } from './there.ts';\n\nexport type Back = There[];\n");
    refused = await lintedAsRefused(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [index, [file, imported, allowed]] of table.entries()) {
    it(`${allowed ? 'lets' : 'forbids'} ${dirname(file)} ${allowed ? '' : 'to '}import ${imported}`, () => {
      expect(refused.has(caseFile(file, index))).to.equal(!allowed);
    });
  }

  it('forbids files to import each other, were it but for types', () => {
    for (const file of circle) expect(refused.has(file), file).to.equal(true);
  });
});

function caseFile(file: string, index: number): string {
  return file.replace(/(\.test)?\.ts$/, `-${index}$1.ts`);
}

function packageManifest(file: string): string {
  const [top, room] = file.split('/');
  return top === 'web' || top === 'tools' ? `${top}/package.json` : `${top}/${room}/package.json`;
}

/** The files in which the lint refused an import. */
async function lintedAsRefused(folder: string): Promise<Set<string>> {
  const run = promisify(execFile)(biome, ['lint', '--reporter=json', '--max-diagnostics=none', '.'], { cwd: folder, maxBuffer: 1 << 26 });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string | { file: string } } }[] };
  const paths = diagnostics.filter(({ category }) => restricting.includes(category)).map(({ location }) => location.path);
  return new Set(paths.map((path) => (typeof path === 'string' ? path : path.file)).map((path) => relative(folder, join(folder, path))));
}
