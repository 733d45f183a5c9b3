import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable } from './engine-unavailable.ts';
import { type GuardedChild, startGuarded } from './guarded-child.ts';
import { freePort, untilListening } from './ports.ts';
import { findProgram } from './programs.ts';
import { type Restartable, restartable } from './restartable.ts';

/** A redis-server of the test's own. */
export interface RedisServer {
  url: string;
  port: number;
  dir: string;
  pid: number;
  /** Ends it with SIGKILL; the data folder stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and data (ends it cleanly first if it still runs). */
  restart(): Promise<void>;
  /** Ends it and removes a folder that it made itself. */
  stop(): Promise<void>;
}

interface RedisOptions {
  appendfsync?: 'always' | 'everysec';
  dir?: string;
  port?: number;
  /** More arguments of redis-server, such as `['--maxmemory', '50mb']`. */
  args?: string[];
}

/** Starts a redis-server (or valkey-server) on loopback, append-only file on. Throws EngineUnavailable when none is installed. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const program = await findProgram('redis-server', 'valkey-server');
  if (!program) throw new EngineUnavailable('no redis-server: install it, for example with "apt-get install -y redis-server"');
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tollgate-redis-')));
  const ownedFolder = options.dir ? undefined : dir;
  let port = options.port ?? (await freePort());
  const launch = async (): Promise<GuardedChild> => {
    const args = [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--daemonize', 'no'],
      ...['--appendonly', 'yes', '--appendfsync', options.appendfsync ?? 'everysec', '--maxmemory-policy', 'noeviction'],
      ...(options.args ?? []),
    ];
    const child = await startGuarded(program, args, { ownedFolder });
    await untilListening(port, child);
    return child;
  };
  let server: Restartable;
  try {
    server = await restartable(launch, ownedFolder);
  } catch (error) {
    if (options.port) throw error;
    port = await freePort(); // someone took the free port between our look and redis-server's
    server = await restartable(launch, ownedFolder);
  }
  return Object.assign(server, {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
  });
}
