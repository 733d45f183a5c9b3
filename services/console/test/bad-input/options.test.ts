import { isNestedTooDeeply, type OptionFailure, type OptionKey, optionAbout, optionKeys } from '@tollgate/contracts';
import { priceSourceKinds } from '@tollgate/contracts/catalog';
import { OptionModel } from '@tollgate/db';
import { expect } from 'chai';
import { startConsole, type TestConsole } from '../support/console.ts';
import { expectOneLanguage } from './both-languages.ts';

const deep = '['.repeat(250_000) + ']'.repeat(250_000);
const line = ['a\nb', 'a\r\nBcc: b@example.com', 'a\u0000b', 'a\u0085'];
const noNumber = [
  '',
  'much',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e3',
  '1e400',
  '0x10',
  '1,5',
  '１',
  '5 5',
  '--1',
  '[1]',
  'null',
  `1${'0'.repeat(400)}`,
];
const noObject = ['', '{', '{"a":', "{'a':1}", 'null', '5', '"text"', 'true', 'NaN', '{"a":1}}', '{"a":1,"a":2}', deep];

/** Texts that an option cannot be, by what it says of itself. */
function wrongFor(key: OptionKey): string[] {
  const { kind, min, max, defaultText } = optionAbout(key);
  switch (kind) {
    case 'flag':
      return ['', 'yes', '1', 'TRUE', ' true', 'null', '"true"'];
    case 'choice':
      return ['', 'year', 'Hour', '0', 'constructor', '__proto__'];
    case 'number':
    case 'integer':
      return [
        ...noNumber,
        ...(kind === 'integer' ? ['1.5', '9007199254740993'] : []),
        String((min ?? -1e15) - 1),
        String((max ?? 1e15) + 1),
        '-1000000000000001',
        '1000000000000001',
      ];
    case 'address':
      return ['example', 'ftp://example.com', 'javascript:alert(1)', 'https://', 'http://me:secret@example.com', 'https://exa\nmple.com'];
    case 'text':
    case 'tags':
      return line;
    case 'list':
    case 'markup':
      return ['a\u0000b', 'a\u001bb'];
    case 'json':
      return [...noObject, ...wrongEntries(key), defaultText.startsWith('[') ? '{}' : '[]'];
  }
}

/** Entries of the wrong shape, and names that nobody can tell apart. */
function wrongEntries(key: OptionKey): string[] {
  const { defaultText, schema } = optionAbout(key);
  if (defaultText.startsWith('[')) return ['[5]', '[{"a":5}]', '[{"":"b"}]', '[{" a":"b"}]'];
  const values = ['-1', '1e400', '"x"', 'null', '[]', 'true', '{"nonsense":1}', '""', '5'];
  const wrong = values.map((value) => `{"a":${value}}`).filter((text) => !schema.safeParse(text).success);
  const [good] = values.concat('{}', '"b"').filter((value) => schema.safeParse(`{"a":${value}}`).success);
  const named = good === undefined ? [] : [' a', 'a ', 'a\\n', '\\u0000', '__proto__'].map((name) => `{"${name}":${good}}`);
  return [...wrong, ...named, ...(good === undefined ? [] : [`{"a":${good},"a":${good}}`])];
}

describe('bad input: options', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
  });
  after(() => tollgate.close());

  const batch = async (options: { key: string; value: unknown }[], language: 'en' | 'zh') => {
    const reply = await tollgate.root.send<{ failures: OptionFailure[] }>(
      'PUT',
      '/api/option/batch',
      { options },
      { 'accept-language': language },
    );
    expect(reply, reply.message).to.include({ status: 200, success: false });
    return reply;
  };

  it(`of all ${optionKeys.length} keys refuse what they cannot be, each by name, in both languages, and store nothing`, async function () {
    this.timeout(120_000); // for a busy machine
    const wrong = optionKeys.map((key) => ({ key, texts: wrongFor(key) }));
    const most = Math.max(...wrong.map(({ texts }) => texts.length));
    let refused = 0;
    for (let index = 0; index < most; index++) {
      const asked = wrong.flatMap(({ key, texts }) => (texts[index] === undefined ? [] : [{ key, value: texts[index] }]));
      const large = asked.filter(({ value }) => (value?.length ?? 0) > 100_000);
      const turns = [asked.filter((one) => !large.includes(one)), ...large.slice(0, 2).map((one) => [one])];
      for (const options of turns.filter((turn) => turn.length > 0)) {
        const [en, zh] = [await batch(options, 'en'), await batch(options, 'zh')];
        for (const [place, { key, value }] of options.entries()) {
          const what = `${key}=${JSON.stringify(value)?.slice(0, 80)}`;
          const failure = en.data.failures[place];
          expect([failure?.key, failure?.code], what).to.deep.equal([key, 'invalid_option']);
          expect(failure?.message, what).to.match(new RegExp(`^The value of ${key} is not valid: ..`));
          const inBoth = { en: failure as OptionFailure, zh: zh.data.failures[place] as OptionFailure };
          expectOneLanguage(inBoth, [
            key,
            'nonsense',
            '__proto__',
            'above, input, output',
            ...priceSourceKinds,
            ...Object.keys(optionAbout(key).choices ?? {}),
          ]);
          refused += 1;
        }
      }
    }
    expect(refused).to.be.above(900);
    expect(await OptionModel.countDocuments()).to.equal(0);
  });

  it('take only a text, a whole list and keys that there are', async () => {
    for (const value of [5, true, [], {}, { $set: 'x' }, undefined]) {
      for (const key of ['RetryTimes', 'ModelRatio', 'SystemName', 'RegisterEnabled'])
        expect((await tollgate.root.send('PUT', '/api/option/', { key, value })).code, `${key} ${value}`).to.equal('invalid_parameter');
    }
    for (const key of ['', 'x'.repeat(65), 5, null, ['RetryTimes']])
      expect((await tollgate.root.send('PUT', '/api/option/', { key, value: '1' })).code, String(key)).to.equal('invalid_parameter');
    for (const key of ['__proto__', 'constructor', 'toString', 'retrytimes', 'RetryTimes '])
      expect((await tollgate.root.send('PUT', '/api/option/', { key, value: '1' })).code, key).to.equal('unknown_option');
    for (const options of [undefined, {}, [], [5], Array(501).fill({ key: 'RetryTimes', value: '1' })])
      expect((await tollgate.root.send('PUT', '/api/option/batch', { options })).code).to.equal('invalid_parameter');
    expect((await tollgate.root.send('PUT', '/api/option/', { key: 'Notice', value: 'x'.repeat(1_000_001) })).message).to.equal(
      'Invalid parameter: value: may have at most 1000000 characters',
    );
    expect(await OptionModel.countDocuments()).to.equal(0);
  });

  it('hold what is odd and good: lines in what has lines, brackets in texts, tables as deep as they are', async () => {
    for (const [key, value] of [
      ['SensitiveWords', 'one\r\ntwo\tthree'],
      ['Notice', '# Hello\n\n[[[[ 你好 😀'],
      ['SystemName', '门户 😀'],
      ['ModelRatio', '{"a[[[b":1}'],
    ] as const)
      await tollgate.root.ok('PUT', '/api/option/', { key, value });
    expect(isNestedTooDeeply('"[[[["'.repeat(100))).to.equal(false);
    await OptionModel.deleteMany({});
  });
});
