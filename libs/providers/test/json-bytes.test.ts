import { expect } from 'chai';
import { type JsonEdits, membersOf, patchJson } from '../src/index.ts';

function patched(text: string, edits: JsonEdits): string {
  return patchJson(Buffer.from(text), edits).toString();
}

describe('patching a JSON body by its bytes', () => {
  it('changes what is named and leaves every other byte as it was', () => {
    const text = '{ "model" : "a", "top_p":0.0, "seed": 1e2,"x":{"model":"inner"},\n "n":12345678901234567890 }';
    expect(patched(text, { set: { model: 'b' } })).to.equal(
      '{"model":"b","top_p":0.0, "seed": 1e2,"x":{"model":"inner"},\n "n":12345678901234567890}',
    );
  });

  it('returns the same buffer when nothing is to change', () => {
    const bytes = Buffer.from('{"a":1,"b":[2]}');
    expect(patchJson(bytes, { remove: ['c'], set: { d: undefined } })).to.equal(bytes);
    expect(patchJson(bytes, { set: { d: undefined }, isUnique: true })).to.equal(bytes);
    expect(patched('{"a":1,"b":[2]}', { remove: ['a'], isUnique: true })).to.equal('{"b":[2]}');
  });

  it('adds, removes, and empties', () => {
    expect(patched('{}', { set: { a: [1] } })).to.equal('{"a":[1]}');
    expect(patched('{"a":1}', { remove: ['a'] })).to.equal('{}');
    expect(patched('{"a":1,"b":2,"c":3}', { remove: ['b'], set: { d: null } })).to.equal('{"a":1,"c":3,"d":null}');
  });

  it('keeps only the last of keys that stand there twice, so that nobody reads another request than we did', () => {
    expect(patched('{"model":"cheap","n":1,"model":"dear","n":2}', {})).to.equal('{"model":"dear","n":2}');
    expect(patched('{"mod\\u0065l":"x","model":"y"}', { set: { model: 'z' } })).to.equal('{"model":"z"}');
  });

  it('is not misled by escapes, quotes and braces inside strings', () => {
    const text = '{"a":"\\"model\\":\\"x\\"}\\\\","b\\"":"}{][","model":"m","c":"\\\\\\\\"}';
    expect(JSON.parse(patched(text, { set: { model: 'new' } }))).to.deep.equal({ ...JSON.parse(text), model: 'new' });
  });

  for (const text of [
    '',
    '[]',
    '"x"',
    'null',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a":"x',
    '{"a":{"b":1}',
    '{"a":1} x',
    '{a:1}',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => membersOf(Buffer.from(text))).to.throw(SyntaxError);
    });
  }

  it('agrees with JSON.parse on 2 000 random bodies', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    const texts = ['', 'a', '"', '\\', '\n', '}', '{', ']', ',', ':', 'ü', '世', '🎉', '\u0000', 'model'];
    const word = () => Array.from({ length: random(6) }, () => texts[random(texts.length)]).join('');
    const value = (depth: number): unknown => {
      const kind = random(depth > 3 ? 5 : 7);
      if (kind < 2) return word();
      if (kind === 2) return random(1000) - 500;
      if (kind === 3) return [true, false, null][random(3)];
      if (kind === 4) return random(100) / 7;
      if (kind === 5) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(Array.from({ length: random(4) }, () => [word(), value(depth + 1)]));
    };
    for (let round = 0; round < 2000; round += 1) {
      const object = Object.fromEntries(Array.from({ length: random(6) }, () => [word(), value(0)]));
      const key = Object.keys(object)[0] ?? 'model';
      const text = JSON.stringify(object, null, random(2) * 2);
      const { [key]: _gone, ...rest } = object;
      expect(JSON.parse(patched(text, { set: { added: 1, [key]: 'new' } }))).to.deep.equal({ ...object, [key]: 'new', added: 1 });
      expect(JSON.parse(patched(text, { remove: [key] }))).to.deep.equal(rest);
    }
  });
});
