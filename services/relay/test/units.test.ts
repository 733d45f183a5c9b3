import { expect } from 'chai';
import { newRequestId } from '../src/call/request-id.ts';
import { wordMatcher } from '../src/enter/word-matcher.ts';
import { withoutChains } from '../src/routing/routed-channel.ts';

describe('Word matcher', () => {
  it('finds words of long lists as it finds those of short ones', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `word${at}x`).concat('he', 'she', '敏感词', 'hers');
    for (const has of [await wordMatcher(['SHE', '敏感词']), await wordMatcher(many)]) {
      expect(has('uSHErs')).to.equal(true);
      expect(has('一个敏感词。')).to.equal(true);
      expect(has('nothing of it, word50')).to.equal(false);
      expect(has('')).to.equal(false);
    }
    expect((await wordMatcher(many))('xxword49word499xx')).to.equal(true);
    expect((await wordMatcher([]))('anything')).to.equal(false);
  });
});

describe('Model mapping', () => {
  it('follows chains and stops where a circle would close', () => {
    expect(
      withoutChains(
        new Map([
          ['a', 'b'],
          ['b', 'c'],
          ['x', 'x'],
          ['p', 'q'],
          ['q', 'p'],
        ]),
      ),
    ).to.deep.equal(
      new Map([
        ['a', 'c'],
        ['b', 'c'],
        ['p', 'q'],
        ['q', 'p'],
      ]),
    );
  });
});

describe('Request ids', () => {
  it('are unique, sort by their second, and fit into an event', () => {
    const now = Date.UTC(2026, 10, 21, 1, 2, 3);
    const ids = Array.from({ length: 5000 }, () => newRequestId(now));
    expect(new Set(ids).size).to.equal(5000);
    expect(ids[0]).to.match(/^20261121010203[0-9a-f]{20}$/);
  });
});
