import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Installation, startInstallation } from '@tollgate/testing';
import { startProgram } from '../processes.ts';
import { fillVolume, logsOfDay, volumeDays } from './fill.ts';
import type { Volume } from './logs.ts';
import { repeatDay } from './multiply.ts';

const dayMs = 24 * 3_600_000;
const settings = { LOG_LEVEL: 'warn', API_REQUESTS_PER_MINUTE: '0', RELAY_PROCESSES: '1', BILLING_PROCESSES: '1' };
const storeFile = new URL('../../../libs/embedded-mongo/src/main.ts', import.meta.url).pathname;

/** An installation, and the moment at which the month of its calls ended. */
export interface Site {
  installation: Installation;
  untilMs: number;
}

/** The month of calls ended so long ago: all of its days are whole, and nothing of it is of "the last minute". */
const endedBeforeMs = 2 * dayMs;

/** An installation on a folder that holds a site of this size. It is filled first, while nothing but the store runs, unless that was done before. */
export async function startSite(dataDir: string, volume: Volume): Promise<Site> {
  const note = join(dataDir, 'volume.json');
  const filled = JSON.parse(await readFile(note, 'utf8').catch(() => 'null')) as (Volume & { untilMs: number }) | null;
  const untilMs = filled?.untilMs ?? Math.floor((Date.now() - endedBeforeMs) / dayMs) * dayMs;
  if (filled && JSON.stringify(filled) !== JSON.stringify({ ...volume, untilMs }))
    throw new Error(`${dataDir} holds a site of another size: ${JSON.stringify(filled)}`);
  if (!filled) {
    const empty = await startInstallation({ ...settings, DATA_DIR: dataDir });
    await empty.stop();
    const store = await startProgram('store', storeFile, {
      env: { EMBEDDED_MONGO_PATH: join(dataDir, 'store'), EMBEDDED_MONGO_PORT: '0' },
      readyWords: /mongodb:\/\/\S+/,
    });
    const { masterKey } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as { masterKey: string };
    await fillVolume(`${/mongodb:\/\/[^\s/]+/.exec(store.words)?.[0]}/tollgate`, volume, { masterKey, untilMs });
    await store.stop();
    repeatDay(join(dataDir, 'store/store.sqlite'), { days: volumeDays, logsOfDay: logsOfDay(volume) });
    await writeFile(note, JSON.stringify({ ...volume, untilMs }));
  }
  return { installation: await startInstallation({ ...settings, DATA_DIR: dataDir }), untilMs };
}
