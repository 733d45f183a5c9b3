import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { type EmbeddedMongo, type EmbeddedMongoOptions, startEmbeddedMongo } from '../src/index.ts';

export const { MongoClient, ObjectId, Long, Double, Int32, Decimal128, Binary, UUID } = mongoose.mongo;
export type Client = InstanceType<typeof MongoClient>;
export type Db = ReturnType<Client['db']>;
export type Doc = Record<string, unknown>;
/** A collection whose documents have ids and fields of every type. */
// biome-ignore lint/suspicious/noExplicitAny: that is what these tests are about
export type AnyCollection = { [method in keyof ReturnType<Db['collection']>]: any };

/** A folder of one test, and how to be rid of it. */
export async function dataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'bundled-store-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A store in this process, on a folder of its own unless one is named. */
export async function startStore(options: Partial<EmbeddedMongoOptions> = {}): Promise<EmbeddedMongo & { path: string }> {
  const folder = options.path ? { path: options.path, remove: async () => {} } : await dataFolder();
  const store = await startEmbeddedMongo({ port: 0, log: () => {}, ...options, path: folder.path });
  return {
    ...store,
    path: folder.path,
    async stop() {
      await store.stop();
      await folder.remove();
    },
  };
}

export interface StoreProcess {
  child: ChildProcess;
  uri: string;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** The store as a process of its own. Throws with what it printed when it does not start. */
export async function startProcess(path: string, { port = 0 }: { port?: number } = {}): Promise<StoreProcess> {
  const child = fork(join(import.meta.dirname, '../src/main.ts'), {
    env: { ...process.env, EMBEDDED_MONGO_PATH: path, EMBEDDED_MONGO_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  const uri = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      const found = /mongodb:\/\/\S+/.exec(printed)?.[0];
      if (found) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`exit code ${code}: ${printed}`)));
  });
  return {
    child,
    uri,
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
}
