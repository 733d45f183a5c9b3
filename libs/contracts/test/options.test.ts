import { expect } from 'chai';
import {
  addressList,
  channelTypes,
  createChannelBody,
  createTokenBody,
  isOptionKey,
  optionAbout,
  optionKeys,
  optionRegistry,
  optionSections,
  optionValues,
  pageQuery,
  pageSizeOf,
  parseOption,
} from '../src/index.ts';

describe('the option registry', () => {
  for (const key of optionKeys) {
    it(`has a default for ${key} that its own schema takes`, () => {
      expect(() => parseOption(key, optionRegistry[key].defaultText)).to.not.throw();
    });
  }
  it('says of each what it is called in both languages, and needs only what there is', () => {
    const labels = new Set<string>();
    for (const key of optionKeys) {
      const { label, help, needs = [], section, min, max, kind, choices } = optionAbout(key);
      for (const words of [label, help ?? label]) {
        expect(words.en, key).to.match(/[a-z]/i);
        expect(words.zh, key).to.match(/[\u4e00-\u9fff]|^[A-Z][A-Za-z ]+ (ID|Secret|Key|Token)$/);
      }
      expect(optionSections, key).to.have.property(section);
      expect(
        needs.filter((needed) => !isOptionKey(needed) || needed === key),
        key,
      ).to.deep.equal([]);
      expect((min ?? 0) <= (max ?? Number.POSITIVE_INFINITY), key).to.equal(true);
      expect(kind === 'choice', key).to.equal(choices !== undefined);
      labels.add(`${section} ${label.en}`).add(`${section} ${label.zh}`);
    }
    expect(labels.size, 'no two of a section are called the same').to.equal(2 * optionKeys.length);
  });
  it('refuses values that make no sense', () => {
    for (const [key, text] of [
      ['RetryTimes', '-1'],
      ['RetryTimes', '1.5'],
      ['QuotaPerUnit', '0'],
      ['QuotaPerUnit', 'NaN'],
      ['GroupRatio', '{"a":-1}'],
      ['GroupRatio', '{broken'],
      ['ModelRatio', '[]'],
      ['DrawingEnabled', 'yes'],
      ['ServerAddress', 'javascript:alert(1)'],
      ['DataExportDefaultTime', 'year'],
    ] as const) {
      expect(() => parseOption(key, text), `${key}=${text}`).to.throw();
    }
  });
  it('serves the default where a stored text no longer parses, and leaves the others alone', () => {
    const values = optionValues(
      new Map([
        ['GroupRatio', '{broken'],
        ['RetryTimes', '3'],
      ]),
    );
    expect(values.GroupRatio).to.include({ default: 1 });
    expect(values.RetryTimes).to.equal(3);
  });
  it('trims addresses and lists', () => {
    expect(parseOption('ServerAddress', 'https://a.example/')).to.equal('https://a.example');
    expect(parseOption('SensitiveWords', ' one \n\n two')).to.deep.equal(['one', 'two']);
  });
});

describe('bodies', () => {
  const channel = { name: 'a', type: 1, key: 'k', models: ' gpt-4o , gpt-4o,,o1 ' };
  it('of a channel are trimmed and without repetitions', () => {
    expect(createChannelBody.parse(channel)).to.include({ models: 'gpt-4o,o1', group: '', auto_ban: 1 });
  });
  it('of a channel are refused when they make no sense', () => {
    for (const wrong of [
      { type: 9999 },
      { models: ' , ' },
      { key: ' ' },
      { model_mapping: '{"a":1}' },
      { model_mapping: '[1]' },
      { status_code_mapping: '{"200":"500"}' },
      { setting: '{"unknown":1}' },
      { weight: 1.5 },
      { priority: 1.5 },
    ]) {
      expect(createChannelBody.safeParse({ ...channel, ...wrong }).success, JSON.stringify(wrong)).to.equal(false);
    }
  });
  it('of a token refuse negative money and address lists with a bad entry', () => {
    for (const wrong of [
      { remain_quota: -1 },
      { remain_quota: 1.5 },
      { remain_quota: 1e18 },
      { allow_ips: '10.0.0.0/99' },
      { allow_ips: 'example.com' },
      { name: 'x'.repeat(31) },
    ]) {
      expect(createTokenBody.safeParse({ name: 't', ...wrong }).success, JSON.stringify(wrong)).to.equal(false);
    }
    expect(addressList.parse('10.0.0.0/8, ::1\n 1.2.3.4 ')).to.equal('10.0.0.0/8\n::1\n1.2.3.4');
  });
});

describe('a page query', () => {
  it('is bounded, whatever is asked', () => {
    for (const [query, page, size] of [
      [{}, 1, 10],
      [{ p: '0', page_size: '100000' }, 1, 100],
      [{ p: '-3', size: '-1' }, 1, 10],
      [{ p: 'x', page_size: 'y' }, 1, 10],
      [{ p: '3', size: '20' }, 3, 20],
    ] as const) {
      const parsed = pageQuery.parse(query);
      expect([parsed.p, pageSizeOf(parsed)], JSON.stringify(query)).to.deep.equal([page, size]);
    }
  });
});

describe('channel types', () => {
  it('are distinct numbers, each with a protocol and a name in both languages', () => {
    expect(new Set(channelTypes.map(({ type }) => type)).size).to.equal(channelTypes.length);
    for (const info of channelTypes)
      for (const field of [info.protocol, info.name, info.nameZh]) expect(field).to.be.a('string').and.not.equal('');
  });

  it('say every label in both languages', () => {
    for (const { key, needs } of channelTypes)
      expect(needs.base_url?.label === undefined, key).to.equal(needs.base_url?.labelZh === undefined);
  });
});
