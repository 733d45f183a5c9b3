import { expect } from 'chai';
import { breakers } from '../src/core/breaker.ts';
import { withoutChains } from '../src/core/channel-table.ts';
import { newRequestId } from '../src/core/request-id.ts';
import { wordMatcher } from '../src/core/word-matcher.ts';

describe('Word matcher', () => {
  it('finds words of long lists as it finds those of short ones', () => {
    const many = Array.from({ length: 500 }, (_, at) => `word${at}x`).concat('he', 'she', '敏感词', 'hers');
    for (const has of [wordMatcher(['SHE', '敏感词']), wordMatcher(many)]) {
      expect(has('uSHErs')).to.equal(true);
      expect(has('一个敏感词。')).to.equal(true);
      expect(has('nothing of it, word50')).to.equal(false);
      expect(has('')).to.equal(false);
    }
    expect(wordMatcher(many)('xxword49word499xx')).to.equal(true);
    expect(wordMatcher([])('anything')).to.equal(false);
  });
});

describe('Breaker', () => {
  it('opens on many failures, lets one probe through, closes on its success', () => {
    const all = breakers(() => 0.5);
    for (let call = 0; call < 9; call += 1) all.failed(1, 'm', { nowMs: 1000 });
    expect(all.state(1, 'm', 1000).isOpen).to.equal(false);
    all.failed(1, 'm', { nowMs: 1000 });
    expect(all.state(1, 'm', 1000)).to.include({ isOpen: true, reason: 'failing' });
    expect(all.state(1, 'other', 1000).isOpen).to.equal(false);
    expect(all.state(1, 'm', 3001).isOpen, 'half-open').to.equal(false);
    all.begin(1, 'm', 3001);
    expect(all.state(1, 'm', 3002).isOpen, 'one probe at a time').to.equal(true);
    all.failed(1, 'm', { nowMs: 3100 });
    expect(all.state(1, 'm', 5200).isOpen, 'twice as long').to.equal(true);
    all.begin(1, 'm', 7200);
    all.ended(1, 'm');
    expect(all.state(1, 'm', 7300).isOpen, 'a probe without news gives the turn back').to.equal(false);
    all.begin(1, 'm', 7300);
    all.succeeded(1, 'm', 7400);
    expect(all.state(1, 'm', 7400).isOpen).to.equal(false);
  });

  it('stays closed when most calls succeed, and forgets what is long ago', () => {
    const all = breakers();
    for (let call = 0; call < 100; call += 1) {
      all.failed(2, 'm', { nowMs: 1000 + call });
      all.succeeded(2, 'm', 1000 + call);
      all.succeeded(2, 'm', 1000 + call);
    }
    expect(all.state(2, 'm', 1100).isOpen).to.equal(false);
    for (let call = 0; call < 9; call += 1) all.failed(3, 'm', { nowMs: 1000 });
    all.failed(3, 'm', { nowMs: 60_000 });
    expect(all.state(3, 'm', 60_000).isOpen).to.equal(false);
    all.failed(4, 'm', { nowMs: 500, pauseMs: 2000 });
    expect(all.state(4, 'm', 600)).to.include({ isOpen: true, reason: 'limited', untilMs: 2500 });
    expect(all.open(600)).to.deep.equal({ failing: 0, limited: 1 });
    all.forget(4);
    expect(all.state(4, 'm', 600).isOpen).to.equal(false);
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
