import { expect } from 'chai';
import { type Client, MongoClient, startStore } from '../servers.ts';

describe('Many clients of one store', () => {
  let store: Awaited<ReturnType<typeof startStore>>;
  let client: Client;
  beforeEach(async () => {
    store = await startStore({ ttlIntervalMs: 50 });
    client = await MongoClient.connect(store.uri);
  });
  afterEach(async () => {
    await client.close();
    await store.stop();
  });

  const fill = (count: number) =>
    client
      .db('t')
      .collection<{ _id: number; n: number; text: string }>('rows')
      .insertMany(Array.from({ length: count }, (_, n) => ({ _id: n, n, text: 'x'.repeat(300) })));

  it('are answered while a large delete, a scan and an index build are under way', async function () {
    this.timeout(60_000);
    const rows = client.db('t').collection<{ _id: number; n: number; text: string }>('rows');
    await fill(60_000);
    for (const long of [
      () => rows.createIndex({ text: 1, n: 1 }),
      () => rows.countDocuments({ $expr: { $eq: [{ $strLenCP: '$text' }, 7] } }), // which takes each document apart
      () => rows.deleteMany({ n: { $gte: 0 } }),
    ]) {
      let done = false;
      let answered = 0;
      const work = long().then(() => {
        done = true;
      });
      while (!done) {
        await client.db('t').command({ ping: 1 });
        answered++;
      }
      await work;
      expect(answered).to.be.greaterThan(3);
    }
    expect(await rows.countDocuments({ text: /x/ })).to.equal(0);
  });

  it('find an index complete that was built while documents came and went', async function () {
    this.timeout(60_000);
    const rows = client.db('t').collection<{ _id: number; n: number; text: string }>('rows');
    await fill(5000);
    let building = true;
    const churn = (async () => {
      for (let i = 0; building; i++) {
        await rows.insertOne({ _id: 10_000 + i, n: i % 100, text: '' });
        await rows.updateOne({ _id: i }, { $set: { n: -5 } });
        await rows.deleteOne({ _id: 4000 + i });
      }
    })();
    await rows.createIndex({ n: 1 });
    building = false;
    await churn;
    const byIndex = (
      await rows
        .find({ n: { $gte: -10 } })
        .hint('n_1')
        .toArray()
    ).map(({ _id }) => _id);
    const byScan = (await rows.find().hint({ $natural: 1 }).toArray()).map(({ _id }) => _id);
    expect(byIndex.sort()).to.deep.equal(byScan.sort());
  });

  it('get an error, not half an answer, when what they read is dropped', async () => {
    const rows = client.db('t').collection<{ _id: number; n: number; text: string }>('rows');
    await fill(3000);
    await rows.createIndex({ n: 1 });
    const walks = [rows.find({}, { batchSize: 10 }), rows.find({ n: { $gte: 0 } }, { batchSize: 10 }).hint('n_1')];
    for (const walk of walks) await walk.next();
    await rows.dropIndex('n_1');
    const failures = [
      await walks[1]?.toArray().then(
        () => 0,
        (error) => error.code,
      ),
    ];
    await rows.drop();
    failures.push(
      await walks[0]?.toArray().then(
        () => 0,
        (error) => error.code,
      ),
    );
    expect(failures).to.deep.equal([175, 175]);
    expect(await client.db('t').command({ ping: 1 })).to.include({ ok: 1 });
  });

  it('no longer see documents whose lifetime is over', async () => {
    const sessions = client.db('t').collection('sessions');
    await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await sessions.insertMany([{ at: new Date(Date.now() - 61_000) }, { at: new Date() }, { at: 'no date' }, {}]);
    while ((await sessions.countDocuments()) > 3) await client.db('t').command({ ping: 1 });
    expect((await sessions.find().toArray()).filter(({ at }) => at instanceof Date)).to.have.length(1);
  });
});
