import { expect } from 'chai';
import { parseExact } from '../src/exact-json.ts';

const large = '12345678901234567890';

/** What a value is written as again. */
const again = (text: string) => JSON.stringify(parseExact(text));

describe('JSON whose integers keep their digits', () => {
  it('is written again as it was, wherever they stand', () => {
    for (const text of [large, `-${large}`, `[${large}]`, `{"a":${large},"b":[{"c":-9007199254740993}],"d":9007199254740993}`]) {
      expect(again(text)).to.equal(text);
    }
    expect(again(` [ ${large} ,\n${large}\t] `)).to.equal(`[${large},${large}]`);
  });

  it('has the same texts, names and other numbers as ever', () => {
    const texts = ['', large, `"${large}`, `\\${large}`, `\\",${large},"`, `[${large}]`, `${large},${large}`, '\\\\', '"'];
    const whole = { [large]: 1, __proto__: 2, texts, more: { '"': texts }, half: 0.1234567890123456, small: -3, none: null, yes: true };
    const text = `{"__proto__":{"a":1},${JSON.stringify(whole).slice(1)}`;
    expect(parseExact(text)).to.deep.equal(JSON.parse(text));
    const beside = `{"first":${large},"rest":${text},"last":${large}}`;
    expect(again(beside)).to.equal(`{"first":${large},"rest":${JSON.stringify(JSON.parse(text))},"last":${large}}`);
  });

  it('has no other form than that of integers', () => {
    for (const number of [
      '9007199254740991',
      '1234567890123456.5',
      '1234567890123456e3',
      '1.12345678901234567',
      '1e-12345678901234567',
      '1e400',
    ]) {
      expect(parseExact(`[${large},${number}]`)).to.have.property('1', Number(number));
    }
    for (const wrong of [
      `0${large}`,
      `+${large}`,
      `--${large}`,
      `${large}x`,
      `[${large}`,
      `{${large}:1}`,
      `"${large}`,
      `[${large} ${large}]`,
    ]) {
      expect(() => parseExact(wrong), wrong).to.throw(SyntaxError);
    }
  });

  it('has doubles where more stand than anybody has ids', () => {
    const many = parseExact(`[${Array(10_001).fill(large).join()}]`) as unknown[];
    expect(many).to.have.length(10_001);
    expect(many[0]).to.equal(Number(large));
  });
});
