import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable } from './engine-unavailable.ts';
import { type GuardedChild, startGuarded } from './guarded-child.ts';
import { freePort, untilListening } from './ports.ts';
import { restartable } from './restartable.ts';

/** The bundled store in a process of its own. */
export interface BundledMongo {
  /** Without a database name, ending in `/`. */
  uri: string;
  port: number;
  dir: string;
  pid: number;
  kill9(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const entry = join(import.meta.dirname, '../../embedded-mongo/src/main.ts');

/** Starts `libs/embedded-mongo` in a child process on loopback, by default on an empty folder of its own. */
export async function startBundledMongo(
  options: { dir?: string; port?: number; env?: Record<string, string> } = {},
): Promise<BundledMongo> {
  await access(entry).catch(() => {
    throw new EngineUnavailable(`the bundled store has no ${entry}`);
  });
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tollgate-store-')));
  const ownedFolder = options.dir ? undefined : dir;
  const port = options.port ?? (await freePort());
  const launch = async (): Promise<GuardedChild> => {
    const env = { ...options.env, EMBEDDED_MONGO_PATH: dir, EMBEDDED_MONGO_PORT: String(port) };
    const child = await startGuarded(process.execPath, ['--disable-warning=ExperimentalWarning', entry], { env, ownedFolder });
    await untilListening(port, child);
    return child;
  };
  return Object.assign(await restartable(launch, ownedFolder), {
    uri: `mongodb://127.0.0.1:${port}/`,
    port,
    dir,
  });
}
