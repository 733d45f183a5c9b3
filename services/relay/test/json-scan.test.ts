import { filledIn, type JsonObject } from '@tollgate/providers';
import { expect } from 'chai';
import { JsonScan } from '../src/request/json-scan.ts';

describe('A large body', () => {
  let random = 1;
  const upTo = (count: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % count;
  };
  const alphabet = ['plain words and signs: {}[],:', '"', '\\', '\n', 'é', '你好', '😀', '\u0001', 'left-out-', ';', '/'];
  const text = (length: number): string => {
    let made = '';
    while (made.length < length) made += alphabet[upTo(alphabet.length)];
    return made;
  };
  const escaped = (json: string): string => {
    const way = upTo(3);
    if (way === 0) return json;
    if (way === 1) return json.replaceAll('/', '\\/');
    return json.replaceAll(/[^\u0020-\u007e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  };
  const value = (depth: number): unknown => {
    const kind = upTo(depth > 3 ? 3 : 5);
    if (kind === 0) return upTo(1e6);
    if (kind === 1) return text(upTo(40));
    if (kind === 2) return (upTo(2) ? 'data:image/png;base64,' : '') + text(upTo(3) ? 200 : 3000 + upTo(90_000));
    const items = Array.from({ length: upTo(4) }, () => value(depth + 1));
    return kind === 3 ? items : Object.fromEntries(items.map((item, at) => [`key ${at}`, item]));
  };
  function scanned(bytes: Buffer, longestPiece: number) {
    const scan = new JsonScan({ leavesOut: true });
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + upTo(longestPiece);
      scan.push(bytes.subarray(at, end));
      at = end;
    }
    return { ...scan.end(), parsedBytes: scan.parsedBytes };
  }

  it('is put together again byte for byte, and says what it said, wherever it was cut and however it is written', () => {
    for (let round = 0; round < 150; round += 1) {
      const said = { messages: [value(0), value(0)], other: value(0) };
      const bytes = Buffer.from(escaped(JSON.stringify(said)));
      const { json, long } = scanned(bytes, [3, 100, 70_000][upTo(3)] as number);
      if (long === undefined) throw new Error('nothing is left out of it');
      expect(Buffer.concat(long.whole(json)).equals(bytes)).to.equal(true);
      expect(filledIn(JSON.parse(json.toString()), long)).to.deep.equal(said);
    }
  });

  it('keeps the head of a picture, whose size stands there, and little of the rest', () => {
    const picture = `data:image/png;base64,${'iVBORw0KGgo/'.repeat(100_000)}`;
    const bytes = Buffer.from(JSON.stringify({ image_url: { url: picture }, text: 'word '.repeat(100_000) }).replaceAll('/', '\\/'));
    const { json, long, parsedBytes } = scanned(bytes, 64 * 1024);
    expect(json.length).to.be.below(70_000);
    expect(parsedBytes, 'memory that parsing takes').to.be.below(71_000);
    const read = JSON.parse(json.toString()) as JsonObject;
    const { url } = read.image_url as { url: string };
    expect(url.slice(0, 60_000)).to.equal(picture.slice(0, 60_000));
    expect(long?.filled(url)).to.equal(picture);
    expect(long?.lengthOf(read.text as string)).to.equal(500_000);
  });

  it('counts the same in one piece and in many', () => {
    for (const tooMuch of [
      '['.repeat(101),
      `[${'[],'.repeat(100_001)}]`,
      `{"a":{${'"b":1,'.repeat(500_001)}}}`,
      `{${'"b":1,'.repeat(1_001)}}`,
    ]) {
      expect(() => scanned(Buffer.from(tooMuch), 1_000_000)).to.throw('not valid JSON');
      expect(() => scanned(Buffer.from(tooMuch), 40)).to.throw('not valid JSON');
    }
    expect(() => scanned(Buffer.from(`{"a":"${'[{,:'.repeat(200_000)}"}`), 70)).not.to.throw();
  });
});

describe('What a body may hold', () => {
  const many = (piece: string, count: number) => Array(count).fill(piece).join(',');
  const look = (json: string) => {
    const scan = new JsonScan({ leavesOut: false });
    scan.push(Buffer.from(json));
    return scan.end();
  };
  const members = (count: number) => `{${many('"b":1', count)}}`;
  for (const [what, most, beyond] of [
    ['objects and lists', `{"a":[${many('{}', 99_998)}]}`, `{"a":[${many('{}', 99_999)}]}`],
    ['values', `{"a":[${many('1', 2_999_997)}]}`, `{"a":[${many('1', 3_000_000)}]}`],
    ['members', `{"a":[${many(members(100), 4_999)}]}`, `{"a":[${many(members(100), 5_000)}]}`],
    ['fields', members(1_000), members(1_001)],
  ] as const) {
    it(`is bounded: ${what}`, () => {
      expect(look(most).json.length).to.equal(most.length);
      expect(() => look(beyond)).to.throw(new RegExp(`it holds more than \\d+ ${what}`));
    });
  }
});
