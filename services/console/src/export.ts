// `npm run export`: a program of its own beside a running console; its environment names the database.
import { parseArgs } from 'node:util';
import { shortestPassphrase } from '@tollgate/contracts';
import { configureSealing, connectDatabase, disconnectDatabase, refuseForeignMasterKey } from '@tollgate/db';
import { endProcess, loadConfig, mongoAccess } from '@tollgate/runtime';
import { consoleEnv } from './config.ts';
import { writeExport } from './export/write-export.ts';

const options = { to: { type: 'string' }, logs: { type: 'boolean', default: false } } as const;

async function main(): Promise<void> {
  const { to = '', logs } = parseArgs({ options }).values;
  if (to === '') throw new Error('--to names the file to make.');
  const passphrase = process.env.TOLLGATE_PASSPHRASE ?? '';
  if (passphrase.length < shortestPassphrase)
    throw new Error(`TOLLGATE_PASSPHRASE must hold at least ${shortestPassphrase} characters: the keys in the file are encrypted with it.`);
  const config = loadConfig(consoleEnv, process.env);
  configureSealing(config.MASTER_KEY, config.MASTER_KEYS_ALSO);
  await connectDatabase(config.MONGODB_URI, mongoAccess(config));
  await refuseForeignMasterKey();
  const counts = await writeExport({ path: to, passphrase, logs });
  const lines = Object.entries(counts).map(([table, count]) => `  ${table.padEnd(12)} ${String(count).padStart(8)}`);
  process.stdout.write([`Exported to ${to}`, '', ...lines, ''].join('\n'));
  await disconnectDatabase();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  await endProcess(1);
}
