import { expect } from 'chai';
import mongoose from 'mongoose';
import type { AnyCollection, Doc } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Cursors', (target) => {
  const things = (): AnyCollection => target().db.collection('things');
  const fill = (count: number) =>
    things().insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, g: i % 10, text: 'x'.repeat(100) })));

  it('give everything once, in batches of any size', async () => {
    await fill(1234);
    for (const batchSize of [1, 7, 500, 5000]) {
      const ids: number[] = [];
      for await (const { _id } of things().find({ _id: { $gte: 1000 } }, { batchSize })) ids.push(_id);
      expect(ids).to.deep.equal(Array.from({ length: 234 }, (_, i) => 1000 + i));
    }
    expect(await things().find().toArray()).to.have.length(1234);
    expect(await things().find().limit(3).toArray()).to.have.length(3);
    expect(await things().find().skip(1230).toArray()).to.have.length(4);
  });

  it('go on sensibly while documents come and go', async () => {
    await fill(600);
    const cursor = things()
      .find({ _id: { $gte: 0 } }, { batchSize: 50 })
      .sort({ _id: 1 });
    const seen = new Set<number>();
    for await (const { _id } of cursor) {
      expect(seen.has(_id)).to.equal(false);
      seen.add(_id);
      if (_id === 40) await things().deleteMany({ _id: { $gte: 300, $lt: 400 } });
      if (_id === 50) await things().updateMany({ g: 1 }, { $set: { touched: true } });
    }
    expect(seen.size).to.be.within(500, 600);
  });

  it('end when they are closed, and are unknown afterwards', async () => {
    await fill(500);
    const cursor = things().find({}, { batchSize: 10 });
    await cursor.next();
    const { id } = cursor;
    await cursor.close();
    expect((await rejection(target().db.command({ getMore: id, collection: 'things' }))).code).to.equal(43);
  });

  it('list collections and databases', async () => {
    await fill(1);
    await target().db.createCollection('made');
    expect((await target().db.listCollections().toArray()).map(({ name }) => name)).to.have.members(['things', 'made']);
    expect(await target().db.listCollections({ name: 'made' }, { nameOnly: true }).toArray()).to.have.length(1);
    const again = await target()
      .db.createCollection('made')
      .then(
        () => 'the same options',
        (error) => error.code,
      ); // newer servers allow it
    expect(again).to.be.oneOf([48, 'the same options']);
    expect((await target().client.db().admin().listDatabases()).databases.map(({ name }) => name)).to.include(target().db.databaseName);
    await target().db.collection('made').rename('renamed');
    await target().db.collection('renamed').drop();
    await target().db.dropDatabase();
    expect(await target().db.listCollections().toArray()).to.deep.equal([]);
  });
});

conformance('The server', (target) => {
  it('answers who it is', async () => {
    const admin = target().client.db('admin');
    expect(await admin.command({ ping: 1 })).to.include({ ok: 1 });
    expect(await admin.command({ hello: 1 })).to.include({ isWritablePrimary: true, ok: 1 });
    expect((await admin.command({ buildInfo: 1 })).version).to.be.a('string');
    expect((await admin.command({ serverStatus: 1 })).uptime).to.be.a('number');
    expect(await admin.command({ connectionStatus: 1 })).to.include({ ok: 1 });
  });

  it('refuses commands that do not exist, and names that cannot be', async () => {
    expect((await rejection(target().db.command({ zap: 1 }))).code).to.equal(59);
    expect((await rejection(target().db.collection('a$b').insertOne({}))).code).to.equal(73);
  });

  it('takes sessions', async () => {
    const session = target().client.startSession();
    await target().db.collection('things').insertOne({ a: 1 }, { session });
    expect(await target().db.collection('things').findOne({ a: 1 }, { session })).to.include({ a: 1 });
    await session.endSession();
  });

  it('gives up an operation after maxTimeMS, or is done by then', async () => {
    const outcome = await target().db.collection('things').find({}, { maxTimeMS: 1000 }).toArray();
    expect(outcome).to.deep.equal([]);
  });

  it('carries a mongoose model: init, validation, populate, lean, versions, timestamps', async () => {
    const connection = await mongoose.createConnection(target().uri, { dbName: target().db.databaseName }).asPromise();
    try {
      const Author = connection.model(
        'Author',
        new mongoose.Schema({ name: { type: String, required: true, unique: true } }, { timestamps: true }),
      );
      const bookSchema = new mongoose.Schema({
        title: String,
        tags: [String],
        author: { type: mongoose.Schema.Types.ObjectId, ref: 'Author' },
        meta: { type: Map, of: Number },
      });
      bookSchema.index({ title: 1, author: -1 });
      const Book = connection.model('Book', bookSchema);
      await Promise.all([Author.init(), Book.init()]);
      const author = await Author.create({ name: 'Ann' });
      expect((await rejection(Author.create({ name: 'Ann' }))).code).to.equal(11000);
      await Book.insertMany([
        { title: 'One', author, meta: { pages: 3 } },
        { title: 'Two', author },
      ]);
      const book = await Book.findOne({ title: 'One' }).populate<{ author: Doc }>('author').orFail();
      expect(book.author.name).to.equal('Ann');
      book.tags.push('new');
      await book.save();
      expect(await Book.findOne({ tags: 'new' }).lean()).to.include({ title: 'One', __v: 1 });
      expect(
        await Book.findOneAndUpdate(
          { title: 'Three' },
          { $setOnInsert: { tags: ['t'] } },
          { upsert: true, returnDocument: 'after' },
        ).lean(),
      ).to.include({ title: 'Three' });
      await Book.syncIndexes();
      expect(await Book.countDocuments({ author: author._id })).to.equal(2);
      expect((await Book.bulkWrite([{ updateMany: { filter: {}, update: { $set: { title: 'Same' } } } }])).modifiedCount).to.equal(3);
      expect(await Book.exists({ title: 'Same' })).to.not.equal(null);
    } finally {
      await connection.close();
    }
  });
});
