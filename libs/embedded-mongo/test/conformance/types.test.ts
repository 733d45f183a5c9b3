import { expect } from 'chai';
import { type AnyCollection, Binary, Decimal128, type Doc, Double, Long, ObjectId, UUID } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Number types', (target) => {
  /** Reads and writes without turning anything into JavaScript's own numbers. */
  const raw = (): AnyCollection => target().db.collection('numbers', { promoteValues: false, promoteLongs: false });
  const kind = (value: unknown) => (value as { _bsontype?: string })?._bsontype ?? typeof value;
  const after = async (before: unknown, update: Doc | Doc[]) => {
    await raw().deleteMany({});
    await raw().insertOne({ _id: 1, n: before });
    await raw().updateOne({ _id: 1 }, update);
    return (await raw().findOne({}))?.n;
  };

  it('are kept as they were sent', async () => {
    await raw().insertOne({
      int: 5,
      double: new Double(5),
      fraction: 0.1,
      long: Long.fromNumber(5),
      huge: Long.fromString('9223372036854775807'),
      decimal: Decimal128.fromString('1.10'),
      negativeZero: -0,
    });
    const found = (await raw().findOne({})) as Doc;
    expect(['int', 'double', 'fraction', 'long', 'huge', 'decimal', 'negativeZero'].map((name) => kind(found[name]))).to.deep.equal([
      'Int32',
      'Double',
      'Double',
      'Long',
      'Long',
      'Decimal128',
      'Double',
    ]);
    expect([String(found.huge), String(found.decimal)]).to.deep.equal(['9223372036854775807', '1.10']);
    await raw().updateOne({}, { $set: { other: 1 } });
    const touched = (await raw().findOne({})) as Doc;
    expect(['int', 'double', 'long', 'decimal'].map((name) => kind(touched[name]))).to.deep.equal([
      'Int32',
      'Double',
      'Long',
      'Decimal128',
    ]);
    expect(Object.is((touched.negativeZero as { value: number }).value, -0)).to.equal(true);
  });

  it('follow the rules of $inc and $mul', async () => {
    expect(kind(await after(5, { $inc: { n: 1 } }))).to.equal('Int32');
    expect(await after(2147483647, { $inc: { n: 1 } })).to.satisfy((n: object) => kind(n) === 'Long' && n.toString() === '2147483648');
    expect(await after(Long.fromString('9007199254740993'), { $inc: { n: 2 } })).to.satisfy(
      (n: object) => n.toString() === '9007199254740995',
    );
    expect(kind(await after(Long.fromNumber(1), { $inc: { n: 1 } }))).to.equal('Long');
    expect(kind(await after(1, { $inc: { n: 0.5 } }))).to.equal('Double');
    expect(kind(await after(new Double(1), { $inc: { n: 1 } }))).to.equal('Double');
    expect(String(await after(Decimal128.fromString('0.1'), { $inc: { n: Decimal128.fromString('0.2') } }))).to.equal('0.3');
    expect(kind(await after(5, { $mul: { n: Long.fromNumber(2) } }))).to.equal('Long');
    expect(Number((await rejection(after(Long.MAX_VALUE, { $inc: { n: 1 } }))).code)).to.equal(2);
    expect(kind(await after(Long.fromNumber(5), [{ $set: { n: { $add: ['$n', 1] } } }]))).to.equal('Long');
  });

  it('compare by value across types', async () => {
    await raw().insertMany([
      { _id: 1, n: 5 },
      { _id: 2, n: new Double(5) },
      { _id: 3, n: Long.fromNumber(5) },
      { _id: 4, n: Decimal128.fromString('5') },
      { _id: 5, n: 5.5 },
      { _id: 6, n: Long.fromString('9007199254740993') },
      { _id: 7, n: 9007199254740992 },
    ]);
    const count = (filter: Doc) => target().db.collection('numbers').countDocuments(filter);
    expect(await count({ n: 5 })).to.equal(4);
    expect(await count({ n: { $gt: 5, $lt: 6 } })).to.equal(1);
    expect(await count({ n: { $gt: 9007199254740992 } })).to.equal(1);
  });

  it('pass through projections and aggregations', async () => {
    await raw().insertOne({ _id: 1, long: Long.fromNumber(5), decimal: Decimal128.fromString('1.10'), double: new Double(3) });
    const [row] = await raw()
      .aggregate([
        { $match: {} },
        { $addFields: { copy: '$long' } },
        { $sort: { _id: 1 } },
        { $project: { long: 1, decimal: 1, double: 1, copy: 1 } },
      ])
      .toArray();
    expect(['long', 'decimal', 'double', 'copy'].map((name) => kind(row[name]))).to.deep.equal(['Long', 'Decimal128', 'Double', 'Long']);
    const [sum] = await raw()
      .aggregate([{ $group: { _id: '$long', total: { $sum: '$decimal' }, most: { $max: '$double' }, longs: { $sum: '$long' } } }])
      .toArray();
    expect([kind(sum._id), kind(sum.total), kind(sum.most), kind(sum.longs)]).to.deep.equal(['Long', 'Decimal128', 'Double', 'Long']);
  });
});

conformance('Other types', (target) => {
  const things = (): AnyCollection => target().db.collection('things');

  it('are found by value: ids, dates, bytes, UUIDs and documents in the order of their fields', async () => {
    const [id, uuid] = [new ObjectId(), new UUID()];
    await things().insertOne({ id, uuid, bytes: new Binary(Buffer.from('abc')), at: new Date(-5), doc: { a: 1, b: 2 } });
    for (const filter of [{ id }, { uuid }, { bytes: new Binary(Buffer.from('abc')) }, { at: new Date(-5) }, { doc: { a: 1, b: 2 } }])
      expect(await things().countDocuments(filter), JSON.stringify(filter)).to.equal(1);
    for (const filter of [{ id: String(id) }, { bytes: new Binary(Buffer.from('abd')) }, { doc: { b: 2, a: 1 } }, { doc: { a: 1 } }])
      expect(await things().countDocuments(filter), JSON.stringify(filter)).to.equal(0);
  });

  it('are grouped by value', async () => {
    const id = new ObjectId();
    await things().insertMany([{ id }, { id: new ObjectId(id.toHexString()) }, { id: new ObjectId() }]);
    expect(
      (
        await things()
          .aggregate([{ $group: { _id: '$id', n: { $sum: 1 } } }, { $sort: { n: -1 } }, { $limit: 1 }])
          .toArray()
      )[0],
    ).to.deep.equal({ _id: id, n: 2 });
  });

  it('hold text of every script, and field names that look like properties of objects', async () => {
    const document = { text: 'héllo 世界 🎉 \u0000 end', constructor: 1, toString: 'x', __proto__x: 2, 'with space': 3 };
    await things().insertOne({ _id: 1, ...document });
    await things().updateOne({ _id: 1 }, { $set: { more: 1 } });
    expect(await things().findOne({ text: document.text })).to.deep.equal({ _id: 1, ...document, more: 1 });
    expect(await things().countDocuments({ text: /世界 🎉/ })).to.equal(1);
  });

  it('may be large, up to 16 MB', async () => {
    const text = 'x'.repeat(15 * 1024 * 1024);
    await things().insertOne({ _id: 1, text });
    expect((await things().findOne({ _id: 1 })).text.length).to.equal(text.length);
    await rejection(things().insertOne({ _id: 2, text: 'x'.repeat(17 * 1024 * 1024) }));
    expect((await rejection(things().updateOne({ _id: 1 }, { $set: { more: text } }))).code).to.be.oneOf([10334, 17419, 17420]);
    expect(await things().countDocuments()).to.equal(1);
  });
});
