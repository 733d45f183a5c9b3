import { expect } from 'chai';
import type { AnyCollection, Doc } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Updates', (target) => {
  const things = (): AnyCollection => target().db.collection('things');
  /** The document after one update of it. */
  const updated = async (before: Doc, update: Doc | Doc[], options = {}, filter: Doc = { _id: 1 }) => {
    await things().deleteMany({});
    await things().insertOne({ _id: 1, ...before });
    await things().updateOne(filter, update as never, options);
    const { _id, ...after } = (await things().findOne({ _id: 1 })) as Doc;
    return after;
  };

  it('set and unset fields, also dotted ones and inside arrays', async () => {
    expect(await updated({ a: 1 }, { $set: { b: 2, 'c.d': 3 } })).to.deep.equal({ a: 1, b: 2, c: { d: 3 } });
    expect(await updated({ a: 1, c: { d: 3, e: 4 } }, { $unset: { a: '', 'c.d': '', zz: '' } })).to.deep.equal({ c: { e: 4 } });
    expect(await updated({ list: [1, 2] }, { $set: { 'list.1': 9, 'list.3': 7 } })).to.deep.equal({ list: [1, 9, null, 7] });
    expect((await rejection(updated({ a: 1 }, { $set: { 'a.b': 1 } }))).code).to.equal(28);
  });

  it('calculate with $inc, $mul, $min and $max', async () => {
    expect(await updated({ n: 5 }, { $inc: { n: -2, fresh: 1, 'deep.n': 3 } })).to.deep.equal({ n: 3, fresh: 1, deep: { n: 3 } });
    expect(await updated({ n: 5 }, { $mul: { n: 3, fresh: 2 } })).to.deep.equal({ n: 15, fresh: 0 });
    expect(await updated({ n: 5, d: new Date(5) }, { $min: { n: 3 }, $max: { d: new Date(9), fresh: 1 } })).to.deep.equal({
      n: 3,
      d: new Date(9),
      fresh: 1,
    });
    expect((await rejection(updated({ n: 'x' }, { $inc: { n: 1 } }))).code).to.equal(14);
    expect((await rejection(updated({ n: 1 }, { $inc: { n: 'x' } }))).code).to.equal(14);
  });

  it('change arrays with $push, $addToSet, $pull, $pullAll and $pop', async () => {
    expect(await updated({ l: [1] }, { $push: { l: 2, fresh: 1 } })).to.deep.equal({ l: [1, 2], fresh: [1] });
    expect(await updated({ l: [3, 1] }, { $push: { l: { $each: [2, 5], $sort: 1, $slice: -3 } } })).to.deep.equal({ l: [2, 3, 5] });
    expect(await updated({ l: [1, 2] }, { $push: { l: { $each: [0], $position: 0, $slice: 2 } } })).to.deep.equal({ l: [0, 1] });
    expect(await updated({ l: [{ k: 2 }] }, { $push: { l: { $each: [{ k: 1 }], $sort: { k: 1 } } } })).to.deep.equal({
      l: [{ k: 1 }, { k: 2 }],
    });
    expect(await updated({ l: [1] }, { $addToSet: { l: { $each: [1, 2, { a: 1 }, { a: 1 }] } } })).to.deep.equal({ l: [1, 2, { a: 1 }] });
    expect(await updated({ l: [1, 2, 3, 2] }, { $pull: { l: 2 } })).to.deep.equal({ l: [1, 3] });
    expect(await updated({ l: [{ k: 1 }, { k: 5 }] }, { $pull: { l: { k: { $gte: 5 } } } })).to.deep.equal({ l: [{ k: 1 }] });
    expect(await updated({ l: [1, 2, 3] }, { $pullAll: { l: [1, 3] } })).to.deep.equal({ l: [2] });
    expect(await updated({ l: [1, 2, 3] }, { $pop: { l: 1 } })).to.deep.equal({ l: [1, 2] });
    expect((await rejection(updated({ l: 1 }, { $push: { l: 2 } }))).code).to.equal(2);
  });

  it('reach array elements by position and by filter', async () => {
    expect(
      await updated(
        {
          l: [
            { k: 1, n: 0 },
            { k: 2, n: 0 },
          ],
        },
        { $inc: { 'l.$.n': 1 } },
        {},
        { 'l.k': 2 },
      ),
    ).to.deep.equal({
      l: [
        { k: 1, n: 0 },
        { k: 2, n: 1 },
      ],
    });
    expect(await updated({ l: [1, 5, 9] }, { $set: { 'l.$[big]': 0 } }, { arrayFilters: [{ big: { $gt: 4 } }] })).to.deep.equal({
      l: [1, 0, 0],
    });
    expect(await updated({ l: [1, 5] }, { $inc: { 'l.$[]': 1 } })).to.deep.equal({ l: [2, 6] });
  });

  it('rename fields and set the current date', async () => {
    expect(await updated({ a: 1, b: 2 }, { $rename: { a: 'c' } })).to.deep.equal({ b: 2, c: 1 });
    expect((await updated({}, { $currentDate: { at: true } })).at).to.be.instanceOf(Date);
  });

  it('compute with a pipeline', async () => {
    expect(await updated({ a: 2, b: 3, x: 1 }, [{ $set: { sum: { $add: ['$a', '$b'] } } }, { $unset: 'x' }])).to.deep.equal({
      a: 2,
      b: 3,
      sum: 5,
    });
    expect(await updated({ n: 5 }, [{ $set: { n: { $cond: [{ $gt: ['$n', 3] }, 0, '$n'] } } }])).to.deep.equal({ n: 0 });
  });

  it('say how many they matched and how many they changed', async () => {
    await things().insertMany([
      { k: 1, v: 1 },
      { k: 1, v: 2 },
    ]);
    expect(await things().updateMany({ k: 1 }, { $set: { v: 2 } })).to.include({ matchedCount: 2, modifiedCount: 1, upsertedCount: 0 });
    expect(await things().updateOne({ k: 7 }, { $set: { v: 2 } })).to.include({ matchedCount: 0, modifiedCount: 0 });
  });

  it('insert on upsert: the filter, the update and $setOnInsert together', async () => {
    const outcome = await things().updateOne(
      { _id: 7, k: { $eq: 'a' }, n: { $gt: 3 }, 'deep.x': 1 },
      { $inc: { count: 1 }, $setOnInsert: { made: true } },
      { upsert: true },
    );
    expect(outcome).to.include({ matchedCount: 0, upsertedCount: 1, upsertedId: 7 });
    expect(await things().findOne({ _id: 7 })).to.deep.equal({ _id: 7, k: 'a', deep: { x: 1 }, count: 1, made: true });
    await things().updateOne({ _id: 7 }, { $inc: { count: 1 }, $setOnInsert: { made: false } }, { upsert: true });
    expect(await things().findOne({ _id: 7 })).to.include({ count: 2, made: true });
  });

  it('give the document before or after with findOneAndUpdate, and take the first in the order asked for', async () => {
    await things().insertMany([
      { _id: 1, n: 5 },
      { _id: 2, n: 9 },
    ]);
    expect(await things().findOneAndUpdate({}, { $inc: { n: 1 } }, { sort: { n: -1 } })).to.deep.equal({ _id: 2, n: 9 });
    expect(
      await things().findOneAndUpdate({}, { $inc: { n: 1 } }, { sort: { n: -1 }, returnDocument: 'after', projection: { _id: 0, n: 1 } }),
    ).to.deep.equal({ n: 11 });
    expect(await things().findOneAndUpdate({ _id: 3 }, { $set: { n: 1 } }, { upsert: true })).to.equal(null);
    expect(await things().findOneAndUpdate({ _id: 4 }, { $set: { n: 1 } }, { upsert: true, returnDocument: 'after' })).to.deep.equal({
      _id: 4,
      n: 1,
    });
    expect(await things().findOneAndReplace({ _id: 4 }, { m: 1 }, { returnDocument: 'after' })).to.deep.equal({ _id: 4, m: 1 });
    expect(await things().findOneAndDelete({ _id: 4 })).to.deep.equal({ _id: 4, m: 1 });
  });

  it('replace a document but never its _id', async () => {
    await things().insertOne({ _id: 1, a: 1 });
    await things().replaceOne({ _id: 1 }, { b: 2 });
    expect(await things().findOne({})).to.deep.equal({ _id: 1, b: 2 });
    expect((await rejection(things().replaceOne({ _id: 1 }, { _id: 2, b: 2 }))).code).to.equal(66);
    expect((await rejection(things().updateOne({ _id: 1 }, { $set: { _id: 2 } }))).code).to.equal(66);
  });

  it('refuse conflicting paths and unknown operators', async () => {
    expect((await rejection(updated({ a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }))).code).to.equal(40);
    expect((await rejection(updated({ a: 1 }, { $set: { 'a.b': 1 }, $unset: { a: '' } }))).code).to.equal(40);
    expect((await rejection(updated({ a: 1 }, { $zap: { a: 1 } }))).code).to.equal(9);
  });

  it('touch every document once, also when they move inside the index that finds them', async () => {
    await things().createIndex({ n: 1 });
    await things().insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    const { modifiedCount } = await things().updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } });
    expect(modifiedCount).to.equal(300);
    expect(await things().countDocuments({ n: { $gte: 1000, $lt: 1300 } })).to.equal(300);
  });
});

conformance('Updates in parallel', (target) => {
  it('lose no $inc of 500', async () => {
    const counters = target().db.collection<{ _id: number; n: number }>('counters');
    await Promise.all(
      Array.from({ length: 500 }, () =>
        counters
          .updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true })
          .catch((error) => (error.code === 11000 ? counters.updateOne({ _id: 1 }, { $inc: { n: 1 } }) : Promise.reject(error))),
      ),
    );
    expect(await counters.findOne({ _id: 1 })).to.deep.equal({ _id: 1, n: 500 });
  });

  it('let just as many of 300 guarded updates through as the balance affords', async () => {
    const wallets = target().db.collection<{ _id: number; balance: number; version: number }>('wallets');
    await wallets.insertOne({ _id: 1, balance: 1000, version: 0 });
    const outcomes = await Promise.all(
      Array.from({ length: 300 }, () => wallets.updateOne({ _id: 1, balance: { $gte: 7 } }, { $inc: { balance: -7, version: 1 } })),
    );
    expect(outcomes.filter(({ modifiedCount }) => modifiedCount === 1)).to.have.length(142);
    expect(await wallets.findOne({ _id: 1 })).to.deep.equal({ _id: 1, balance: 6, version: 142 });
  });

  it('make one document of many upserts on one unique key', async () => {
    const rows = target().db.collection('rows');
    await rows.createIndex({ key: 1 }, { unique: true });
    const upsert = (): Promise<unknown> =>
      rows
        .findOneAndUpdate({ key: 'k' }, { $inc: { n: 1 } }, { upsert: true })
        .catch((error) => ([11000, 112].includes(error.code) ? upsert() : Promise.reject(error)));
    await Promise.all(Array.from({ length: 100 }, upsert));
    expect(await rows.find().project({ _id: 0 }).toArray()).to.deep.equal([{ key: 'k', n: 100 }]);
  });
});
