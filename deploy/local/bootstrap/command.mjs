// Small tools of the bootstrap: what it says, and how it runs other programs. Plain JavaScript: nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');
const endWithParent = `--import=${new URL('end-with-parent.mjs', import.meta.url)}`;
export const isRoot = process.getuid?.() === 0;

/** One line of progress for the person at the terminal. */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Ends the bootstrap with an explanation instead of a stack. */
export class Stop extends Error {}

/** The full path of the first of these programs that PATH has, or undefined. */
export function which(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      if (folder && isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** A `node` from outside this repository: `npm ci` replaces the one inside while it runs. */
export function outerNode() {
  const inside = `${repository}${sep}node_modules`;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder && !folder.startsWith(inside));
  if (!process.execPath.startsWith(inside)) return process.execPath;
  return folders.map((folder) => join(folder, 'node')).find(isExecutable) ?? process.execPath;
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a short command printed, or undefined when it failed. */
export function outputOf(command, args, options = {}) {
  const run = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'], ...options });
  return run.status === 0 ? run.stdout : undefined;
}

/** What asks us to stop is asked of the child, for as long as it runs; its end is then ours. Returns what was asked. */
export function passSignalsTo(child) {
  const passed = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const pass = () => {
      passed.push(signal);
      child.kill(signal);
    };
    process.on(signal, pass);
    child.once('close', () => process.off(signal, pass));
  }
  return passed;
}

/**
 * Runs a long command in sight of the user; says that it is still at work where no progress bar can be drawn. Resolves to the exit code.
 * Throws Stop when it was asked to end: nothing is tried in its place. A program of Node's ends when we are killed.
 */
export function run(command, args, { label, quiet = false, env = process.env, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = Date.now();
    const child = spawn(command, args, {
      cwd: repository,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, endWithParent].filter(Boolean).join(' ') },
      ...options,
    });
    const passed = passSignalsTo(child);
    const kept = [];
    const keep = (chunk) => {
      kept.push(chunk);
      if (kept.length > 200) kept.shift();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const isSilent = quiet || !process.stdout.isTTY;
    const timer =
      isSilent && label ? setInterval(() => say(`  ${label}: ${Math.round((Date.now() - startedAt) / 1000)} s ...`), 10_000) : undefined;
    const finish = (code) => {
      clearInterval(timer);
      if (passed.length > 0) return reject(new Stop(`Stopped by ${passed[0]}.`));
      if (code !== 0 && quiet) process.stderr.write(Buffer.concat(kept));
      resolve(code);
    };
    child.on('error', () => finish(127));
    child.on('close', (code) => finish(code ?? 1));
  });
}
