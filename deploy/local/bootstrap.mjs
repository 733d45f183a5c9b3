// `npm start`, `npm run status`, `npm test` and their like begin here, on whatever Node >= 20 is installed and with no package
// in place. Provides what is missing, then hands over to the TypeScript programs on the project's own Node.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { passSignalsTo, repository, Stop, say } from './bootstrap/command.mjs';
import { provideRedis, provideTestPrograms } from './bootstrap/engines.mjs';
import { installPackages, node24 } from './bootstrap/packages.mjs';
import { buildWeb } from './bootstrap/web.mjs';

/** npm waits for what it runs: when it is gone, it was killed, and whoever did that wants us to end. Others may leave us alone. */
const parent = process.env.npm_lifecycle_event ? process.ppid : undefined;
const parentPollMs = 250;
/** A program that has told its exit code may take so long to be gone. Node can hang in its exit, deaf to signals: https://github.com/nodejs/node/issues/54918. */
const exitMs = 4_000;

const programs = {
  start: { entry: 'supervisor/main.ts', redis: true, web: true },
  dev: { entry: 'supervisor/main.ts', args: ['--dev'], redis: true },
  stop: { entry: 'supervisor/stop.ts' },
  status: { entry: 'supervisor/status.ts' },
  'copy-data': { entry: 'supervisor/copy-data.ts' },
  backup: { entry: 'supervisor/backup.ts' },
  'reset-root': { entry: 'supervisor/reset-root.ts' },
  import: { entry: 'supervisor/import.ts' },
  export: { entry: 'supervisor/export.ts' },
  restore: { entry: 'supervisor/restore.ts', redis: true },
  test: { entry: '../../tools/test-runner/main.ts', redis: true, tests: true },
  'test-file': { entry: '../../tools/test-runner/files.ts', redis: true },
  'test-faults': { entry: '../../tools/test-runner/faults.ts', redis: true, tests: true, web: true },
  bench: { entry: '../../bench/src/main.ts', redis: true, web: true },
  soak: { entry: '../../bench/src/soak/main.ts', redis: true, web: true },
  'build-web': { web: true },
};

async function main([command = '', ...args]) {
  const program = programs[command];
  if (!program) throw new Stop(`Usage: node deploy/local/bootstrap.mjs ${Object.keys(programs).join(' | ')}`);
  if (Number(process.versions.node.split('.')[0]) < 20)
    throw new Stop(`Tollgate needs Node 20 or newer to start; this is ${process.version}.`);
  if (process.platform === 'win32') throw new Stop('Tollgate runs on Linux and macOS. On Windows use WSL, or docker compose up.');
  await installPackages();
  const settings = { ...dotEnv(), ...process.env };
  const toolsFolder = resolve(repository, settings.DATA_DIR || '.data', 'tools');
  const isRedisGiven = Boolean(settings.REDIS_URL || settings.REDIS_URL_FILE);
  if (program.redis && (program.tests || !isRedisGiven)) await provideRedis(toolsFolder);
  if (program.tests) await provideTestPrograms(toolsFolder);
  if (program.web) await buildWeb();
  process.exitCode = program.entry ? await handOver(program.entry, [...(program.args ?? []), ...args]) : 0;
}

/** Runs the program in our place. It sees us go by its closed IPC channel, and gets the signals that reach only us. */
function handOver(entry, args) {
  const child = spawn(node24, ['--disable-warning=ExperimentalWarning', resolve(repository, 'deploy/local', entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    cwd: repository,
    env: { NODE_COMPILE_CACHE: resolve(repository, 'node_modules/.cache/node'), ...process.env },
  });
  passSignalsTo(child);
  const watch = setInterval(() => parent && process.ppid !== parent && child.kill('SIGTERM'), parentPollMs);
  let told;
  let cut;
  child.once('message', ({ exitCode }) => {
    told = exitCode;
    cut = setTimeout(() => child.kill('SIGKILL'), exitMs);
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => {
      clearInterval(watch);
      clearTimeout(cut);
      done(code ?? told ?? 1);
    });
  });
}

/** The plain `NAME=value` lines of .env. (The supervisor reads the file fully; older Nodes have no parser for it.) */
function dotEnv() {
  const lines = settingsFile().matchAll(/^[ \t]*([A-Z_]+)[ \t]*=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, unquoted(value.trim())]));
}

/** Of one that cannot be read the supervisor says so. */
function settingsFile() {
  try {
    return readFileSync(resolve(repository, process.env.ENV_FILE || '.env'), 'utf8');
  } catch {
    return '';
  }
}

function unquoted(text) {
  const isQuoted = text.length >= 2 && (text[0] === '"' || text[0] === "'") && text.endsWith(text[0]);
  return isQuoted ? text.slice(1, -1) : text;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  say(error.message);
  process.exitCode = 1;
}
