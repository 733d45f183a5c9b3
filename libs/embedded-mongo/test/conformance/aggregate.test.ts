import { EJSON } from 'bson';
import { expect } from 'chai';
import { type AnyCollection, Decimal128, type Doc, Double, Long } from '../servers.ts';
import { conformance, rejection } from './targets.ts';

conformance('Aggregations', (target) => {
  const sales = (): AnyCollection => target().db.collection('sales');
  const run = (pipeline: Doc[]): Promise<Doc[]> => sales().aggregate(pipeline).toArray();
  const day = (n: number, hour = 0) => new Date(Date.UTC(2026, 0, n, hour));

  beforeEach(() =>
    sales().insertMany([
      { _id: 1, item: 'a', price: 10, quantity: 2, at: day(1, 1), tags: ['x', 'y'], user: { id: 1 } },
      { _id: 2, item: 'b', price: 20, quantity: 1, at: day(1, 9), tags: ['y'], user: { id: 2 } },
      { _id: 3, item: 'a', price: 10, quantity: 5, at: day(2, 2), tags: [], user: { id: 1 } },
      { _id: 4, item: 'c', price: 5, quantity: 10, at: day(3, 3), user: { id: 3 } },
      { _id: 5, item: 'b', price: 20.5, quantity: 1, at: day(3, 9), tags: null, user: { id: 1 } },
    ]),
  );

  it('match, sort, skip, limit and project', async () => {
    expect(
      await run([
        { $match: { price: { $gte: 10 } } },
        { $sort: { price: -1, _id: 1 } },
        { $skip: 1 },
        { $limit: 2 },
        { $project: { item: 1 } },
      ]),
    ).to.deep.equal([
      { _id: 2, item: 'b' },
      { _id: 1, item: 'a' },
    ]);
    expect(
      await run([{ $limit: 1 }, { $project: { _id: 0, total: { $multiply: ['$price', '$quantity'] }, who: '$user.id' } }]),
    ).to.deep.equal([{ total: 20, who: 1 }]);
    expect(await run([{ $sort: { _id: 1 } }, { $limit: 1 }, { $unset: ['tags', 'at', 'user.id'] }])).to.deep.equal([
      { _id: 1, item: 'a', price: 10, quantity: 2, user: {} },
    ]);
    expect(await run([{ $sort: { _id: -1 } }, { $match: { item: 'b' } }, { $project: { _id: 1 } }])).to.deep.equal([
      { _id: 5 },
      { _id: 2 },
    ]);
  });

  it('group with every common accumulator', async () => {
    const groups = await run([
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: '$item',
          sum: { $sum: '$quantity' },
          count: { $sum: 1 },
          average: { $avg: '$price' },
          least: { $min: '$price' },
          most: { $max: '$at' },
          first: { $first: '$_id' },
          last: { $last: '$_id' },
          all: { $push: '$quantity' },
          set: { $addToSet: '$price' },
          worth: { $sum: { $multiply: ['$price', '$quantity'] } },
        },
      },
      { $sort: { _id: 1 } },
    ]);
    expect(groups[0]).to.deep.equal({
      _id: 'a',
      sum: 7,
      count: 2,
      average: 10,
      least: 10,
      most: day(2, 2),
      first: 1,
      last: 3,
      all: [2, 5],
      set: [10],
      worth: 70,
    });
    expect(groups[1]).to.include({ _id: 'b', sum: 2, average: 20.25, worth: 40.5 });
    expect(await run([{ $group: { _id: null, n: { $sum: 1 }, q: { $sum: '$missing' } } }])).to.deep.equal([{ _id: null, n: 5, q: 0 }]);
    expect(await run([{ $match: { item: 'zz' } }, { $group: { _id: null, n: { $sum: 1 } } }])).to.deep.equal([]);
    expect(await run([{ $group: { _id: '$item', n: { $count: {} } } }, { $match: { n: 1 } }])).to.deep.equal([{ _id: 'c', n: 1 }]);
  });

  it('group by several fields, by missing ones, and by parts of dates', async () => {
    const pairs = await run([
      { $group: { _id: { item: '$item', user: '$user.id' }, n: { $sum: 1 } } },
      { $sort: { '_id.item': 1, '_id.user': 1 } },
    ]);
    expect(pairs.map(({ _id, n }) => [(_id as Doc).item, (_id as Doc).user, n])).to.deep.equal([
      ['a', 1, 2],
      ['b', 1, 1],
      ['b', 2, 1],
      ['c', 3, 1],
    ]);
    expect(await run([{ $group: { _id: '$nothing', n: { $sum: 1 } } }])).to.deep.equal([{ _id: null, n: 5 }]);
    const byDay = [
      { _id: day(1), n: 2 },
      { _id: day(2), n: 1 },
      { _id: day(3), n: 2 },
    ];
    expect(
      await run([{ $group: { _id: { $dateTrunc: { date: '$at', unit: 'day' } }, n: { $sum: 1 } } }, { $sort: { _id: 1 } }]),
    ).to.deep.equal(byDay);
    const itemsByDay = await run([
      { $group: { _id: { item: '$item', on: { $dateTrunc: { date: '$at', unit: 'day' } } }, n: { $sum: 1 } } },
      { $sort: { '_id.on': 1, '_id.item': 1 } },
    ]);
    expect(itemsByDay.reduce((sum, { n }) => sum + Number(n), 0)).to.equal(5);
    expect(new Set(itemsByDay.map(({ _id }) => Number((_id as Doc).on)))).to.deep.equal(new Set([1, 2, 3].map((n) => Number(day(n)))));
    expect(await run([{ $group: { _id: { on: { $dateTrunc: { date: '$nothing', unit: 'day' } } }, n: { $sum: 1 } } }])).to.deep.equal([
      { _id: { on: null }, n: 5 },
    ]);
    const early = { $dateTrunc: { date: { $literal: new Date(-1) }, unit: 'day' } };
    expect(await run([{ $group: { _id: { on: early }, n: { $sum: 1 } } }])).to.deep.equal([{ _id: { on: new Date(-86_400_000) }, n: 5 }]);
    const noDate = run([{ $group: { _id: { on: { $dateTrunc: { date: '$item', unit: 'day' } } }, n: { $sum: 1 } } }]);
    expect(await noDate.catch((error: Error) => error.message)).to.contain('$dateTrunc');
    expect(
      await run([
        { $group: { _id: { $dateToString: { date: '$at', format: '%Y-%m-%d' } }, n: { $sum: 1 } } },
        { $sort: { _id: 1 } },
        { $limit: 1 },
      ]),
    ).to.deep.equal([{ _id: '2026-01-01', n: 2 }]);
    expect(await run([{ $group: { _id: { y: { $year: '$at' }, m: { $month: '$at' } }, n: { $sum: 1 } } }])).to.deep.equal([
      { _id: { y: 2026, m: 1 }, n: 5 },
    ]);
    expect(await run([{ $group: { _id: { $hour: '$at' }, n: { $sum: 1 } } }, { $sort: { n: -1, _id: 1 } }, { $limit: 1 }])).to.deep.equal([
      { _id: 9, n: 2 },
    ]);
  });

  it('group values of all types alike, read from storage or behind a stage', async () => {
    const mixed: AnyCollection = target().db.collection('mixed');
    const long = Long.fromBigInt(2n ** 53n + 1n);
    const keys: unknown[] = [1, new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0'), 1.5, long, long, '1', '', '\u0000a'];
    keys.push(day(1), day(1), `date ${day(1).getTime()}`, day(1).getTime(), true, null, undefined, [1], [1], { a: 1 }, { a: 1 }, 'ä', 'ä');
    await mixed.insertMany(
      keys.map((key, i) => ({
        _id: i,
        ...(key !== undefined && { key }),
        n: [1, 0.5, new Double(2), 2 ** 31 - 1, Long.fromNumber(7), '9', null, Decimal128.fromString('0.1')][i % 8],
      })),
    );
    const specs: Doc[] = [
      { _id: '$key', n: { $sum: '$n' }, count: { $sum: 1 } },
      { _id: { key: '$key', none: '$none' }, n: { $sum: '$n' }, half: { $sum: 0.5 }, missing: { $sum: '$none' } },
      { _id: null, n: { $sum: '$n' }, text: { $sum: '$key' } },
    ];
    const found: Doc[][] = [];
    for (const spec of specs) {
      const [stored, behind] = await Promise.all(
        [[{ $group: spec }], [{ $sort: { _id: 1 } }, { $group: spec }]].map(async (pipeline) => {
          const groups: Doc[] = await mixed.aggregate(pipeline, { promoteValues: false }).toArray();
          return groups.map((group) => EJSON.stringify(group, { relaxed: false })).sort();
        }),
      );
      expect(stored).to.deep.equal(behind);
      found.push(await mixed.aggregate([{ $group: spec }]).toArray());
    }
    const [single, double] = found as [Doc[], Doc[]];
    expect(single).to.have.length(14);
    expect(single.find(({ _id }) => _id === 1)).to.include({ count: 4 });
    expect(single.find(({ _id }) => _id === null)).to.include({ count: 2 });
    expect(double).to.have.length(15); // here a missing field and null are two
    expect(double.some(({ _id }) => Object.keys(_id as Doc).length === 0)).to.equal(true);
  });

  it('count, also nothing', async () => {
    expect(await run([{ $match: { item: 'a' } }, { $count: 'n' }])).to.deep.equal([{ n: 2 }]);
    expect(await run([{ $match: { item: 'zz' } }, { $count: 'n' }])).to.deep.equal([]);
  });

  it('unwind arrays', async () => {
    const unwound = await run([{ $unwind: '$tags' }, { $sort: { _id: 1, tags: 1 } }, { $project: { tags: 1 } }]);
    expect(unwound).to.deep.equal([
      { _id: 1, tags: 'x' },
      { _id: 1, tags: 'y' },
      { _id: 2, tags: 'y' },
    ]);
    const kept = await run([
      { $match: { _id: { $gte: 2 } } },
      { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
      { $sort: { _id: 1 } },
      { $project: { tags: 1, i: 1 } },
    ]);
    expect(kept.map(({ _id, i }) => [_id, Number(i ?? -1)])).to.deep.equal([
      [2, 0],
      [3, -1],
      [4, -1],
      [5, -1],
    ]);
  });

  it('add fields, replace the root and keep the other fields', async () => {
    expect(
      await run([
        { $match: { _id: 4 } },
        { $addFields: { total: { $multiply: ['$price', '$quantity'] }, copy: '$item' } },
        { $project: { _id: 0, total: 1, copy: 1, item: 1 } },
      ]),
    ).to.deep.equal([{ item: 'c', total: 50, copy: 'c' }]);
    expect(await run([{ $match: { _id: 4 } }, { $set: { 'user.name': 'n' } }, { $project: { user: 1, _id: 0 } }])).to.deep.equal([
      { user: { id: 3, name: 'n' } },
    ]);
    expect(await run([{ $match: { _id: 4 } }, { $replaceRoot: { newRoot: '$user' } }])).to.deep.equal([{ id: 3 }]);
    expect(await run([{ $match: { _id: 4 } }, { $replaceWith: { a: '$item' } }])).to.deep.equal([{ a: 'c' }]);
  });

  it('evaluate conditions, strings, arrays and sizes', async () => {
    const [one] = await run([
      { $match: { _id: 1 } },
      {
        $project: {
          _id: 0,
          kind: { $cond: [{ $gt: ['$price', 5] }, 'dear', 'cheap'] },
          safe: { $ifNull: ['$nothing', 'none'] },
          joined: { $concat: ['$item', '-', { $toString: '$quantity' }] },
          size: { $size: '$tags' },
          has: { $in: ['x', '$tags'] },
          upper: { $toUpper: '$item' },
          big: { $filter: { input: [1, 5, 9], as: 'n', cond: { $gt: ['$$n', 4] } } },
          mapped: { $map: { input: '$tags', in: { $concat: ['$$this', '!'] } } },
          many: {
            $switch: {
              branches: [
                Object.fromEntries([
                  ['case', { $eq: ['$item', 'a'] }],
                  ['then', 1],
                ]),
              ],
              default: 0,
            },
          },
          literal: { $literal: '$price' },
        },
      },
    ]);
    expect(one).to.deep.equal({
      kind: 'dear',
      safe: 'none',
      joined: 'a-2',
      size: 2,
      has: true,
      upper: 'A',
      big: [5, 9],
      mapped: ['x!', 'y!'],
      many: 1,
      literal: '$price',
    });
  });

  it('sort large results and page through cursors', async () => {
    const many: AnyCollection = target().db.collection('many');
    await many.insertMany(Array.from({ length: 2500 }, (_, i) => ({ _id: i, n: (i * 7919) % 2500 })));
    const sorted: Doc[] = await many.aggregate([{ $sort: { n: 1 } }], { batchSize: 100 }).toArray();
    expect(sorted.map(({ n }) => n)).to.deep.equal(Array.from({ length: 2500 }, (_, i) => i));
  });

  it('refuse stages and operators that do not exist', async () => {
    expect((await rejection(run([{ $zap: {} }]))).code).to.equal(40324);
    expect((await rejection(run([{ $group: { n: { $sum: 1 } } }]))).code).to.equal(15955);
    expect((await rejection(run([{ $group: { _id: null, n: { $zap: 1 } } }]))).code).to.equal(15952);
    expect((await rejection(run([{ $project: { a: { $zap: 1 } } }]))).code).to.be.oneOf([168, 31325]);
    expect((await rejection(run([{ $limit: 0 }]))).code).to.equal(15958);
    expect(
      (
        await rejection(
          sales()
            .find({ a: { $zap: 1 } })
            .toArray(),
        )
      ).code,
    ).to.equal(2);
    expect((await rejection(sales().find({ $zap: 1 }).toArray())).code).to.equal(2);
  });
});
