import { loadConfig, mongoAccess, mongoAccessEnv, mongoUriSetting } from '@tollgate/runtime/start';
import { readOptions } from './arguments.ts';
import { copyDatabase } from './copy-database.ts';
import { dataFolder, prepareDataFolder, removeSockets } from './data-folder.ts';
import { bundledStore } from './engines.ts';
import { withEngines } from './engines-alone.ts';
import { endLeftovers } from './leftovers.ts';
import { takeLock } from './lock.ts';
import { checkGivenMongo, withoutPassword } from './probe-mongo.ts';
import { answering, Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { environment, readSettings } from './settings.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';

const usage = [
  'Copies everything from the bundled store into a MongoDB. Tollgate must be stopped.',
  '  npm run copy-data -- --to mongodb://user:password@host:27017/tollgate [--again]',
  "MONGODB_CA_FILE names the certificates of who signs the target's, where Node does not know them.",
  '--again: go on although the target already holds data (a copy that was interrupted); documents with the same _id are replaced.',
].join('\n');

/** `npm run copy-data`: moves a grown installation to a real MongoDB. The bundled store is only read. */
async function copyData(args: string[]): Promise<number> {
  const { to, again } = readArguments(args);
  const env = environment();
  const folder = dataFolder(readSettings(env).DATA_DIR);
  prepareDataFolder(folder);
  const lock = takeLock(folder.lockFile);
  if (!lock) throw new Refusal('Tollgate is running: stop it first (npm stop), so that nothing is written while it is copied.');
  refuseUnfinishedRestore(folder);
  await endLeftovers(readRunState(folder.stateFile), say);
  const access = mongoAccess(loadConfig(mongoAccessEnv, env));
  await checkGivenMongo('--to', to, access);
  const { spec, uri } = bundledStore(folder, env);
  try {
    const copying = { stopTimeoutMs: 40_000, say, use: () => copyDatabase({ from: uri, to, access, again, say }) };
    const copied = await withEngines(folder, [spec], copying);
    say(`Copied ${copied} documents to ${withoutPassword(to)}. Start with:`);
    say('  MONGODB_URI=<that URI> npm start');
    say(`Keep ${folder.secretsFile}: the channel keys in the database open only with the master key in it.`);
    return 0;
  } finally {
    removeSockets(folder);
    lock.release();
  }
}

function readArguments(args: string[]): { to: string; again: boolean } {
  const { to = '', again } = readOptions(args, { to: { type: 'string' }, again: { type: 'boolean', default: false } }, usage);
  if (to === '') throw new Refusal(usage);
  const { error } = mongoUriSetting.safeParse(to);
  if (error) throw new Refusal(`--to (${withoutPassword(to)}) ${error.issues[0]?.message}\n${usage}`);
  return { to, again };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await answering(() => copyData(process.argv.slice(2)));
