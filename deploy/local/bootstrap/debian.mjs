// Debian packages: installed as root, or unpacked into the data folder by a user who may not install.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRoot, outputOf, run, Stop, say, which } from './command.mjs';

/** A machine that has just been set up is often at its own updates. */
const waiting = '-oDPkg::Lock::Timeout=300';
const quietly = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

/** As root: installs the packages. Resolves to whether that worked; the package lists are fetched only when needed. */
export async function aptInstall(packages) {
  if (!isRoot || !which('apt-get')) return false;
  const install = () =>
    run('apt-get', ['install', '-y', '-qq', waiting, '--no-install-recommends', ...packages], {
      env: quietly,
      quiet: true,
      label: 'apt-get',
    });
  say(`Installing ${packages.join(', ')} with apt-get ...`);
  const listsAreThere = readdirSync('/var/lib/apt/lists').some((name) => name.endsWith('Packages') || name.includes('_Packages.'));
  if (listsAreThere && (await install()) === 0) return true;
  if ((await run('apt-get', ['update', '-qq'], { env: quietly, quiet: true, label: 'apt-get update' })) !== 0) return false;
  return (await install()) === 0;
}

/**
 * Without root: downloads the packages and those of their dependencies that this machine lacks, unpacks them below
 * `folder`/root, and writes a launcher for each program into `folder`/bin. Resolves to whether the programs are there.
 */
export async function aptUnpack(packages, programs, folder) {
  if (!which('apt-get') || !which('apt-cache') || !which('dpkg-deb')) return false;
  say(`Fetching ${packages.join(', ')} from Debian into ${folder} (no root needed) ...`);
  const debs = join(folder, 'debs');
  // Not by Node, which never returns where a folder cannot be made, as below /proc.
  if (outputOf('mkdir', ['-p', debs]) === undefined)
    throw new Stop(`${folder} cannot be made. Name another data folder with DATA_DIR=/path npm start`);
  const apt = (await aptWithLists(packages, folder)) ?? [];
  const missing = missingWithDependencies(packages, apt);
  if ((await run('apt-get', [...apt, 'download', '-qq', ...missing], { cwd: debs, quiet: true, label: 'apt-get download' })) !== 0)
    return false;
  for (const file of readdirSync(debs).filter((name) => name.endsWith('.deb'))) {
    if ((await run('dpkg-deb', ['-x', join(debs, file), join(folder, 'root')], { quiet: true })) !== 0) return false;
  }
  for (const used of [debs, join(folder, 'apt')]) rmSync(used, { recursive: true, force: true });
  return programs.map((program) => writeLauncher(folder, program)).every(Boolean);
}

/** The apt options under which the packages are known: none, or package lists of our own where the system has none. */
async function aptWithLists(packages, folder) {
  if (isKnown(packages, [])) return [];
  const state = join(folder, 'apt');
  for (const sub of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(state, sub), { recursive: true });
  const options = [
    '-o',
    `Dir::State::lists=${join(state, 'lists')}`,
    '-o',
    `Dir::Cache=${join(state, 'cache')}`,
    '-o',
    'Debug::NoLocking=1',
  ];
  await run('apt-get', [...options, 'update', '-qq'], { quiet: true, label: 'apt-get update' });
  return isKnown(packages, options) ? options : undefined;
}

function isKnown(packages, options) {
  return packages.every((name) => (outputOf('apt-cache', [...options, 'policy', name]) ?? '').match(/Candidate: (?!\(none\))/));
}

function missingWithDependencies(packages, options) {
  const flags = ['--recurse', '--no-recommends', '--no-suggests', '--no-conflicts', '--no-breaks', '--no-replaces', '--no-enhances'];
  const listed = outputOf('apt-cache', [...options, 'depends', ...flags, ...packages]) ?? '';
  const names = new Set(packages);
  for (const line of listed.split('\n')) if (/^[a-z0-9]/.test(line)) names.add(line.trim());
  return [...names].filter(
    (name) => packages.includes(name) || !outputOf('dpkg-query', ['-W', `-f=$\{Status}`, name])?.includes('install ok'),
  );
}

function writeLauncher(folder, program) {
  const root = join(folder, 'root');
  // A folder in usr/lib comes first: a wrapper in usr/bin would look for the program where it is not installed.
  const library = join(root, 'usr/lib');
  const ownFolders = existsSync(library) ? readdirSync(library).map((name) => join('usr/lib', name)) : [];
  const real = [...ownFolders, 'usr/bin', 'usr/sbin', 'bin'].map((sub) => join(root, sub, program)).find(existsSync);
  if (!real) return false;
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const triplets = ['usr/lib', 'lib'].flatMap((sub) => {
    const base = join(root, sub);
    if (!existsSync(base)) return [];
    return [
      base,
      ...readdirSync(base)
        .filter((name) => name.includes('-linux-'))
        .map((name) => join(base, name)),
    ];
  });
  writeFileSync(join(bin, program), `#!/bin/sh\nLD_LIBRARY_PATH='${triplets.join(':')}' exec '${real}' "$@"\n`);
  chmodSync(join(bin, program), 0o755);
  return outputOf(join(bin, program), ['--version']) !== undefined;
}
