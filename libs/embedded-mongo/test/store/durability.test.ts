import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import { type Client, dataFolder, MongoClient, type StoreProcess, startProcess, startStore } from '../servers.ts';

interface Row {
  _id: number;
  writer: number;
  n: number;
}

describe('What was acknowledged', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    cleanUps.length = 0;
  });

  async function start(path: string): Promise<StoreProcess & { client: Client }> {
    const store = await startProcess(path);
    const client = await MongoClient.connect(store.uri, { serverSelectionTimeoutMS: 2000 });
    cleanUps.push(
      () => store.kill('SIGKILL'),
      () => client.close(),
    );
    return { ...store, client };
  }

  it('is there after kill -9 in the middle of 10 000 writes, with its index entries and counts', async function () {
    this.timeout(120_000);
    const folder = await dataFolder();
    cleanUps.push(() => folder.remove());
    const first = await start(folder.path);
    await first.client
      .db('t')
      .collection<Row>('rows')
      .createIndexes([{ key: { writer: 1, n: -1 } }, { key: { n: 1 } }]);
    const acknowledged: number[] = [];
    let killed = false;
    let sent = 0;
    const write = async (writer: number) => {
      while (!killed && sent < 12_000) {
        const _id = sent++;
        try {
          await first.client.db('t').collection<Row>('rows').insertOne({ _id, writer, n: _id });
        } catch {
          return;
        }
        acknowledged.push(_id);
        if (acknowledged.length === 10_000) {
          killed = true;
          first.child.kill('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, writer) => write(writer)));
    expect(acknowledged.length).to.be.at.least(10_000);

    const { client } = await start(folder.path);
    const rows = client.db('t').collection<Row>('rows');
    const there = new Set((await rows.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id));
    expect(acknowledged.filter((id) => !there.has(id))).to.deep.equal([]);
    expect(await rows.countDocuments({ writer: { $gte: 0 } }, { hint: 'writer_1_n_-1' })).to.equal(there.size);
    expect(
      await rows
        .find({ n: { $gte: 0 } })
        .hint({ n: 1 })
        .toArray(),
    ).to.have.length(there.size);
    expect(await rows.estimatedDocumentCount()).to.equal(there.size);
  });

  it('is exact for counters: every acknowledged $inc counted, none twice', async function () {
    this.timeout(60_000);
    const folder = await dataFolder();
    cleanUps.push(() => folder.remove());
    const first = await start(folder.path);
    const counters = first.client.db('t').collection<{ _id: number; n: number }>('counters');
    await counters.insertOne({ _id: 1, n: 0 });
    let [sent, acknowledged] = [0, 0];
    const count = async () => {
      while (acknowledged < 1000) {
        sent++;
        try {
          await counters.updateOne({ _id: 1 }, { $inc: { n: 1 } });
        } catch {
          return;
        }
        if (++acknowledged === 1000) first.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 20 }, count));
    const { client } = await start(folder.path);
    const found = await client.db('t').collection<{ _id: number; n: number }>('counters').findOne({ _id: 1 });
    expect(found?.n).to.be.within(acknowledged, sent);
  });

  /** A folder whose store was killed after 50 acknowledged rows, and the log that it had written. */
  async function killedWithFiftyRows(): Promise<{ path: string; log: string }> {
    const folder = await dataFolder();
    cleanUps.push(() => folder.remove());
    const first = await start(folder.path);
    const rows = first.client.db('t').collection<Row>('rows');
    await rows.createIndex({ n: 1 });
    for (let n = 0; n < 50; n++) await rows.insertOne({ _id: n, writer: 0, n });
    await first.kill('SIGKILL');
    return { path: folder.path, log: join(folder.path, 'store.sqlite-wal') };
  }

  it('survives a torn write at the end of the log', async function () {
    this.timeout(30_000);
    const { path, log } = await killedWithFiftyRows();
    truncateSync(log, statSync(log).size - 5000);
    const { client } = await start(path);
    const ids = (await client.db('t').collection<Row>('rows').find().sort({ n: 1 }).toArray()).map(({ _id }) => _id);
    expect(ids.length).to.be.within(45, 50);
    expect(ids).to.deep.equal(Array.from({ length: ids.length }, (_, n) => n));
    await client.db('t').collection<Row>('rows').insertOne({ _id: 100, writer: 0, n: 100 });
  });

  it('is all there when a write that nobody was told of is torn off behind it', async function () {
    this.timeout(30_000);
    const { path, log } = await killedWithFiftyRows();
    const written = readFileSync(log);
    const frame = written.subarray(-(24 + 8192)); // the last page that was written, begun a second time
    appendFileSync(log, frame.subarray(0, 3000));
    const { client } = await start(path);
    const found = await client.db('t').collection<Row>('rows').find().sort({ n: 1 }).toArray();
    expect(found.map(({ _id }) => _id)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n));
  });

  it('is there after SIGTERM, which answers what is under way and ends with code 0', async function () {
    this.timeout(30_000);
    const folder = await dataFolder();
    cleanUps.push(() => folder.remove());
    const first = await start(folder.path);
    const rows = first.client.db('t').collection<Row>('rows');
    const writes = Array.from({ length: 20 }, (_, n) =>
      rows.insertOne({ _id: n, writer: 0, n }).then(
        () => n,
        () => -1,
      ),
    );
    const acknowledged = await Promise.all([...writes, first.kill('SIGTERM').then((code) => expect(code).to.equal(0))]);
    const { client } = await start(folder.path);
    const there = (await client.db('t').collection<Row>('rows').find().toArray()).map(({ _id }) => _id);
    for (const id of acknowledged.filter((n) => typeof n === 'number' && n >= 0)) expect(there).to.include(id);
  });

  it('before a copy was asked for is in the copy, which is of one moment, and nobody makes two at once', async function () {
    this.timeout(60_000);
    const store = await startStore();
    cleanUps.push(() => store.stop());
    const client = await MongoClient.connect(store.uri);
    cleanUps.push(() => client.close());
    const rows = client.db('t').collection<Row>('rows');
    await rows.createIndex({ n: 1 });
    await rows.insertMany(Array.from({ length: 20_000 }, (_, _id) => ({ _id, writer: 0, n: _id })));
    let written = 20_000;
    let isCopying = true;
    const write = async () => {
      while (isCopying) {
        await rows.insertOne({ _id: written, writer: 1, n: written });
        written += 1;
      }
    };
    const writing = write();
    while (written < 20_010) await rows.findOne();
    const acknowledged = written;
    const copies = [1, 2].map(() => client.db('admin').command({ tollgateBackup: 1 }));
    const refusal = await copies[1]?.catch((error: Error) => error.message);
    const copied = await copies[0];
    isCopying = false;
    await writing;
    expect(refusal).to.contain('a copy of the store is being made already');
    const folder = await dataFolder();
    cleanUps.push(() => folder.remove());
    renameSync(copied?.file, join(folder.path, 'store.sqlite'));
    const found = (await start(folder.path)).client.db('t').collection<Row>('rows');
    const there = await found.countDocuments();
    expect(there).to.be.within(acknowledged, written);
    const [newest] = await found.find({}, { sort: { n: -1 }, limit: 1 }).toArray();
    expect(newest?.n, 'one after the other, none left out').to.equal(there - 1);
  });

  it('is copied as often as asked while others write without a pause', async function () {
    this.timeout(60_000);
    const store = await startStore();
    cleanUps.push(() => store.stop());
    const client = await MongoClient.connect(store.uri);
    cleanUps.push(() => client.close());
    const rows = client.db('t').collection<Row>('rows');
    let isCopying = true;
    const write = async (writer: number) => {
      for (let n = 0; isCopying; n += 1) {
        const first = 1_000_000 * writer + 200 * (n % 20);
        await rows.bulkWrite(
          Array.from({ length: 200 }, (_, i) => ({
            replaceOne: { filter: { _id: first + i }, replacement: { _id: first + i, writer, n }, upsert: true },
          })),
        );
      }
    };
    const writing = Promise.all([1, 2, 3, 4].map(write));
    while ((await rows.countDocuments()) < 2000) await rows.findOne();
    for (let copy = 0; copy < 20; copy += 1) expect((await client.db('admin').command({ tollgateBackup: 1 })).bytes).to.be.above(0);
    isCopying = false;
    await writing;
  });
});

describe('A full disk', () => {
  it('refuses writes with OutOfDiskSpace, goes on reading, and writes again when there is room', async function () {
    this.timeout(60_000);
    const disk = smallDisk(6 * 1024 * 1024);
    if (typeof disk === 'string') return skipBecause(this, disk);
    let store: Awaited<ReturnType<typeof startStore>> | undefined;
    const ballast = join(disk.path, 'ballast');
    try {
      execFileSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M', 'count=3', 'status=none']);
      store = await startStore({ path: join(disk.path, 'data') });
      await fillAndCheck(store.uri, { free: () => rmSync(ballast) });
    } finally {
      await store?.stop();
      disk.remove();
    }
  });

  it('is the same when the file may not grow any more (max_page_count)', async function () {
    this.timeout(60_000);
    const store = await startStore({ maxPages: 120 });
    try {
      await fillAndCheck(store.uri, {});
    } finally {
      await store.stop();
    }
  });
});

/** Writes until the disk is full; everything acknowledged must stay readable, by every way of reading. */
async function fillAndCheck(uri: string, { free }: { free?: () => void }): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const rows = client.db('t').collection<{ _id: number; n: number; text: string }>('rows');
    await rows.createIndex({ n: -1 });
    const acknowledged: number[] = [];
    let refused: { code?: number; message: string } | undefined;
    for (let _id = 0; _id < 5000 && refused === undefined; _id++) {
      await rows.insertOne({ _id, n: _id, text: 'x'.repeat(2000) }).then(
        () => acknowledged.push(_id),
        (error) => {
          refused = error;
        },
      );
    }
    expect(refused).to.include({ code: 14031 });
    expect(refused?.message).to.contain('no space left');
    const reads = await Promise.all([
      rows.countDocuments(),
      rows
        .find({ n: { $gte: 0 } })
        .sort({ n: 1 })
        .toArray(),
      rows.findOne({ _id: 3 }),
      rows.insertOne({ _id: -1, n: -1, text: 'x'.repeat(200_000) }).catch((error) => error.code),
    ]);
    expect(reads[0]).to.equal(acknowledged.length);
    expect(reads[1].map(({ _id }) => _id)).to.deep.equal(acknowledged);
    expect(reads[2]).to.include({ n: 3 });
    expect(reads[3]).to.equal(14031);
    if (!free) return;
    free();
    await rows.insertOne({ _id: 10_000, n: 10_000, text: 'again' });
    expect(
      await rows
        .find({ n: { $gte: 0 } })
        .hint('n_-1')
        .toArray(),
    ).to.have.length(acknowledged.length + 1);
  } finally {
    await client.close();
  }
}

/** A file system in memory, which only root may mount; else the reason why there is none. */
function smallDisk(bytes: number): { path: string; remove(): void } | string {
  if (process.getuid?.() !== 0) return 'only root can mount a small disk';
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    rmSync(path, { recursive: true });
    return `a small disk cannot be mounted here (${(error as Error).message.split('\n')[0]})`;
  }
  return {
    path,
    remove() {
      execFileSync('umount', [path]);
      rmSync(path, { recursive: true });
    },
  };
}
