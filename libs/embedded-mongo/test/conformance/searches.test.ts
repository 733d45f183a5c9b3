import { expect } from 'chai';
import type { AnyCollection, Doc } from '../servers.ts';
import { conformance } from './targets.ts';

const pieces = [
  'a',
  'B',
  'ab',
  'é',
  'É',
  'ß',
  'ñ',
  '京',
  '北京',
  '한국',
  'の',
  '.',
  '*',
  '(',
  '[a]',
  '\\',
  '$',
  '^',
  '|',
  '+',
  '%',
  '_',
  "'",
  '😀',
  ' ',
  '7',
];

/** Numbers of 0 up to `below`, the same ones each time. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** What a search by parts of texts finds is the same whether the store looks through keys of an index, through bytes of documents, or at each document. */
conformance('Searches by a part of a text', (target) => {
  it('find what a plain look at each document finds, with an index that holds the texts and without one', async function () {
    this.timeout(120_000);
    const random = dice(7);
    const text = (most: number) => Array.from({ length: random(most + 1) }, () => pieces[random(pieces.length)]).join('');
    const people: (Doc & { n: number })[] = Array.from({ length: 700 }, (_, i) => ({
      _id: i,
      n: (i * 7919) % 701,
      name: i % 50 === 0 ? `${text(2)}\0${text(2)}` : text(6),
      ...(i % 3 > 0 && { mail: i % 30 === 1 ? null : `${text(3)}@x.org` }),
      ...(i % 90 === 7 && { mail: i }),
      group: i % 4 === 0 ? 'few' : 'many',
      tags: i % 5 === 0 ? [text(2), text(2)] : text(2),
    }));
    const rows: AnyCollection = target().db.collection('people');
    await rows.insertMany(people);
    const part = (of: unknown) => {
      const letters = Array.from(String(of));
      const from = random(letters.length);
      return letters.slice(from, from + 1 + random(4)).join('');
    };
    const words = [
      ...Array.from({ length: 30 }, () => part(people[random(people.length)]?.[random(2) ? 'name' : 'mail'] ?? 'x')),
      'nowhere',
      'AB',
    ].filter((word) => word !== '' && !word.includes('\0'));
    const holds = (value: unknown, pattern: RegExp): boolean =>
      Array.isArray(value) ? value.some((one) => holds(one, pattern)) : typeof value === 'string' && pattern.test(value);
    const indexes: (Doc | undefined)[] = [undefined, { n: 1, name: 1, mail: 1 }, { group: 1, n: 1, name: 1, mail: 1 }, { n: 1, tags: 1 }];
    for (const index of indexes) {
      if (index) await rows.createIndex(index);
      for (const [i, word] of words.entries()) {
        const pattern = new RegExp(escaped(i % 2 ? word.toUpperCase() : word), i % 4 === 3 ? '' : 'i');
        const n = Number(random(701));
        for (const [filter, isMeant] of [
          [{ $or: [{ name: pattern }, { mail: pattern }] }, (row) => holds(row.name, pattern) || holds(row.mail, pattern)],
          [{ group: 'few', $or: [{ n }, { name: pattern }] }, (row) => row.group === 'few' && (row.n === n || holds(row.name, pattern))],
          [
            { group: 'many', $or: [{ n: { $in: [n, 5] } }, { mail: pattern }] },
            (row) => row.group === 'many' && ([n, 5].includes(row.n) || holds(row.mail, pattern)),
          ],
          [{ tags: pattern }, (row) => holds(row.tags, pattern)],
        ] as [Doc, (row: (typeof people)[number]) => boolean][]) {
          const shown = `${pattern} ${Object.keys(filter)} by ${JSON.stringify(index)}`;
          const expected = people
            .filter(isMeant)
            .sort((a, b) => b.n - a.n)
            .map(({ _id }) => _id);
          const found = await rows.find(filter).sort({ n: -1 }).project({ _id: 1 }).toArray();
          expect(
            found.map(({ _id }: Doc) => _id),
            shown,
          ).to.deep.equal(expected);
          const page = await rows.find(filter).sort({ n: 1 }).skip(3).limit(5).toArray();
          expect(
            page.map(({ _id }: Doc) => _id),
            shown,
          ).to.deep.equal([...expected].reverse().slice(3, 8));
          expect(await rows.countDocuments(filter, { limit: 40 }), shown).to.equal(Math.min(40, expected.length));
        }
      }
    }
    const walked = await rows
      .find({ $or: [{ name: /abc/i }, { n: 7 }] })
      .sort({ n: -1 })
      .explain();
    expect(JSON.stringify(walked)).to.include('"n_1_name_1_mail_1"');
  });

  it('find each document once where thousands have the same key, forwards and backwards', async () => {
    const names = ['twin', 'Zwilling', 'loner'];
    const people = Array.from({ length: 9000 }, (_, i) => ({ _id: i, group: 'all', name: i % 2 ? names[i % 3] : `n${i}` }));
    const rows: AnyCollection = target().db.collection('twins');
    await rows.insertMany(people as Doc[]);
    await rows.createIndex({ group: 1, name: 1 });
    for (const pattern of [/WIN/i, /wil/, /n89/i, /nobody/i, /[nN]8998/])
      for (const direction of [1, -1] as const) {
        const found = await rows.find({ group: 'all', name: pattern }).sort({ group: direction, name: direction }).toArray();
        const expected = people.filter(({ name }) => pattern.test(name as string)).map(({ _id }) => _id);
        expect(
          found.map(({ _id }: Doc) => _id).sort((a: number, b: number) => a - b),
          `${pattern} ${direction}`,
        ).to.deep.equal(expected);
        const shown = found.map(({ name }: Doc) => name as string);
        const sorted = [...shown].sort();
        expect(shown, 'in order').to.deep.equal(direction === 1 ? sorted : sorted.reverse());
      }
  });
});
