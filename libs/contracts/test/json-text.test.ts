import { expect } from 'chai';
import { jsonPlaces } from '../src/index.ts';

describe('places in a JSON text', () => {
  it('are lines of values by their paths, in lists and objects', () => {
    const { lineAt, doubled } = jsonPlaces('{\n  "a": 1,\n  "b": [true,\n    {"c": "x\\"y,}"}],\n  "d.e": {}, "f": null\n}');
    expect([['a'], ['b'], ['b', 0], ['b', 1, 'c'], ['d.e'], ['f'], [], ['nope']].map((path) => lineAt(path))).to.deep.equal([
      2,
      3,
      3,
      4,
      5,
      5,
      1,
      undefined,
    ]);
    expect(doubled).to.deep.equal([]);
  });

  it('tell each name that one object has twice, however it is written, and no other', () => {
    const { doubled } = jsonPlaces(
      '{"a": {"x": 1},\n "b": {"x": 2, "x": 3},\n "\\u0061": "b", "c": ["a", "a"], "__proto__": 1,\n"__proto__": 2}',
    );
    expect(doubled).to.deep.equal([
      { path: ['b', 'x'], line: 2 },
      { path: ['a'], line: 3 },
      { path: ['__proto__'], line: 4 },
    ]);
  });

  it('of a large text are found in time that grows with it', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`model-${n}`, n])), null, 1);
    const start = performance.now();
    expect(jsonPlaces(text).lineAt(['model-19999'])).to.equal(20_001);
    expect(performance.now() - start).to.be.below(2000);
  });
});
