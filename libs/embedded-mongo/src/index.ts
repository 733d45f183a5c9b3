import { CommandError, StoreUnusable } from './errors.ts';
import { startHousekeeping } from './housekeeping.ts';
import { mingo } from './mingo.ts';
import { listen } from './server.ts';
import type { DatabaseOptions } from './storage/database.ts';
import { openStore } from './store.ts';

export { StoreUnusable } from './errors.ts';

export interface EmbeddedMongoOptions extends DatabaseOptions {
  /** The data folder; made when it is missing. */
  path: string;
  /** On loopback; 0 picks a free one. */
  port?: number;
  /** A Unix socket instead of a port, ending in `.sock`. Who may open its folder may read and write everything. */
  socket?: string;
  /** A loopback address; default 127.0.0.1. */
  host?: string;
  /** How often TTL indexes are swept; MongoDB's own minute by default. */
  ttlIntervalMs?: number;
  /** Told about what an operator should know; default: standard error. */
  log?: (message: string) => void;
}

export interface EmbeddedMongo {
  uri: string;
  /** 0 on a Unix socket. */
  port: number;
  /** Answers what is under way, then closes the file. */
  stop(): Promise<void>;
}

/** Starts the bundled store. Throws: StoreUnusable with a message for the operator. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const {
    path,
    port = 0,
    socket,
    host = '127.0.0.1',
    ttlIntervalMs = 60_000,
    maxPages,
    log = (message) => process.stderr.write(`${message}\n`),
  } = options;
  if (!['127.0.0.1', '::1', 'localhost'].includes(host))
    throw new StoreUnusable(`the bundled store has no passwords and listens on loopback only, not on ${host}`);
  const store = openStore(path, { maxPages });
  const report = (error: unknown) =>
    log(`bundled store: ${error instanceof CommandError ? error.message : ((error as Error).stack ?? String(error))}`);
  try {
    const server = await listen(store, { at: socket === undefined ? { host, port } : { path: socket }, log: report });
    setTimeout(mingo, 300).unref(); // so that no client has to wait for it
    const stopHousekeeping = startHousekeeping(store, server.executor, { intervalMs: ttlIntervalMs });
    return {
      uri: `mongodb://${socket === undefined ? `${host.includes(':') ? `[${host}]` : host}:${server.port}` : encodeURIComponent(socket)}/`,
      port: server.port,
      async stop() {
        stopHousekeeping();
        await server.stop();
        store.database.close();
      },
    };
  } catch (error) {
    store.database.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new StoreUnusable(
        socket === undefined
          ? `port ${port} on ${host} is in use: name another one in EMBEDDED_MONGO_PORT`
          : `the socket ${socket} is there already: is another store running? If not, delete it`,
        { cause: error },
      );
    throw error;
  }
}
