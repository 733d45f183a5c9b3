import { expect } from 'chai';
import { split } from '../src/features/logs/stat.ts';

describe('a span of time, cut into hours or days', () => {
  const now = 100 * 3_600_000 + 1234;
  const h = (hours: number, ms = 0) => hours * 3_600_000 + ms;

  it('is whole hours only when it is open', () => {
    expect(split(0, 0, { now })).to.deep.equal({ whole: [0, h(101)], ends: [] });
    expect(split(h(7), 0, { now })).to.deep.equal({ whole: [h(7), h(101)], ends: [] });
    expect(split(h(7), h(200), { now })).to.deep.equal({ whole: [h(7), h(101)], ends: [] });
  });

  it('leaves the parts of hours at its ends', () => {
    expect(split(h(7, 1000), h(9, 5000), { now })).to.deep.equal({
      whole: [h(8), h(9)],
      ends: [
        [h(7, 1000), h(8) - 1],
        [h(9), h(9, 5999)],
      ],
    });
    expect(split(h(7), h(9, 3_599_000), { now })).to.deep.equal({ whole: [h(7), h(10)], ends: [] });
    expect(split(h(7), h(7, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7), h(7, 5999)]] });
    expect(split(h(7, 1000), h(7, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7, 1000), h(7, 5999)]] });
    expect(split(h(7, 1000), h(8, 5000), { now })).to.deep.equal({ whole: undefined, ends: [[h(7, 1000), h(8, 5999)]] });
  });

  it('may be cut into days', () => {
    expect(split(h(7), h(75), { now, periodMs: h(24) })).to.deep.equal({
      whole: [h(24), h(72)],
      ends: [
        [h(7), h(24) - 1],
        [h(72), h(75, 999)],
      ],
    });
  });

  it('may be empty', () => {
    expect(split(h(9), h(8), { now })).to.deep.equal({ whole: undefined, ends: [] });
  });
});
