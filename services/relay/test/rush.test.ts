import { expect } from 'chai';
import { openRush } from '../src/admission/admission-control.ts';

const burstMs = 5_000;

describe('A rush of calls', () => {
  it('is on once somebody has waited for the time of a burst, and not before', () => {
    const rush = openRush(burstMs);
    rush.waits(true, 1_000);
    expect(rush.isOn(5_999)).to.equal(false);
    expect(rush.isOn(6_000)).to.equal(true);
  });

  it('goes on through gaps in the queue, so that none of them lets the next calls wait like a burst', () => {
    const rush = openRush(burstMs);
    rush.waits(true, 0);
    for (let at = burstMs; at < 60_000; at += 2_000) {
      rush.waits(false, at);
      rush.waits(true, at + 900);
      expect(rush.isOn(at + 900), `after the gap at ${at} ms`).to.equal(true);
    }
  });

  it('is over when nobody has waited for the time of a burst; the next calls are a burst again', () => {
    const rush = openRush(burstMs);
    rush.waits(true, 0);
    rush.waits(false, 7_000);
    expect(rush.isOn(11_999)).to.equal(true);
    expect(rush.isOn(12_000)).to.equal(false);
    rush.waits(true, 12_000);
    expect(rush.isOn(16_999)).to.equal(false);
  });

  it('does not begin where calls wait now and then, for less of the time than they do not', () => {
    const rush = openRush(burstMs);
    for (let at = 0; at < 60_000; at += 1_000) {
      rush.waits(true, at);
      rush.waits(false, at + 450);
      expect(rush.isOn(at + 450)).to.equal(false);
    }
  });
});
