// The npm packages, and the pinned Node that everything else runs on.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isExecutable, outerNode, outputOf, repository, run, Stop, say, which } from './command.mjs';
import { inTurn } from './in-turn.mjs';

const modules = join(repository, 'node_modules');
const marker = join(modules, '.tollgate-installed');
const nodePackage = join(modules, 'node');

export const node24 = join(modules, '.bin', 'node');

/** Installs what the lockfile names, unless exactly that is there already. */
export async function installPackages() {
  const lockfile = readFileSync(join(repository, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lockfile).update(process.platform).update(process.arch).digest('hex');
  await inTurn(
    () => readMarker() === hash && nodeRuns(),
    async () => {
      if (!matchesLockfile(JSON.parse(lockfile))) await cleanInstall();
      if (!nodeRuns()) await installNode();
      writeFileSync(marker, hash);
    },
  );
}

async function cleanInstall() {
  say('Installing npm packages (first start, or the lockfile changed; about a minute) ...');
  const startedAt = Date.now();
  // No install script is needed but that of `node`, which installNode runs: the rest would only compile optional extras.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  let code = await npm(['ci', ...flags], { label: 'npm ci' });
  if (code !== 0) {
    say('npm ci refused (its own words stand above). Trying npm install, which is less strict about the lockfile ...');
    code = await npm(['install', '--no-save', ...flags], { label: 'npm install' });
  }
  if (code !== 0)
    throw new Stop('The npm packages could not be installed. Is the npm registry reachable, and may this user write to node_modules?');
  say(`  packages installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** The npm package `node` fetches the binary for this machine in its preinstall script, the only script we run. */
async function installNode() {
  const { version } = JSON.parse(readFileSync(join(nodePackage, 'package.json'), 'utf8'));
  say(`Fetching Node ${version} (used for this project only) ...`);
  const node = outerNode();
  const npmFolder = dirname(which('npm') ?? node);
  const env = { ...process.env, PATH: [dirname(node), npmFolder, process.env.PATH].join(delimiter) };
  const code = await run(node, ['installArchSpecificPackage.js'], { cwd: nodePackage, label: 'node', quiet: true, env });
  if (code === 0 && !existsSync(node24)) symlinkSync('../node/bin/node', node24); // npm links only what was there when it looked
  if (code === 0 && nodeRuns()) return;
  throw new Stop(
    `Node ${version} for ${process.platform}-${process.arch} could not be fetched from npm. Try again with a reachable registry.`,
  );
}

function nodeRuns() {
  return isExecutable(node24) && (outputOf(node24, ['--version']) ?? '').startsWith('v24.');
}

/** Whether npm's own record of what stands in node_modules agrees with the lockfile (someone ran npm by hand). */
function matchesLockfile(lockfile) {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lockfile.packages).every(([path, wanted]) => {
    if (!path.includes('node_modules/') || wanted.optional || wanted.link || path.startsWith('node_modules/node/')) return true;
    return installed[path]?.version === wanted.version;
  });
}

function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js') && existsSync(cli)) return run(outerNode(), [cli, ...args], options);
  return run('npm', args, options);
}

function readMarker() {
  return existsSync(marker) ? readFileSync(marker, 'utf8') : undefined;
}
