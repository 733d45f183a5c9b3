import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { readOptions } from './arguments.ts';
import { dataFolder } from './data-folder.ts';
import { storeUri } from './engines.ts';
import { answering, Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { environment, readSettings, repository } from './settings.ts';

const usage = [
  'Gives root a new password, printed once, where the old one or the second step is lost. Tollgate must be running.',
  '  npm run reset-root',
].join('\n');

/** `npm run reset-root`: the console's program, on the database of this installation. */
async function resetRoot(args: string[]): Promise<number> {
  readOptions(args, {}, usage);
  const env = environment();
  const settings = readSettings(env);
  const folder = dataFolder(settings.DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state?.isReady || !stillRuns(state.supervisor))
    throw new Refusal(`Tollgate is not running (data folder ${folder.root}): start it first (npm start).`);
  const database = settings.MONGODB_URI === undefined ? { MONGODB_URI: storeUri(folder), MONGODB_CA_FILE: '' } : {};
  const program = join(repository, 'services/console/src/reset-root.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...env, ...database },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

await answering(() => resetRoot(process.argv.slice(2)));
