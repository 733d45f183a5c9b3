import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { StoreUnusable, startEmbeddedMongo } from '../../src/index.ts';
import { dataFolder, MongoClient, startProcess, startStore } from '../servers.ts';

describe('Starting the bundled store', () => {
  let folder: Awaited<ReturnType<typeof dataFolder>>;
  beforeEach(async () => {
    folder = await dataFolder();
  });
  afterEach(() => folder.remove());

  const failure = async (path: string, options: { port?: number } = {}): Promise<string> => {
    try {
      const store = await startProcess(path, options);
      await store.kill('SIGKILL');
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it started');
  };

  it('says what it is and what its limits are', async () => {
    const { path } = folder;
    const printed = execFileSync(
      process.execPath,
      [
        '-e',
        `
      const { fork } = require('node:child_process');
      const child = fork(${JSON.stringify(join(import.meta.dirname, '../../src/main.ts'))}, { env: { ...process.env, EMBEDDED_MONGO_PATH: ${JSON.stringify(path)}, EMBEDDED_MONGO_PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
      let text = ''; child.stdout.on('data', (c) => { text += c; if (text.split('\\n').length > 2) child.kill('SIGTERM'); }); child.on('close', (code) => { process.stdout.write(text + 'code ' + code); });
    `,
      ],
      { encoding: 'utf8' },
    );
    expect(printed).to.match(/it is not MongoDB[\s\S]*limits: this machine only[\s\S]*code 0$/);
  });

  it('refuses a second process on its folder, and the first one works on', async () => {
    const first = await startProcess(folder.path);
    try {
      expect(await failure(folder.path)).to.match(/exit code 1: .*in use by another process/);
      const client = await MongoClient.connect(first.uri);
      expect(await client.db('t').command({ ping: 1 })).to.include({ ok: 1 });
      await client.close();
    } finally {
      await first.kill('SIGTERM');
    }
  });

  it('leaves a file alone that is not its own', async () => {
    const file = join(folder.path, 'store.sqlite');
    writeFileSync(file, 'something that someone may still need');
    expect(await failure(folder.path)).to.match(/exit code 1: .*not a file of the bundled store/);
    expect(readFileSync(file, 'utf8')).to.equal('something that someone may still need');
  });

  it('leaves the database of another program alone', async () => {
    const other = new DatabaseSync(join(folder.path, 'store.sqlite'));
    other.exec('CREATE TABLE precious (a); INSERT INTO precious VALUES (1)');
    other.close();
    expect(await failure(folder.path)).to.match(/belongs to another program/);
    const again = new DatabaseSync(join(folder.path, 'store.sqlite'));
    expect(again.prepare('SELECT a FROM precious').get()).to.include({ a: 1 });
    again.close();
  });

  it('says when its file is damaged, or of a newer version', async () => {
    const store = await startStore({ path: folder.path });
    await store.stop();
    const file = join(folder.path, 'store.sqlite');
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 7)]));
    expect(await failure(folder.path)).to.match(/damaged/);
    bytes.writeUInt32BE(99, 60);
    writeFileSync(file, bytes);
    expect(await failure(folder.path)).to.match(/newer version/);
  });

  it('names the folder that it cannot write to', async () => {
    const path = join(folder.path, 'readonly');
    mkdirSync(path);
    chmodSync(path, 0o555);
    chmodSync(folder.path, 0o755);
    const root = process.getuid?.() === 0; // who may write anywhere
    if (root) process.seteuid?.(65534);
    const outcome = await startEmbeddedMongo({ path, port: 0 })
      .finally(() => root && process.seteuid?.(0))
      .catch((error) => error);
    expect(outcome).to.be.instanceOf(StoreUnusable);
    expect(outcome.message).to.match(/readonly cannot be written \(EACCES\)/);
  });

  it('names the port that is taken, and the setting for it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    try {
      expect(await failure(folder.path, { port })).to.match(new RegExp(`port ${port} .*EMBEDDED_MONGO_PORT`));
    } finally {
      other.close();
    }
  });

  it('listens on loopback only', async () => {
    const outcome = await startEmbeddedMongo({ path: folder.path, port: 0, host: '0.0.0.0' }).catch((error) => error);
    expect(outcome).to.be.instanceOf(StoreUnusable);
    expect(existsSync(join(folder.path, 'store.sqlite'))).to.equal(false);
  });

  it('starts again on the same data after a clean stop', async () => {
    for (let n = 0; n < 3; n++) {
      const store = await startStore({ path: folder.path });
      const client = await MongoClient.connect(store.uri);
      await client.db('t').collection('rows').insertOne({ n });
      expect(await client.db('t').collection('rows').countDocuments()).to.equal(n + 1);
      await client.close();
      await store.stop();
    }
  });
});
