import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { newRequestId } from '../src/context/call.ts';
import { crowd } from '../src/context/open-calls.ts';
import { wordMatcher } from '../src/context/word-matcher.ts';
import { withoutChains } from '../src/routing/routed-channel.ts';

describe('Word matcher', () => {
  it('finds words of long lists as it finds those of short ones', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `word${at}x`).concat('he', 'she', '敏感词', 'hers');
    for (const has of [await wordMatcher(['SHE', '敏感词']), await wordMatcher(many)]) {
      expect(has('uSHErs')).to.equal(true);
      expect(has('一个敏感词。')).to.equal(true);
      expect(has('nothing of it, word50')).to.equal(false);
      expect(has('')).to.equal(false);
      for (const text of ['uSHErs', '一个敏感词。', 'nothing of it']) {
        const hasPiece = has.inPieces();
        expect([...text].some(hasPiece), text).to.equal(has(text)); // letter by letter
      }
      expect([has.inPieces()('us'), has.inPieces()('he')]).to.deep.equal([false, has('he')]);
    }
    expect((await wordMatcher(many))('xxword49word499xx')).to.equal(true);
    expect((await wordMatcher([]))('anything')).to.equal(false);
  });
});

describe('Crowd', () => {
  const member = () => ({ place: -1 });

  it('knows who is in it, however they come and go, and passes over who goes while it is looked through', () => {
    const [first, second, third] = [member(), member(), member()];
    const members = crowd<{ place: number }>();
    for (const each of [first, second, third, second]) members.add(each);
    expect(members.size).to.equal(3);
    expect(members.delete(first)).to.equal(true);
    expect(members.delete(first)).to.equal(false);
    expect(members.delete(member())).to.equal(false);
    expect([...members]).to.have.members([second, third]);
    members.add(first);
    const seen: object[] = [];
    for (const each of members) {
      seen.push(each);
      for (const other of [first, second, third]) members.delete(other);
    }
    expect(seen).to.have.length(1);
    expect(members.size).to.equal(0);
  });

  it('keeps nothing of those who have gone, as a Set does until all is collected', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (what?: { type: 'minor' }) => void;
    const members = crowd<{ place: number; kept: number[] }>();
    const open: { place: number; kept: number[] }[] = [];
    collect();
    const { heapUsed } = process.memoryUsage();
    for (let count = 0; count < 4_000; count += 1) {
      const next = { place: -1, kept: new Array<number>(1_000).fill(count) };
      open.push(next);
      members.add(next);
      const gone = open.length > 32 ? open.shift() : undefined;
      if (gone !== undefined) members.delete(gone);
      if (count % 100 === 0) collect({ type: 'minor' });
    }
    for (const _round of [1, 2]) collect({ type: 'minor' });
    expect(process.memoryUsage().heapUsed - heapUsed).to.be.lessThan(8_000_000); // of 32 MB
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
