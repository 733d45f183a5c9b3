import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readOptions } from './arguments.ts';
import { runConsoleProgram } from './console-program.ts';
import { answering, Refusal } from './refusal.ts';

const usage = [
  'Imports accounts, balances, tokens, channels, options and codes of new-api, one-api, LiteLLM or another Tollgate. Tollgate must be running.',
  '  npm run import -- --from <SQLite file | mysql://user:password@host/name | postgres://user:password@host/name> [--apply] [--logs none|months|all] [--name <name>]',
  '  npm run import -- --undo [--apply] [--name <name>]   takes an import back, until the first call',
  'Without --apply it only reports what would be made, changed and left out. Stop the old gateway first.',
  '--logs: the usage log as one row for each month, account and model, or each row by itself. Default: none.',
  '--grant: US dollars for each account of LiteLLM without a budget. LITELLM_SALT_KEY, TOLLGATE_PASSPHRASE: decrypt what the source encrypts.',
  '--name: what the source is known as, where more than one of a product is imported. Default: the product.',
].join('\n');

const options = {
  from: { type: 'string' },
  name: { type: 'string' },
  apply: { type: 'boolean', default: false },
  logs: { type: 'string', default: 'none' },
  grant: { type: 'string', default: '0' },
  undo: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

/** `npm run import`: the console's program, on the database of this installation. */
async function importFrom(args: string[]): Promise<number> {
  const { from = '', undo } = readOptions(args, options, usage);
  if (from === '' && !undo) throw new Refusal(usage);
  return runConsoleProgram('import.ts', withWholePath(args, from));
}

/** npm runs commands in the repository: a relative path is one of the folder in which the command was given. */
function withWholePath(args: string[], from: string): string[] {
  const whole = resolve(process.env.INIT_CWD ?? process.cwd(), from);
  if (from.includes('://') || !existsSync(whole)) return args;
  return args.map((each) => (each === from ? whole : each.replace(`--from=${from}`, `--from=${whole}`)));
}

await answering(() => importFrom(process.argv.slice(2)));
