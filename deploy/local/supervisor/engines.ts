import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damagedAof } from './aof-damage.ts';
import type { DataFolder } from './data-folder.ts';
import type { ProcessSpec } from './managed-process.ts';
import { probeMongo } from './probe-mongo.ts';
import { probeRedis } from './probe-redis.ts';
import { Refusal } from './refusal.ts';
import { repository } from './settings.ts';

const storeSocket = (folder: DataFolder) => join(folder.sockets, 'store.sock');
const redisSocket = (folder: DataFolder) => join(folder.sockets, 'redis.sock');

/** Where the bundled store of this folder answers. */
export const storeUri = (folder: DataFolder) => `mongodb://${encodeURIComponent(storeSocket(folder))}/tollgate`;

/** The same of its Redis, as ioredis takes it. */
export const redisUrl = (folder: DataFolder, password: string) => `${redisSocket(folder)}?password=${password}`;

/** The bundled store on a Unix socket. It knows no passwords: who may open the folder of the socket is who may use it. */
export function bundledStore(folder: DataFolder, env: Record<string, string>): { spec: ProcessSpec; uri: string } {
  const socket = storeSocket(folder);
  const uri = storeUri(folder);
  const spec: ProcessSpec = {
    name: 'store',
    kind: 'engine',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', join(repository, 'libs/embedded-mongo/src/main.ts')],
    env: { ...env, EMBEDDED_MONGO_PATH: folder.store, EMBEDDED_MONGO_SOCKET: socket },
    address: uri.slice(0, uri.lastIndexOf('/')),
    socket,
    probe: () => probeMongo(`${uri}?directConnection=true`),
  };
  return { spec, uri };
}

interface RedisOptions {
  program: string;
  password: string;
  appendfsync: 'everysec' | 'always';
  env: Record<string, string>;
}

/** A Redis on a Unix socket that keeps what it is told: append-only file, nothing evicted. It asks for a password besides. */
export function localRedis(folder: DataFolder, { program, password, appendfsync, env }: RedisOptions): { spec: ProcessSpec; url: string } {
  const socket = redisSocket(folder);
  writeFileSync(folder.redisConfig, redisConfig({ socket, password, appendfsync, dir: folder.redis }), { mode: 0o600 }); // not as arguments: `ps` shows those
  const url = redisUrl(folder, password);
  const spec: ProcessSpec = {
    name: 'redis',
    kind: 'engine',
    command: program,
    args: [folder.redisConfig],
    env,
    address: socket,
    socket,
    async before() {
      const file = await damagedAof(folder.redis);
      if (file !== undefined)
        throw new Refusal(`${file} is damaged, and Redis would drop all that stands behind the damage. ${repair(file)}`);
    },
    probe: () => probeRedis(url),
    advice: (lastWords) =>
      /append only file/i.test(lastWords) && !/no space left/i.test(lastWords)
        ? `A file of Redis is damaged. ${repair(join(folder.redis, 'appendonlydir', '<the file that it names>'))}`
        : undefined,
  };
  return { spec, url };
}

function repair(file: string): string {
  return `Put a backup in its place (npm run restore), or copy it and cut off what cannot be read: redis-check-aof --fix ${file}`;
}

function redisConfig({
  socket,
  password,
  appendfsync,
  dir,
}: Pick<RedisOptions, 'password' | 'appendfsync'> & { socket: string; dir: string }): string {
  return [
    'port 0',
    `unixsocket ${JSON.stringify(socket)}`,
    'unixsocketperm 700',
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
