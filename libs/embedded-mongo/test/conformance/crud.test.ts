import { expect } from 'chai';
import { type AnyCollection, Binary, Decimal128, type Doc, Double, Long, ObjectId } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Documents', (target) => {
  const things = (): AnyCollection => target().db.collection('things');

  it('come back as they were inserted, with _id first', async () => {
    const document = {
      name: 'a',
      nested: { list: [1, 'two', { three: null }], empty: {} },
      at: new Date(5),
      flag: true,
      bytes: new Binary(Buffer.from([0, 255]), 0),
      pattern: /a+/i,
    };
    const { insertedId } = await things().insertOne({ ...document });
    const found = await things().findOne({ _id: insertedId });
    expect(Object.keys(found ?? {})[0]).to.equal('_id');
    expect(found).to.deep.equal({ _id: insertedId, ...document });
  });

  it('are counted, with a filter, a limit and a skip', async () => {
    await things().insertMany([1, 2, 3, 4, 5].map((n) => ({ n })));
    expect(await things().countDocuments({ n: { $gt: 2 } })).to.equal(3);
    expect(await things().countDocuments({}, { skip: 1, limit: 3 })).to.equal(3);
    expect(await things().estimatedDocumentCount()).to.equal(5);
    expect(await target().db.collection('missing').countDocuments()).to.equal(0);
  });

  it('are matched by comparison, sets, existence, patterns and boolean operators', async () => {
    await things().insertMany([
      { _id: 1, n: 1, name: 'Alpha', tags: ['x', 'y'] },
      { _id: 2, n: 2.5, name: 'beta', tags: [] },
      { _id: 3, n: null, name: 'Gamma' },
      { _id: 4, name: 'delta', tags: ['y'], sub: { a: 1, list: [{ k: 1 }, { k: 2 }] } },
    ]);
    const ids = async (filter: object) => (await things().find(filter).sort({ _id: 1 }).toArray()).map(({ _id }: Doc) => _id);
    expect(await ids({ n: { $gte: 1, $lt: 2 } })).to.deep.equal([1]);
    expect(await ids({ n: { $ne: 1 } })).to.deep.equal([2, 3, 4]);
    expect(await ids({ n: null })).to.deep.equal([3, 4]);
    expect(await ids({ n: { $exists: false } })).to.deep.equal([4]);
    expect(await ids({ n: { $in: [1, null] } })).to.deep.equal([1, 3, 4]);
    expect(await ids({ n: { $nin: [1, 2.5] } })).to.deep.equal([3, 4]);
    expect(await ids({ name: /^a/i })).to.deep.equal([1]);
    expect(await ids({ name: { $regex: 'ta$' } })).to.deep.equal([2, 4]);
    expect(await ids({ name: { $not: /a$/ } })).to.deep.equal([]);
    expect(await ids({ n: { $not: { $gte: 2 } } })).to.deep.equal([1, 3, 4]);
    expect(await ids({ tags: { $not: { $gt: 'x' } } })).to.deep.equal([2, 3]);
    expect(await ids({ 'sub.list.k': { $not: { $gte: 2 } }, name: { $not: { $lt: 'b' } } })).to.deep.equal([2]);
    expect(await ids({ n: { $not: { $gt: 1, $lt: 3 } } })).to.deep.equal([1, 3, 4]);
    expect(await ids({ tags: 'y' })).to.deep.equal([1, 4]);
    expect(await ids({ tags: ['x', 'y'] })).to.deep.equal([1]);
    expect(await ids({ tags: { $ne: 'y' } })).to.deep.equal([2, 3]);
    expect(await ids({ tags: { $all: ['x', 'y'] } })).to.deep.equal([1]);
    expect(await ids({ tags: { $size: 0 } })).to.deep.equal([2]);
    expect(await ids({ 'sub.a': 1 })).to.deep.equal([4]);
    expect(await ids({ 'sub.list.k': 2 })).to.deep.equal([4]);
    expect(await ids({ 'sub.list.0.k': 2 })).to.deep.equal([]);
    expect(await ids({ 'sub.list': { $elemMatch: { k: { $gt: 1 } } } })).to.deep.equal([4]);
    await things().insertMany([
      { _id: 5, deep: [] },
      { _id: 6, deep: [1, null] },
      { _id: 7, deep: [{}] },
      { _id: 8, deep: 1 },
    ]);
    expect(await ids({ 'deep.x': null, _id: { $gt: 4 } })).to.deep.equal([7, 8]);
    await things().deleteMany({ _id: { $gt: 4 } });
    expect(await ids({ $or: [{ n: 1 }, { name: 'delta' }] })).to.deep.equal([1, 4]);
    expect(await ids({ $nor: [{ n: 1 }, { name: 'delta' }] })).to.deep.equal([2, 3]);
    expect(await ids({ $and: [{ tags: 'y' }, { n: 1 }] })).to.deep.equal([1]);
    expect(await ids({ $expr: { $gt: ['$n', 2] } })).to.deep.equal([2]);
    expect(await ids({ n: { $type: 'null' } })).to.deep.equal([3]);
  });

  it('compare only within one type, and sort across types in MongoDB order', async () => {
    await things().insertMany([
      { v: 'text' },
      { v: 5 },
      { v: null },
      { v: new Date(1) },
      { v: true },
      { v: new ObjectId() },
      { v: { a: 1 } },
      { v: [0] },
      {},
    ]);
    expect(await things().countDocuments({ v: { $gt: 0 } })).to.equal(1);
    expect(await things().countDocuments({ v: { $lt: 'u' } })).to.equal(1);
    const kinds = (
      await things()
        .find({ v: { $exists: true } })
        .sort({ v: 1 })
        .toArray()
    ).map(({ v }: Doc) => (v === null ? 'null' : (v as object).constructor.name));
    expect(kinds).to.deep.equal(['null', 'Array', 'Number', 'String', 'Object', 'ObjectId', 'Boolean', 'Date']);
  });

  it('are projected by inclusion, exclusion, dotted paths, $slice and $elemMatch', async () => {
    await things().insertOne({ _id: 1, a: 1, b: { c: 2, d: 3 }, list: [{ x: 1, y: 2 }, { x: 3, y: 4 }, 5] });
    const one = (projection: Doc) => things().findOne({}, { projection });
    expect(await one({ a: 1 })).to.deep.equal({ _id: 1, a: 1 });
    expect(await one({ a: 1, _id: 0 })).to.deep.equal({ a: 1 });
    expect(await one({ 'b.c': 1 })).to.deep.equal({ _id: 1, b: { c: 2 } });
    expect(await one({ list: 0, 'b.d': 0 })).to.deep.equal({ _id: 1, a: 1, b: { c: 2 } });
    expect(await one({ 'list.x': 1, _id: 0 })).to.deep.equal({ list: [{ x: 1 }, { x: 3 }] });
    expect(await one({ _id: 0 })).to.have.keys(['a', 'b', 'list']);
    expect((await one({ list: { $slice: 1 }, a: 1 }))?.list).to.deep.equal([{ x: 1, y: 2 }]);
    expect((await one({ list: { $elemMatch: { x: 3 } } }))?.list).to.deep.equal([{ x: 3, y: 4 }]);
    expect((await rejection(one({ a: 1, b: 0 }))).code).to.equal(31254);
  });

  it('give distinct values', async () => {
    await things().insertMany([{ k: 1 }, { k: 2 }, { k: 1 }, { k: [2, 3] }, {}]);
    expect((await things().distinct('k')).sort()).to.deep.equal([1, 2, 3]);
    expect(await things().distinct('k', { k: { $gt: 2 } })).to.include(3);
  });

  it('are deleted one or all', async () => {
    await things().insertMany([{ k: 1 }, { k: 1 }, { k: 2 }]);
    expect((await things().deleteOne({ k: 1 })).deletedCount).to.equal(1);
    expect((await things().deleteMany({ k: { $in: [1, 2] } })).deletedCount).to.equal(2);
    expect(await things().findOneAndDelete({ k: 1 })).to.equal(null);
  });

  it('stop at the first refused one of an ordered batch, and go on in an unordered one', async () => {
    await things().insertOne({ _id: 2 });
    const ordered = await rejection(things().insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]));
    expect(ordered.code).to.equal(11000);
    expect(await things().countDocuments()).to.equal(2);
    const unordered = await rejection(things().insertMany([{ _id: 1 }, { _id: 3 }, { _id: 2 }, { _id: 4 }], { ordered: false }));
    expect(unordered.writeErrors?.map(({ index, code }) => [index, code])).to.deep.equal([
      [0, 11000],
      [2, 11000],
    ]);
    expect(await things().countDocuments()).to.equal(4);
  });

  it('are found among many by texts and whole numbers, whatever way they hold these, in each order and after each change', async () => {
    const filler = 'y'.repeat(200);
    const rare: Doc[] = [
      { _id: 301, name: 'Alice (4711)', n: 77 },
      { _id: 802, name: 'before ALICE', n: Long.fromNumber(77) },
      { _id: 1203, name: ['nobody', 'alice'], n: new Double(77) },
      { _id: 1504, name: '艾丽丝 Alice', n: Decimal128.fromString('77') },
      { _id: 1905, name: 'ALI', mail: 'alice@x', n: [1, 77] },
      { _id: 2406, name: 'é-ALICE-4711', n: { n: 77 } },
    ];
    const common = Array.from({ length: 3000 }, (_, _id): Doc => ({ _id, name: `Bob ${_id}`, n: -_id, filler }));
    await things().insertMany(common.map((each) => rare.find(({ _id }) => _id === each._id) ?? each));
    const ids = async (filter: object, order: 1 | -1 = 1) =>
      (await things().find(filter).sort({ _id: order }).toArray()).map(({ _id }: Doc) => _id);
    const looksFor = async (filter: object, expected: number[]) => {
      expect(await ids(filter)).to.deep.equal(expected);
      expect(await ids(filter, -1)).to.deep.equal([...expected].reverse());
      expect((await things().find(filter).toArray()).length).to.equal(expected.length);
      expect(await things().countDocuments(filter)).to.equal(expected.length);
    };
    await looksFor({ name: /alice/i }, [301, 802, 1203, 1504, 2406]);
    await looksFor({ name: /Alice/ }, [301, 1504]);
    await looksFor({ name: /\(4711\)/i }, [301]);
    await looksFor({ name: /É-/i }, [2406]);
    await looksFor({ name: /丽/ }, [1504]);
    await looksFor({ $or: [{ name: /ALICE/i }, { mail: /ALICE/i }] }, [301, 802, 1203, 1504, 1905, 2406]);
    await looksFor({ $or: [{ name: /4711/ }, { _id: 1905 }] }, [301, 1905, 2406]);
    await looksFor({ $or: [{ name: /4711/ }, { n: { $exists: false } }] }, [301, 2406]);
    await looksFor({ n: 77 }, [301, 802, 1203, 1504, 1905]);
    await looksFor({ n: { $in: [77, -5] }, name: { $ne: 'Bob 5' } }, [301, 802, 1203, 1504, 1905]);
    await looksFor({ n: { $in: [77, -5] } }, [5, 301, 802, 1203, 1504, 1905]);
    await looksFor({ 'n.n': 77 }, [2406]);
    await looksFor({ n: 0 }, [0]);
    await looksFor({ name: 'ALI', n: 77 }, [1905]);
    await looksFor({ name: /nobody at all/i }, []);
    await things().createIndex({ filler: 1, _id: -1 });
    await looksFor({ filler: { $exists: true }, name: /bob 29\d\d/i, n: -2950 }, [2950]);
    await looksFor({ filler, n: { $in: [-10, -20, -2500] } }, [10, 20, 2500]);
    await things().updateMany({ name: /alice/i, n: 77 }, { $set: { n: 78 } });
    await looksFor({ n: 78 }, [301, 802, 1203, 1504]);
    await things().deleteMany({ name: /alice/i });
    await looksFor({ $or: [{ name: /alice/i }, { mail: /alice/i }] }, [1905]);
  });

  it('are refused with an _id that cannot be one', async () => {
    expect((await rejection(things().insertOne({ _id: [1] }))).code).to.be.oneOf([2, 53]);
    expect((await rejection(things().insertOne({ _id: /x/ }))).code).to.be.oneOf([2, 53]);
  });

  it('go through bulkWrite of mixed operations in order', async () => {
    const outcome = await things().bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 4 } } } },
      { updateOne: { filter: { _id: 9 }, update: { $set: { n: 9 } }, upsert: true } },
      { replaceOne: { filter: { _id: 1 }, replacement: { m: 1 } } },
      { deleteOne: { filter: { _id: 9 } } },
    ]);
    expect(outcome).to.include({ insertedCount: 1, modifiedCount: 2, upsertedCount: 1, deletedCount: 1 });
    expect(await things().find().toArray()).to.deep.equal([{ _id: 1, m: 1 }]);
  });
});
