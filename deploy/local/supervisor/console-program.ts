import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { dataFolder } from './data-folder.ts';
import { redisUrl, storeUri } from './engines.ts';
import { keysBeside } from './plan.ts';
import { Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { environment, readSettings, repository } from './settings.ts';

/**
 * Runs a program of the console on the datastores of this installation. Resolves to its exit code. Throws Refusal where Tollgate is not
 * running. `name`: of a file in services/console/src.
 */
export async function runConsoleProgram(name: string, args: readonly string[] = []): Promise<number> {
  const env = environment();
  const settings = readSettings(env);
  const folder = dataFolder(settings.DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state?.isReady || !stillRuns(state.supervisor))
    throw new Refusal(`Tollgate is not running (data folder ${folder.root}): start it first (npm start).`);
  const secrets = readOrMakeSecrets(folder.secretsFile);
  const own = {
    ...(settings.MONGODB_URI === undefined && { MONGODB_URI: storeUri(folder), MONGODB_CA_FILE: '' }),
    ...(settings.REDIS_URL === undefined && { REDIS_URL: redisUrl(folder, secrets.redisPassword) }),
    MASTER_KEY: settings.MASTER_KEY ?? secrets.masterKey,
    MASTER_KEYS_ALSO: keysBeside(settings, secrets),
  };
  const program = join(repository, 'services/console/src', name);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...env, ...own },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
