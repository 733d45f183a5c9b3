import { resolve } from 'node:path';
import { readOptions } from './arguments.ts';
import { runConsoleProgram } from './console-program.ts';
import { answering, Refusal } from './refusal.ts';

const usage = [
  'Writes accounts, balances, tokens, channels, options, codes, orders and budgets into one file for another Tollgate. Tollgate must be running.',
  '  TOLLGATE_PASSPHRASE=... npm run export -- --to <file> [--logs]',
  'Keys and other secrets in the file are encrypted with the passphrase. --logs: the usage log, too.',
  'The other Tollgate reads it: TOLLGATE_PASSPHRASE=... npm run import -- --from <file>',
].join('\n');

const options = { to: { type: 'string' }, logs: { type: 'boolean', default: false } } as const;

/** `npm run export`: the console's program, on the database of this installation. */
async function exportTo(args: string[]): Promise<number> {
  const { to = '', logs } = readOptions(args, options, usage);
  if (to === '') throw new Refusal(usage);
  const path = resolve(process.env.INIT_CWD ?? process.cwd(), to);
  return runConsoleProgram('export.ts', ['--to', path, ...(logs ? ['--logs'] : [])]);
}

await answering(() => exportTo(process.argv.slice(2)));
