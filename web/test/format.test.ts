import { expect } from 'chai';
import {
  durationTone,
  firstTokenTone,
  formatChannelBalance,
  formatCompact,
  formatDateTime,
  formatDollars,
  formatFigure,
  formatQuota,
  formatRate,
  formatRelative,
  formatSeconds,
  groupRatioTone,
  groupTone,
  maskedKey,
  namesIn,
  responseTimeTone,
} from '../src/shared/format.ts';

const dollars = { quotaPerUnit: 500_000, asCurrency: true };
const points = { quotaPerUnit: 500_000, asCurrency: false };

describe('What numbers and times look like', () => {
  it('shows dollars with two decimals from one dollar on, with four significant digits below', () => {
    expect(formatQuota(500_000, dollars)).to.equal('$1.00');
    expect(formatQuota(617_283_950, dollars)).to.equal('$1,234.57');
    expect(formatQuota(225, dollars)).to.equal('$0.00045');
    expect(formatQuota(250_000, dollars)).to.equal('$0.50');
    expect(formatQuota(61_728, dollars)).to.equal('$0.1235');
    expect([0.99994, 0.99996, 1, 12_345.678].map(formatDollars)).to.deep.equal(['$0.9999', '$1.00', '$1.00', '$12,345.68']);
    expect(formatQuota(-750_000, dollars)).to.equal('-$1.50');
  });

  it('never shows an amount that is there as nothing', () => {
    expect(formatDollars(0)).to.equal('$0.00');
    expect(formatDollars(-0)).to.equal('$0.00');
    expect(formatDollars(0.000002)).to.equal('$0.000002');
    expect(formatDollars(-0.001)).to.equal('-$0.001');
  });

  it('shows quota as a compact number where the site shows no currency', () => {
    expect(formatQuota(9_999, points)).to.equal('9,999');
    expect(formatQuota(10_000, points)).to.equal('10.0k');
    expect(formatCompact(1_500_000)).to.equal('1.5M');
    expect(formatCompact(2_340_000_000)).to.equal('2.3B');
  });

  it('shows rates with three significant digits, and whole numbers from a hundred on', () => {
    expect([0, 0.001234, 1.551, 99.96, 3091.074].map(formatRate)).to.deep.equal(['0', '0.00123', '1.55', '100', '3,091']);
  });

  it('hides the middle of a large upstream balance', () => {
    expect(formatChannelBalance(1234.5)).to.equal('$1,234.50');
    expect(formatChannelBalance(123_456.9)).to.equal('$12..56.90');
  });

  it('shows ratios and prices without floating-point noise', () => {
    expect(formatFigure(0.1 + 0.2)).to.equal('0.3');
    expect(formatFigure(0.000012345678)).to.equal('0.0000123457');
    expect(formatFigure(4)).to.equal('4');
  });

  it('shows times in the zone of the browser, and how far away they are', () => {
    const noon = new Date(2026, 2, 5, 12, 34, 56).getTime();
    expect(formatDateTime(noon / 1000)).to.equal('2026-03-05 12:34:56');
    expect(formatRelative(noon / 1000 - 7200, noon, 'en')).to.equal('2 hr. ago');
    expect(formatRelative(noon / 1000 + 86_400, noon, 'en')).to.equal('tomorrow');
    expect(formatRelative(noon / 1000 - 7200, noon, 'zh')).to.equal('2小时前');
  });

  it('shows durations with the digits that matter', () => {
    expect(formatSeconds(0.4242)).to.equal('0.42 s');
    expect(formatSeconds(12.34)).to.equal('12.3 s');
    expect(formatSeconds(142)).to.equal('2 min 22 s');
  });

  it('judges response times, durations and ratios by the thresholds of the specification', () => {
    expect([0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseTimeTone)).to.deep.equal([
      'neutral',
      'success',
      'success',
      'lime',
      'lime',
      'yellow',
      'yellow',
      'error',
    ]);
    expect([100, 101, 299, 300].map(durationTone)).to.deep.equal(['success', 'warning', 'warning', 'error']);
    expect([2.9, 3, 9.9, 10].map(firstTokenTone)).to.deep.equal(['success', 'warning', 'warning', 'error']);
    expect([1, 1.5, 3, 3.5, 5, 6].map(groupRatioTone)).to.deep.equal(['success', 'info', 'info', 'warning', 'warning', 'error']);
    expect(['vip', 'pro', 'svip', 'premium'].map(groupTone)).to.deep.equal(['yellow', 'yellow', 'error', 'error']);
    expect(groupTone('team-a')).to.equal(groupTone('team-a')).and.not.be.oneOf(['yellow', 'error']);
    for (const name of ['', 'default', '分组', 'constructor']) expect(groupTone(name), name).to.be.a('string');
  });

  it('reads comma lists and shows a key by its ends', () => {
    expect(namesIn(' gpt-4o, ,o3-mini')).to.deep.equal(['gpt-4o', 'o3-mini']);
    expect(namesIn(null)).to.deep.equal([]);
    expect(maskedKey('abcdefghijklmnopqrstuvwxyz')).to.equal('abcd••••wxyz');
    expect(maskedKey('short')).to.equal('••••');
  });
});
