import { expect } from 'chai';
import type { AnyCollection, Doc } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Indexes', (target) => {
  const things = (): AnyCollection => target().db.collection('things');

  it('are created, listed and dropped', async () => {
    expect(await things().createIndex({ a: 1, b: -1 })).to.equal('a_1_b_-1');
    await things().createIndexes([
      { key: { c: 1 }, name: 'own', unique: true },
      { key: { d: 1 }, sparse: true },
    ]);
    const listed: Doc[] = await things().indexes();
    expect(listed.map(({ name }) => name)).to.have.members(['_id_', 'a_1_b_-1', 'own', 'd_1']);
    expect(listed.find(({ name }) => name === 'own')).to.deep.include({ key: { c: 1 }, unique: true });
    await things().dropIndex('own');
    await things().dropIndexes();
    expect((await things().indexes()).map(({ name }: Doc) => name)).to.deep.equal(['_id_']);
    expect((await rejection(things().dropIndex('own'))).code).to.equal(27);
    expect((await rejection(target().db.collection('missing').indexes())).code).to.equal(26);
  });

  it('may be created again as they are, but not with other options', async () => {
    await things().createIndex({ a: 1 }, { unique: true });
    expect(await things().createIndex({ a: 1 }, { unique: true })).to.equal('a_1');
    expect((await rejection(things().createIndex({ a: 1 }))).code).to.be.oneOf([85, 86]);
    expect((await rejection(things().createIndex({ a: 1 }, { unique: true, name: 'other' }))).code).to.equal(85);
    expect((await rejection(things().createIndex({}))).code).to.equal(67);
  });

  it('are named by explain, with whether the rows had to be sorted', async () => {
    await things().createIndex({ user: 1, at: -1 });
    await things().insertMany(Array.from({ length: 50 }, (_, i) => ({ user: i % 5, at: i, other: i })));
    const walk = async (filter: Doc, sort: Doc) => {
      const text = JSON.stringify((await things().find(filter).sort(sort).explain('queryPlanner')).queryPlanner.winningPlan);
      return { index: /"indexName":"(\w+)"/.exec(text.replaceAll('-', ''))?.[1], sorts: text.includes('"SORT"') };
    };
    expect(await walk({ user: 3 }, { at: -1 })).to.deep.equal({ index: 'user_1_at_1', sorts: false });
    expect(await walk({ user: 3, at: { $gt: 40 } }, { at: -1, _id: -1 })).to.deep.equal({ index: 'user_1_at_1', sorts: true });
    expect(await walk({ other: 3 }, { other: 1 })).to.deep.equal({ index: undefined, sorts: true });
  });

  it('refuse a second document with the key of a unique index, and say which', async () => {
    await things().createIndex({ name: 1 }, { unique: true });
    await things().insertOne({ name: 'x', n: 1 });
    const duplicate = await rejection(things().insertOne({ name: 'x' }));
    expect(duplicate.code).to.equal(11000);
    expect(duplicate.message).to.match(/E11000 duplicate key error collection: .*things index: name_1 dup key: \{ name: "x" \}/);
    expect(duplicate).to.deep.include({ keyPattern: { name: 1 }, keyValue: { name: 'x' } });
    await things().insertOne({ name: 'y' });
    expect((await rejection(things().updateOne({ name: 'y' }, { $set: { name: 'x' } }))).code).to.equal(11000);
    expect((await rejection(things().findOneAndUpdate({ name: 'y' }, { $set: { name: 'x' } }))).code).to.equal(11000);
    expect(await things().countDocuments({ name: 'x' })).to.equal(1);
    await things().updateOne({ name: 'x' }, { $set: { name: 'x', n: 2 } });
    await things().deleteOne({ name: 'x' });
    await things().insertOne({ name: 'x' });
  });

  it('that were filled at once have documents in the order of keys, of which one begins as the other or goes on', async () => {
    const texts = ['', 'a', 'aa', 'aaa', 'a\u0000', 'a\u0000b', 'ab', 'b', 'ä', 'z'.repeat(300), `${'z'.repeat(300)}y`];
    await things().createIndex({ text: 1, n: -1 });
    await things().createIndex({ list: 1 });
    const documents = Array.from({ length: 700 }, (_, i) => ({
      _id: i,
      text: texts[(i * 7) % texts.length],
      n: (i * 31) % 50,
      list: [`x${i % 9}`, `y${i % 4}`],
    }));
    await things().insertMany(documents);
    const byText = documents.toSorted(
      (a, b) => Buffer.compare(Buffer.from(a.text as string), Buffer.from(b.text as string)) || b.n - a.n || a._id - b._id,
    );
    const found: Doc[] = await things().find({}).hint('text_1_n_-1').toArray();
    expect(found.map(({ text, n }) => [text, n])).to.deep.equal(byText.map(({ text, n }) => [text, n]));
    expect(await things().countDocuments({ list: 'y3' }, { hint: 'list_1' })).to.equal(175);
    expect(await things().countDocuments({ list: { $gte: 'x0' } }, { hint: 'list_1' })).to.equal(700);
  });

  it('that leave documents out tell them by fields that are missing, null or lists as a filter does', async () => {
    const values = [undefined, null, true, false, [], [true], [false, true], [[true]], 1, 'true', { a: true }];
    const filters: Doc[] = [{ live: true }, { live: { $lt: 2 } }, { live: { $exists: true } }, { live: null }, { 'live.a': true }];
    for (const [i, partialFilterExpression] of filters.entries()) {
      await things().createIndex({ n: 1 }, { name: `part${i}`, partialFilterExpression });
    }
    await things().insertMany(values.map((live, n) => (live === undefined ? { n } : { n, live })));
    for (const [i, filter] of filters.entries()) {
      const numbers = async (hint: Doc | string): Promise<number[]> =>
        (await things().find(filter).hint(hint).sort({ n: 1 }).toArray()).map(({ n }: Doc) => n as number);
      expect(await numbers(`part${i}`), JSON.stringify(filter)).to.deep.equal(await numbers({ $natural: 1 }));
    }
  });

  it('count a missing field of a unique index as null, unless they are sparse or partial', async () => {
    await things().createIndex({ a: 1 }, { unique: true });
    await things().insertOne({});
    expect((await rejection(things().insertOne({ a: null }))).code).to.equal(11000);
    await things().createIndex({ s: 1 }, { unique: true, sparse: true });
    await things().createIndex({ p: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await things().insertMany([
      { a: 1, p: 1, live: true },
      { a: 2, p: 1, live: false },
      { a: 3, p: 1 },
    ]);
    expect((await rejection(things().insertOne({ a: 4, p: 1, live: true }))).code).to.equal(11000);
    expect((await rejection(things().updateOne({ a: 2 }, { $set: { live: true } }))).code).to.equal(11000);
    await things().insertOne({ a: 5, s: null });
    expect((await rejection(things().insertOne({ a: 6, s: null }))).code).to.equal(11000);
  });

  it('are unique over several fields together, and over the elements of arrays', async () => {
    await things().createIndex({ a: 1, b: -1 }, { unique: true });
    await things().insertMany([
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ]);
    const duplicate = await rejection(things().insertOne({ a: 1, b: 2 }));
    expect(duplicate).to.deep.include({ code: 11000, keyPattern: { a: 1, b: -1 }, keyValue: { a: 1, b: 2 } });
    await things().createIndex({ tags: 1 }, { unique: true, sparse: true });
    await things().insertOne({ a: 5, tags: ['x', 'y', 'x'] });
    expect((await rejection(things().insertOne({ a: 6, tags: ['y'] }))).code).to.equal(11000);
  });

  it('are not built over documents that break them', async () => {
    await things().insertMany([{ a: 1 }, { a: 1 }]);
    expect((await rejection(things().createIndex({ a: 1 }, { unique: true }))).code).to.equal(11000);
    expect((await things().indexes()).map(({ name }: Doc) => name)).to.deep.equal(['_id_']);
  });

  it('take equal numbers of different types for one key', async () => {
    await things().createIndex({ n: 1 }, { unique: true });
    const { Double, Long, Decimal128 } = await import('../servers.ts');
    await things().insertOne({ n: 5 });
    for (const n of [new Double(5), Long.fromNumber(5), Decimal128.fromString('5.00')])
      expect((await rejection(things().insertOne({ n }))).code).to.equal(11000);
    await things().insertMany([{ n: Long.fromString('9007199254740993') }, { n: Long.fromString('9007199254740992') }, { n: 5.5 }]);
  });

  it('forget documents whose time is over (TTL), and show their lifetime', async () => {
    await things().createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
    expect((await things().indexes()).find(({ name }: Doc) => name === 'at_1')).to.include({ expireAfterSeconds: 3600 });
    expect((await rejection(things().createIndex({ at: 1, b: 1 }, { expireAfterSeconds: 1 }))).code).to.equal(67);
    await target().db.command({ collMod: 'things', index: { keyPattern: { at: 1 }, expireAfterSeconds: 60 } });
    expect((await things().indexes()).find(({ name }: Doc) => name === 'at_1')).to.include({ expireAfterSeconds: 60 });
  });
});

/** Every query must give the same with an index as without one. */
conformance('Queries through indexes', (target) => {
  const values: unknown[] = [
    null,
    undefined,
    -5,
    0,
    1,
    1.5,
    2,
    1e12,
    'a',
    'ab',
    'b',
    '',
    'a\0b',
    true,
    false,
    new Date(0),
    new Date(5),
    [1, 2],
    [],
    ['a', null],
    { x: 1 },
    { x: 2 },
  ];
  const filters: Doc[] = [
    { v: 1 },
    { v: null },
    { v: { $gt: 0 } },
    { v: { $gte: 1, $lt: 2 } },
    { v: { $in: [1, 'a', null] } },
    { v: { $lt: 'b' } },
    { v: { $ne: 1 } },
    { v: { $nin: [1, null] } },
    { v: { $exists: true } },
    { v: { $exists: false } },
    { v: /^a/ },
    { v: true },
    { v: { $gt: new Date(1) } },
    { v: { $lte: new Date(5) } },
    { v: { x: 1 } },
    { 'v.x': 2 },
    { v: [1, 2] },
    { 'v.x': null },
    { g: 1, v: { $gt: 0 } },
    { g: { $in: [0, 2] }, v: { $lte: 2 } },
    { g: 1 },
    { g: { $gt: 0 }, v: 1 },
    { $or: [{ v: 1 }, { g: 2 }] },
    { v: { $gt: 5, $lt: 1 } },
    { v: { $not: { $gt: 1 } } },
  ];
  const shapes: [Doc, object?][] = [
    [{ v: 1 }],
    [{ v: -1 }],
    [{ g: 1, v: -1 }],
    [{ 'v.x': 1 }],
    [{ v: 1, g: 1 }],
    [{ v: 1 }, { sparse: true }],
    [{ g: -1 }, { partialFilterExpression: { g: { $gt: 0 } } }],
  ];

  it('find the same documents, in the same order, count and page alike', async function () {
    this.timeout(120_000);
    const documents = values.flatMap((v, i) => [0, 1, 2].map((g) => ({ _id: i * 3 + g, g, ...(v === undefined ? {} : { v }) })));
    const [plain, indexed]: [AnyCollection, AnyCollection] = [target().db.collection('plain'), target().db.collection('indexed')];
    await plain.insertMany(documents);
    await indexed.insertMany(documents);
    const ids = async (collection: AnyCollection, filter: Doc, sort?: Doc, skip = 0) =>
      (await collection.find(filter).sort(sort).skip(skip).toArray()).map(({ _id }: Doc) => _id);
    for (const [key, options] of shapes) {
      await indexed.createIndex(key, options);
      for (const filter of filters) {
        const shown = `${JSON.stringify(filter)} with ${JSON.stringify(key)}`;
        expect((await ids(indexed, filter)).sort(), shown).to.deep.equal((await ids(plain, filter)).sort());
        for (const sort of [
          { v: 1, _id: 1 },
          { g: 1, v: -1, _id: 1 },
        ])
          expect(await ids(indexed, filter, sort, 3), `${shown} sorted ${JSON.stringify(sort)}`).to.deep.equal(
            await ids(plain, filter, sort, 3),
          );
        expect(await indexed.countDocuments(filter), shown).to.equal(await plain.countDocuments(filter));
      }
      await indexed.dropIndexes();
    }
  });

  it('that leave documents out are walked rather than those of the same fields that have all', async () => {
    const logs: AnyCollection = target().db.collection('mostlyShown');
    await logs.createIndex({ at: -1 });
    await logs.createIndex({ at: -1 }, { name: 'hidden', partialFilterExpression: { hidden: true } });
    await logs.createIndex({ at: -1 }, { name: 'noted', partialFilterExpression: { noted: true } });
    await logs.insertMany(Array.from({ length: 3000 }, (_, i) => ({ _id: i, at: new Date(i), ...(i % 1000 === 7 && { noted: true }) })));
    const at = { $gte: new Date(0) };
    for (const name of ['hidden', 'noted']) {
      const walked = await logs
        .find({ at, [name]: true })
        .limit(1)
        .explain();
      expect(JSON.stringify(walked)).to.include(`"indexName":"${name}"`);
    }
    expect(await logs.countDocuments({ at, noted: true })).to.equal(3);
  });

  it('give the order of a compound index up and down, with limit', async () => {
    const logs: AnyCollection = target().db.collection('logs');
    await logs.createIndex({ user: 1, at: -1 });
    await logs.createIndex({ at: -1 });
    await logs.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, user: i % 7, at: new Date(i), model: `m${i % 3}` })));
    const ids = async (filter: Doc, at: 1 | -1) => (await logs.find(filter).sort({ at }).limit(4).toArray()).map(({ _id }: Doc) => _id);
    expect(await ids({ user: 3 }, -1)).to.deep.equal([493, 486, 479, 472]);
    expect(await ids({ user: 3 }, 1)).to.deep.equal([3, 10, 17, 24]);
    expect(await ids({ user: 3, model: 'm0' }, -1)).to.deep.equal([486, 465, 444, 423]);
    expect(await ids({ at: { $gte: new Date(100), $lt: new Date(110) } }, -1)).to.deep.equal([109, 108, 107, 106]);
    expect(await ids({ user: { $in: [1, 2] } }, -1)).to.deep.equal([499, 498, 492, 491]);
  });

  it('give the order of several of their values at once, page by page, and each value once', async () => {
    const logs: AnyCollection = target().db.collection('logs');
    await logs.createIndex({ model: 1, at: -1 });
    const rows = Array.from({ length: 2000 }, (_, i) => ({
      _id: i,
      model: ['common', 'often', 'often', 'zero', 'common', i % 100 === 5 ? 'rare' : 'other'][i % 6],
      at: new Date((i * 7919) % 2003),
      user: i % 5,
    }));
    await logs.insertMany(rows);
    for (const [models, user] of [
      [['rare', 'often'], undefined],
      [['rare', 'often', 'nowhere', 'common'], undefined],
      [['zero', 'often', 'other'], 3],
      [[], undefined],
    ] as const) {
      const filter: Doc = { model: { $in: models }, ...(user !== undefined && { user }) };
      const expected = rows
        .filter((row) => (models as readonly unknown[]).includes(row.model) && (user === undefined || row.user === user))
        .sort((a, b) => b.at.getTime() - a.at.getTime())
        .map(({ _id }) => _id);
      const idsOf = (found: Doc[]) => found.map(({ _id }) => _id);
      expect(idsOf(await logs.find(filter).sort({ at: -1 }).batchSize(90).toArray())).to.deep.equal(expected);
      expect(idsOf(await logs.find(filter).sort({ at: 1 }).toArray())).to.deep.equal([...expected].reverse());
      expect(idsOf(await logs.find(filter).sort({ at: -1 }).skip(300).limit(20).toArray())).to.deep.equal(expected.slice(300, 320));
      expect(await logs.countDocuments(filter, { limit: 150 })).to.equal(Math.min(150, expected.length));
      const since = { ...filter, at: { $gte: new Date(1000) } };
      expect(idsOf(await logs.find(since).sort({ at: -1 }).limit(10).toArray())).to.deep.equal(
        expected.filter((id) => (rows[id]?.at.getTime() as number) >= 1000).slice(0, 10),
      );
    }
    const users = Array.from({ length: 90 }, (_, i) => i - 20);
    await logs.createIndex({ user: 1 });
    const byUser = await logs.aggregate([{ $match: { user: { $in: users } } }, { $group: { _id: '$user', rows: { $sum: 1 } } }]).toArray();
    expect(byUser.sort((a: Doc, b: Doc) => Number(a._id) - Number(b._id))).to.deep.equal(
      [0, 1, 2, 3, 4].map((_id) => ({ _id, rows: 400 })),
    );
    await logs.dropIndex('user_1');
    expect((await logs.distinct('model', { model: { $gte: 'o', $lt: 's' } })).sort()).to.deep.equal(['often', 'other', 'rare']);
    expect((await logs.distinct('model', { model: { $in: ['rare', 'nowhere', 'zero'] } })).sort()).to.deep.equal(['rare', 'zero']);
    expect((await logs.distinct('model', { model: { $gte: 'o' }, user: 0 })).sort()).to.include.members(['often', 'other', 'zero']);
    expect(await logs.distinct('model', { model: { $gt: 'zero' } })).to.deep.equal([]);
    expect(await logs.distinct('model', { model: { $type: 'string', $lte: 'common' } })).to.deep.equal(['common']);
    await logs.insertMany([{ _id: 9000 }, { _id: 9001, model: null }, { _id: 9002, model: ['rare', 'array'] }]);
    expect(await logs.distinct('model', { model: null })).to.deep.equal([null]);
    expect((await logs.distinct('model', { model: { $gte: 'q', $lt: 's' } })).sort()).to.deep.equal(['array', 'rare']);
    expect(
      await logs
        .find({ model: { $in: ['array', 'rare', 'zero'] } })
        .sort({ at: 1 })
        .toArray(),
    ).to.have.length(341);
  });
});
