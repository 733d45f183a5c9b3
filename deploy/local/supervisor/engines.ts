import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import type { ProcessSpec } from './managed-process.ts';
import { probeMongo } from './probe-mongo.ts';
import { probeRedis } from './probe-redis.ts';
import { repository } from './settings.ts';

/** The bundled store on a loopback port. */
export function bundledStore(folder: DataFolder, port: number, env: Record<string, string>): { spec: ProcessSpec; uri: string } {
  const uri = `mongodb://127.0.0.1:${port}/tollgate`;
  const spec: ProcessSpec = {
    name: 'store',
    kind: 'engine',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(repository, 'libs/embedded-mongo/src/main.ts')],
    env: { ...env, EMBEDDED_MONGO_PATH: folder.store, EMBEDDED_MONGO_PORT: String(port) },
    address: `mongodb://127.0.0.1:${port}`,
    probe: () => probeMongo(`${uri}?directConnection=true`),
  };
  return { spec, uri };
}

interface RedisOptions {
  port: number;
  program: string;
  password: string;
  appendfsync: 'everysec' | 'always';
  env: Record<string, string>;
}

/** A Redis on a loopback port that keeps what it is told: append-only file, nothing evicted. */
export function localRedis(
  folder: DataFolder,
  { port, program, password, appendfsync, env }: RedisOptions,
): { spec: ProcessSpec; url: string } {
  writeFileSync(folder.redisConfig, redisConfig({ port, password, appendfsync, dir: folder.redis }), { mode: 0o600 }); // not as arguments: `ps` shows those
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const spec: ProcessSpec = {
    name: 'redis',
    kind: 'engine',
    command: program,
    args: [folder.redisConfig],
    env,
    address: `redis://127.0.0.1:${port}`,
    probe: () => probeRedis(url),
  };
  return { spec, url };
}

function redisConfig({
  port,
  password,
  appendfsync,
  dir,
}: Pick<RedisOptions, 'port' | 'password' | 'appendfsync'> & { dir: string }): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(dir)}`,
    'appendonly yes',
    `appendfsync ${appendfsync}`,
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
    'always-show-logo no',
    '',
  ].join('\n');
}
