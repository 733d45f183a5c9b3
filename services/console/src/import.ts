// `npm run import`: a program of its own beside a running console; its environment names the database.
import { parseArgs } from 'node:util';
import { openAnnouncer } from '@tollgate/bus';
import { importLogChoices } from '@tollgate/contracts';
import { configureSealing, connectDatabase, disconnectDatabase, migrate, refuseForeignMasterKey } from '@tollgate/db';
import { createLogger, endProcess, loadConfig, mongoAccess, openEgress, redisAccess } from '@tollgate/runtime';
import { connectRedis, openWallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { createPasswords } from './auth/passwords.ts';
import { consoleEnv } from './config.ts';
import { openSource } from './import/open-source.ts';
import { emptyReport, reportText, undoText } from './import/report.ts';
import { isLogChoice } from './import/run.ts';
import { runImport } from './import/run-import.ts';
import { importedName, undoImport } from './import/undo-import.ts';
import { migrations } from './migrations.ts';

const options = {
  from: { type: 'string' },
  name: { type: 'string' },
  apply: { type: 'boolean', default: false },
  logs: { type: 'string', default: 'none' },
  grant: { type: 'string', default: '0' },
  undo: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { from = '', name, apply, logs, grant, undo, 'dry-run': isDry } = parseArgs({ options }).values;
  if (undo && from !== '') throw new Error('--undo takes back what was imported: it needs no --from');
  if (from === '' && !undo) throw new Error('--from names the database of the other gateway: a SQLite file, mysql://... or postgres://...');
  if (apply && isDry) throw new Error('--apply writes, --dry-run does not: name one of them');
  if (!(Number(grant) >= 0 && Number(grant) <= 1e6)) throw new Error('--grant takes US dollars, from 0 to 1000000');
  if (!isLogChoice(logs)) throw new Error(`--logs takes ${importLogChoices.join(', ')}`);
  if (name !== undefined && !/^[\w.-]{1,40}$/.test(name))
    throw new Error('--name may hold 1 to 40 letters, digits, dots, hyphens and underscores');
  const source = undo
    ? undefined
    : await openSource(from, { secret: process.env.TOLLGATE_PASSPHRASE || process.env.LITELLM_SALT_KEY, grant: Number(grant), logs });
  const config = loadConfig(consoleEnv, process.env);
  const logger = createLogger({ service: 'import', level: 'warn' });
  configureSealing(config.MASTER_KEY, config.MASTER_KEYS_ALSO);
  await connectDatabase(config.MONGODB_URI, mongoAccess(config));
  await refuseForeignMasterKey();
  await migrate(migrations, { logger });
  const redis = new Redis(config.REDIS_URL, { ...redisAccess(config), lazyConnect: true, enableAutoPipelining: true });
  await connectRedis(redis);
  const egress = openEgress(config);
  const wallet = openWallet({ redis });
  let text: string;
  if (source === undefined) {
    const run = { name: await importedName(name), apply, report: emptyReport(), wallet };
    await undoImport(run);
    text = undoText(run.report, { applied: apply, name: run.name });
  } else {
    const request = { source, name, apply, logs, wallet, passwords: createPasswords(), egress: egress.channels };
    const { report, product, name: known } = await runImport(request);
    text = reportText(report, { applied: apply, title: `Import from ${product}, known as ${known}` });
  }
  if (apply) await (await openAnnouncer(redis)).close(); // to open it has every process read again what it keeps
  process.stdout.write(text);
  await Promise.all([source?.close(), egress.close(), disconnectDatabase()]);
  redis.disconnect();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  await endProcess(1);
}
