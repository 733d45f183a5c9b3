import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { masterKeyId } from '@tollgate/db';
import { masterKeySetting } from '@tollgate/runtime/start';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { readOptions } from './arguments.ts';
import { backupFiles, copyFileSafely, writeManifest } from './backup-folder.ts';
import { type DataFolder, dataFolder } from './data-folder.ts';
import { redisUrl, storeUri } from './engines.ts';
import { takeLock } from './lock.ts';
import { makeFolder } from './make-folder.ts';
import { answering, endCommand, Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { environment, readSettings, refuseForeignEngines } from './settings.ts';

const usage = [
  'Copies everything of a running installation into a new folder: accounts, channels, logs, balances, calls under way.',
  '  npm run backup -- --to /a/folder [--without-secrets]',
  'Back comes all of it with npm run restore. --without-secrets: leave out secrets.json, which is then to be kept elsewhere.',
].join('\n');
const pollMs = 50;

/**
 * `npm run backup`. Redis is copied before the store, never the other way: what Redis held then is either in the store a little later, where
 * its id and marks keep it from being charged again, or still to be charged. The other way round, calls that were settled between
 * the two copies would be in neither.
 */
async function backUp(args: string[]): Promise<number> {
  const { to, withSecrets } = readArguments(args);
  const settings = readSettings(environment());
  refuseForeignEngines(settings);
  const folder = dataFolder(settings.DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state?.isReady || !stillRuns(state.supervisor))
    throw new Refusal(`Tollgate is not running (data folder ${folder.root}): start it, or copy the whole folder as it is.`);
  const lock = takeLock(folder.backupLock);
  if (!lock) throw new Refusal('Another backup of this installation is under way, with whose files this one would mix. Nothing was begun.');
  const secrets = readOrMakeSecrets(folder.secretsFile);
  const target = makeTarget(to);
  let isGivenUp = false;
  const giveUp = () => {
    isGivenUp = true;
    rmSync(target.partial, { recursive: true, force: true });
    say('Given up. Nothing was kept.');
    void endCommand(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, giveUp);
  try {
    const [redisAt, redis] = await copyRedis(folder, { password: secrets.redisPassword, to: join(target.partial, backupFiles.redis) });
    const [storeAt, store] = await copyStore(folder, join(target.partial, backupFiles.store));
    const files: Record<string, { bytes: number; sha256: string }> = { [backupFiles.redis]: redis, [backupFiles.store]: store };
    if (withSecrets) files[backupFiles.secrets] = await copyFileSafely(folder.secretsFile, join(target.partial, backupFiles.secrets));
    const masterKey = masterKeySetting.parse(settings.MASTER_KEY ?? secrets.masterKey);
    writeManifest(target.partial, { format: 1, redisAt, storeAt, masterKeyId: masterKeyId(masterKey), files });
    renameSync(target.partial, target.whole);
    say(`Backed up to ${target.whole} (${megabytes(redis.bytes + store.bytes)}).`);
    say(`What was answered until ${redisAt} is in it; of what came later, what was charged until ${storeAt}.`);
    for (const name of readdirSync(to).filter((each) => /^tollgate-.*\.partial$/.test(each)))
      say(`${join(to, name)} is left of a backup that was broken off, unless another installation makes one: delete it.`);
    say(whereTheKeyIs({ withSecrets, isSet: settings.MASTER_KEY !== undefined }));
    return 0;
  } catch (error) {
    rmSync(target.partial, { recursive: true, force: true });
    if (isGivenUp) return 1; // its files are gone from under it
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw new Refusal(`The disk of ${to} is full. Nothing was kept.`);
    throw error;
  } finally {
    lock.release();
  }
}

function whereTheKeyIs({ withSecrets, isSet }: { withSecrets: boolean; isSet: boolean }): string {
  if (isSet)
    return 'The master key is not in it: it comes from your settings (MASTER_KEY). Keep it, or stored channel keys cannot be opened.';
  if (withSecrets)
    return 'The master key is in it (secrets.json): whoever has the folder can open every stored key. Keep it as safe as them.';
  return 'The master key is not in it. Keep secrets.json of the data folder elsewhere: without it stored channel keys cannot be opened.';
}

/** A folder that gets its name when it is whole. Throws Refusal. */
function makeTarget(to: string): { partial: string; whole: string } {
  const whole = join(to, `tollgate-${new Date().toISOString().replace(/[:.]/g, '-')}`);
  const partial = `${whole}.partial`;
  try {
    makeFolder(partial);
    return { partial, whole };
  } catch (error) {
    throw new Refusal(`${to} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Has Redis write itself down as it is at one moment, and takes the file. */
async function copyRedis(folder: DataFolder, { password, to }: { password: string; to: string }) {
  const redis = new Redis(redisUrl(folder, password), { maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {}); // the command says it, too
  try {
    const at = await untilForked(redis);
    for (;;) {
      const persistence = await redis.info('persistence');
      if (/rdb_bgsave_in_progress:1/.test(persistence)) await delay(pollMs);
      else if (/rdb_last_bgsave_status:ok/.test(persistence)) break;
      else throw new Refusal('Redis could not write itself down: is the disk of the data folder full? Its log says more.');
    }
    const dump = join(folder.redis, 'dump.rdb');
    const copied = await copyFileSafely(dump, to);
    rmSync(dump);
    return [at, copied] as const;
  } finally {
    redis.disconnect();
  }
}

/** Begins the copy, after one or a rewriting that is under way. Resolves to the time just before the moment it is of. */
async function untilForked(redis: Redis): Promise<string> {
  for (;;) {
    const [seconds] = await redis.time();
    try {
      await redis.bgsave();
      return new Date(Number(seconds) * 1000).toISOString();
    } catch (error) {
      if (!/in progress|rewriting/i.test((error as Error).message)) throw error;
      await delay(pollMs);
    }
  }
}

async function copyStore(folder: DataFolder, to: string) {
  const client = new MongoClient(storeUri(folder), { directConnection: true });
  try {
    const at = new Date().toISOString();
    const { file } = await client.db('admin').command({ tollgateBackup: 1 });
    const copied = await copyFileSafely(file, to);
    rmSync(file);
    return [at, copied] as const;
  } finally {
    await client.close();
  }
}

function readArguments(args: string[]): { to: string; withSecrets: boolean } {
  const { to, 'without-secrets': withoutSecrets } = readOptions(
    args,
    { to: { type: 'string' }, 'without-secrets': { type: 'boolean', default: false } },
    usage,
  );
  if (!to) throw new Refusal(usage);
  return { to: resolve(to), withSecrets: !withoutSecrets };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await answering(() => backUp(process.argv.slice(2)));
