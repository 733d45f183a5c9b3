import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../repository.ts';

/**
 * `npm run t -- <file…> [mocha's options]`: runs just these test files, from any folder. `--watch` runs them again whenever they or what they
 * import change; `--inspect-brk` waits for a debugger.
 */
function main(args: string[]): void {
  if (!args.some((arg) => !arg.startsWith('-'))) {
    process.stderr.write('Usage: npm run t -- <test file…> [-g title] [--watch] [--inspect-brk]\n');
    process.exitCode = 1;
    return;
  }
  // Node watches instead of mocha, which does not load ES modules again.
  const nodeFlags = args.includes('--watch') ? ['--watch', '--watch-preserve-output'] : [];
  const startedIn = process.env.INIT_CWD ?? repository;
  const given = args.filter((arg) => arg !== '--watch');
  const inPlace = given.map((arg) => [join(startedIn, arg), join(repository, arg)].find(existsSync) ?? arg);
  const mocha = join(repository, 'node_modules/mocha/bin/mocha.js');
  const child = spawn(process.execPath, [...nodeFlags, mocha, '--exit', ...inPlace], { cwd: repository, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

main(process.argv.slice(2));
