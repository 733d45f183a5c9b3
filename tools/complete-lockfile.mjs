// `npm run lockfile`: names in package-lock.json the builds of native tools for all platforms. npm leaves out those that its
// registry could not show when the lockfile was made, and `npm ci` then refuses the lockfile, on every platform.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const systems = {
  android: 'android',
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  windows: 'win32',
  freebsd: 'freebsd',
  openharmony: 'openharmony',
};
const processors = { arm64: 'arm64', x64: 'x64', 64: 'x64', arm: 'arm', ia32: 'ia32', riscv64: 'riscv64', ppc64: 'ppc64', s390x: 's390x' };

/** The lockfile with an entry for every optional build that a package names. Pure, so that a test can ask whether it is needed. */
export function completed(lockfile) {
  const packages = { ...lockfile.packages };
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const known = [`${path}/node_modules/${name}`, `node_modules/${name}`].some((place) => packages[place]);
      if (known || !/^\d/.test(version)) continue;
      const words = name.split('/').pop().split('-');
      const os = words.map((word) => systems[word]).find(Boolean);
      const cpu = words.map((word) => processors[word]).find(Boolean);
      if (!os || !cpu) continue;
      const libc = words.includes('musl') && { libc: ['musl'] };
      packages[`node_modules/${name}`] = { version, cpu: [cpu], ...(entry.dev && { dev: true }), ...libc, optional: true, os: [os] };
    }
  }
  return { ...lockfile, packages: Object.fromEntries(Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, 'en'))) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file, `${JSON.stringify(completed(JSON.parse(readFileSync(file, 'utf8'))), null, 2)}\n`);
}
