import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installation, startInstallation } from '@tollgate/testing';
import { startProgram } from '../processes.ts';
import { fillVolume, logsOfDay, volumeDays } from './fill.ts';
import type { Volume } from './logs.ts';
import { repeatDay } from './multiply.ts';

const settings = { LOG_LEVEL: 'warn', API_REQUESTS_PER_MINUTE: '0', RELAY_PROCESSES: '1', BILLING_PROCESSES: '1' };
const storeFile = new URL('../../../libs/embedded-mongo/src/main.ts', import.meta.url).pathname;

/** An installation on a folder that holds a site of this size. It is filled first, while nothing but the store runs, unless that was done before. */
export async function startSite(dataDir: string, volume: Volume): Promise<Installation> {
  const note = join(dataDir, 'volume.json');
  const filled = await readFile(note, 'utf8').catch(() => '');
  if (filled !== JSON.stringify(volume)) {
    if (filled !== '') throw new Error(`${dataDir} holds a site of another size: ${filled}`);
    const empty = await startInstallation({ ...settings, DATA_DIR: dataDir });
    await empty.stop();
    const store = await startProgram('store', storeFile, {
      env: { EMBEDDED_MONGO_PATH: join(dataDir, 'store'), EMBEDDED_MONGO_PORT: '0' },
      readyWords: /mongodb:\/\/\S+/,
    });
    const { masterKey } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as { masterKey: string };
    await fillVolume(`${/mongodb:\/\/[^\s/]+/.exec(store.words)?.[0]}/tollgate`, volume, masterKey);
    await store.stop();
    repeatDay(join(dataDir, 'store/store.sqlite'), { days: volumeDays, logsOfDay: logsOfDay(volume) });
    await writeFile(note, JSON.stringify(volume));
  }
  return startInstallation({ ...settings, DATA_DIR: dataDir });
}
