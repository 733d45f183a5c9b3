import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { readOptions } from './arguments.ts';
import { dataFolder } from './data-folder.ts';
import { redisUrl, storeUri } from './engines.ts';
import { keysBeside } from './plan.ts';
import { answering, Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { environment, readSettings, repository } from './settings.ts';

const usage = [
  'Imports accounts, balances, tokens, channels, options and codes of one-api or new-api. Tollgate must be running.',
  '  npm run import -- --from <SQLite file | mysql://user:password@host/name | postgres://user:password@host/name> [--apply] [--name <name>]',
  'Without --apply it only reports what would be made, changed and left out. Stop the old gateway first.',
  '--name: what the source is known as, where more than one of a product is imported. Default: the product.',
].join('\n');

const options = {
  from: { type: 'string' },
  name: { type: 'string' },
  apply: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

/** `npm run import`: the console's program, on the database of this installation. */
async function importFrom(args: string[]): Promise<number> {
  const { from = '' } = readOptions(args, options, usage);
  if (from === '') throw new Refusal(usage);
  const env = environment();
  const settings = readSettings(env);
  const folder = dataFolder(settings.DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state?.isReady || !stillRuns(state.supervisor))
    throw new Refusal(`Tollgate is not running (data folder ${folder.root}): start it first (npm start).`);
  const secrets = readOrMakeSecrets(folder.secretsFile);
  const engines = {
    ...(settings.MONGODB_URI === undefined && { MONGODB_URI: storeUri(folder), MONGODB_CA_FILE: '' }),
    ...(settings.REDIS_URL === undefined && { REDIS_URL: redisUrl(folder, secrets.redisPassword) }),
    MASTER_KEY: settings.MASTER_KEY ?? secrets.masterKey,
    MASTER_KEYS_ALSO: keysBeside(settings, secrets),
  };
  const program = join(repository, 'services/console/src/import.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...withWholePath(args, from)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...env, ...engines },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** npm runs commands in the repository: a relative path is one of the folder in which the command was given. */
function withWholePath(args: string[], from: string): string[] {
  const whole = resolve(process.env.INIT_CWD ?? process.cwd(), from);
  if (from.includes('://') || !existsSync(whole)) return args;
  return args.map((each) => (each === from ? whole : each.replace(`--from=${from}`, `--from=${whole}`)));
}

await answering(() => importFrom(process.argv.slice(2)));
