import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connectDatabase, disconnectDatabase, masterKeyId, rows } from '@tollgate/db';
import { masterKeySetting } from '@tollgate/runtime/start';
import { openWallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { readOptions } from './arguments.ts';
import { type BackupManifest, backupFiles, readManifest, takeFromBackup } from './backup-folder.ts';
import { type DataFolder, dataFolder, prepareDataFolder, removeSockets } from './data-folder.ts';
import { bundledStore, localRedis } from './engines.ts';
import { withEngines } from './engines-alone.ts';
import { endLeftovers } from './leftovers.ts';
import { takeLock } from './lock.ts';
import { redisProgram } from './plan.ts';
import { answering, Refusal } from './refusal.ts';
import { readRunState } from './run-state.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { environment, readSettings, refuseForeignEngines, type Settings } from './settings.ts';
import { markRestore, undoUnfinishedRestore, unmarkRestore } from './unfinished-restore.ts';

const usage = [
  'Puts what npm run backup copied into an empty data folder. Then start it: npm start.',
  '  npm run restore -- --from /a/folder/tollgate-2026-01-31T12-00-00-000Z',
].join('\n');

/** What is in a restored place, for people. */
interface Found {
  users: number;
  calls: number;
  newest: Date | undefined;
  open: number;
  reported: number;
}

/** `npm run restore`: checks the backup, puts its files in their places, starts both engines on them and brings Redis up to the store. */
async function restore(args: string[]): Promise<number> {
  const from = readArguments(args);
  const env = environment();
  const settings = readSettings(env);
  refuseForeignEngines(settings);
  const manifest = readManifest(from);
  const folder = dataFolder(settings.DATA_DIR);
  prepareDataFolder(folder);
  const lock = takeLock(folder.lockFile);
  if (!lock) throw new Refusal(`Tollgate is running with the data folder ${folder.root}. Name another one with DATA_DIR, or stop it.`);
  try {
    await endLeftovers(readRunState(folder.stateFile), say);
    undoUnfinishedRestore(folder);
    refuseFilled(folder);
    await placeFiles({ from, manifest, folder, settings });
    const found = await bringTogether({ folder, env, settings });
    unmarkRestore(folder);
    for (const line of wordsOf(found, manifest)) say(line);
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new Refusal(`The disk of ${folder.root} is full. Nothing was restored: make room, and restore again.`);
    throw error;
  } finally {
    removeSockets(folder);
    lock.release();
  }
}

function refuseFilled({ root, store, redis }: DataFolder): void {
  if (!existsSync(join(store, 'store.sqlite')) && readdirSync(redis).length === 0) return;
  throw new Refusal(`${root} holds an installation already, which stays as it is. Name an empty place with DATA_DIR, or move it away.`);
}

interface Placing {
  from: string;
  manifest: BackupManifest;
  folder: DataFolder;
  settings: Settings;
}

/** All files are looked at before the first one is where it is used, so that half a backup is never started. Throws Refusal. */
async function placeFiles({ from, manifest, folder, settings }: Placing): Promise<void> {
  const places: { name: string; place: string }[] = [
    { name: backupFiles.redis, place: join(folder.redis, 'appendonly.aof') }, // an append-only file may begin with such a snapshot
    { name: backupFiles.store, place: join(folder.store, 'store.sqlite') },
  ];
  if (existsSync(folder.secretsFile) || !manifest.files[backupFiles.secrets]) refuseMissingKey({ folder, manifest, settings });
  else places.unshift({ name: backupFiles.secrets, place: folder.secretsFile });
  const partial = (place: string) => join(folder.run, `restoring-${place.split('/').at(-1)}`);
  try {
    for (const { name, place } of places) await takeFromBackup(from, manifest, { name, to: partial(place) });
    if (places[0]?.name === backupFiles.secrets) refuseAnotherKey(partial(folder.secretsFile), { manifest, settings });
    markRestore(
      folder,
      places.map(({ place }) => place),
    );
    for (const { place } of places) renameSync(partial(place), place);
  } finally {
    for (const { place } of places) rmSync(partial(place), { force: true });
  }
}

function refuseMissingKey({ folder, manifest, settings }: Omit<Placing, 'from'>): void {
  const secretsFile = existsSync(folder.secretsFile) ? folder.secretsFile : undefined;
  if (secretsFile !== undefined || settings.MASTER_KEY !== undefined) {
    refuseAnotherKey(secretsFile, { manifest, settings });
    return;
  }
  throw new Refusal(
    `The backup was made without its secrets. Put the secrets.json that belongs to it (master key ${manifest.masterKeyId}) at ${folder.secretsFile}, or name its MASTER_KEY.`,
  );
}

/** What was sealed with one master key opens with no other: better said now than found out at the first call. */
function refuseAnotherKey(secretsFile: string | undefined, { manifest, settings }: Pick<Placing, 'manifest' | 'settings'>): void {
  const given = [settings.MASTER_KEY, ...(settings.MASTER_KEYS_ALSO ?? '').split(',')].filter((text) => text !== undefined && text !== '');
  const stored = secretsFile === undefined ? [] : [readOrMakeSecrets(secretsFile).masterKey];
  const used = settings.MASTER_KEY === undefined ? [...stored, ...given] : given;
  const ids = used.map((text) => masterKeyId(masterKeySetting.parse(text)));
  if (ids.includes(manifest.masterKeyId)) return;
  throw new Refusal(
    [
      `The backup's secrets were sealed with master key ${manifest.masterKeyId}; here is ${ids.join(', ')}, which opens none of them: channel keys, tokens, codes and`,
      'secret options would be lost. Give the right key: its secrets.json, or MASTER_KEY, or, to go on with a new one, the old one in MASTER_KEYS_ALSO.',
      'Nothing was restored.',
    ].join('\n'),
  );
}

/** Redis is older than the store: its copies of balances are set to the store's before anybody spends from them. */
async function bringTogether({
  folder,
  env,
  settings,
}: {
  folder: DataFolder;
  env: Record<string, string>;
  settings: Settings;
}): Promise<Found> {
  const store = bundledStore(folder, env);
  const password = readOrMakeSecrets(folder.secretsFile).redisPassword;
  const redis = localRedis(folder, { program: redisProgram(env), password, appendfsync: settings.REDIS_APPENDFSYNC, env });
  const use = async () => {
    const client = new Redis(redis.url);
    await connectDatabase(store.uri).catch(({ message }: Error) => {
      throw new Refusal(message);
    });
    try {
      const wallet = openWallet({ redis: client });
      await wallet.catchUp();
      const calls = { type: 2 };
      const [newest] = await rows
        .usageLogs()
        .find(calls, { projection: { at: 1 }, sort: { at: -1 }, limit: 1 })
        .toArray();
      return {
        users: await rows.wallets().countDocuments(),
        calls: await rows.usageLogs().countDocuments(calls),
        newest: newest?.at,
        ...(await wallet.counts()),
      };
    } finally {
      await disconnectDatabase();
      client.disconnect();
    }
  };
  return withEngines(folder, [store.spec, redis.spec], { stopTimeoutMs: settings.STOP_TIMEOUT_S * 1000, say, use });
}

function wordsOf({ users, calls, newest, open, reported }: Found, { redisAt, storeAt }: BackupManifest): string[] {
  return [
    `Restored: ${users} accounts, ${calls} calls in the log${newest ? `, the newest of ${newest.toISOString()}` : ''}.`,
    `${reported} calls were answered and wait to be charged, ${open} were under way: both are charged or given back once Tollgate runs.`,
    `Not in the backup: what was answered after ${redisAt}, unless it was charged before ${storeAt}. Such calls are in no log and cost nobody anything;`,
    'how many they are, your callers or providers can tell. Changes made in the console after that time are lost, too.',
    'Start it with: npm start',
  ];
}

function readArguments(args: string[]): string {
  const { from } = readOptions(args, { from: { type: 'string' } }, usage);
  if (!from) throw new Refusal(usage);
  return resolve(from);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await answering(() => restore(process.argv.slice(2)));
