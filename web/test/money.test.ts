import { expect } from 'chai';
import { isAmbiguous, otherForm, parseQuota, quotaInput } from '../src/shared/money.ts';

const dollars = { quotaPerUnit: 500_000, asCurrency: true };
const points = { quotaPerUnit: 500_000, asCurrency: false };

describe('The money field', () => {
  it('reads dollars where the site shows currency, quota where it does not', () => {
    expect(parseQuota('2.5', dollars)).to.equal(1_250_000);
    expect(parseQuota('2500', points)).to.equal(2_500);
  });

  it('reads 1.5k, $2, grouped digits and negative amounts', () => {
    expect(parseQuota('1.5k', points)).to.equal(1_500);
    expect(parseQuota('$2', points)).to.equal(1_000_000);
    expect(parseQuota('1,234', dollars)).to.equal(617_000_000);
    expect(parseQuota('-3', dollars)).to.equal(-1_500_000);
  });

  it('refuses what is no amount, and fractions of a quota', () => {
    for (const text of ['', 'abc', '1.2.3', '1e9', '$', '--1', '12x']) expect(parseQuota(text, dollars), text).to.equal(undefined);
    expect(parseQuota('0.5', points)).to.equal(undefined);
    expect(parseQuota('0.0000001', dollars)).to.equal(undefined);
  });

  it('takes no amount that is one and a half to some people and fifteen hundred to others', () => {
    for (const text of ['1.500', '-12.000', '$1.500', '999.999']) {
      expect(parseQuota(text, dollars), text).to.equal(undefined);
      expect(isAmbiguous(text), text).to.equal(true);
    }
    for (const text of ['0.500', '.500', '1.50', '1.5000', '1500.000', '1.500k', '$-5']) expect(isAmbiguous(text), text).to.equal(false);
    expect(parseQuota('$-5', dollars)).to.equal(undefined);
  });

  it('is not misled by floating point', () => {
    expect(parseQuota('0.07', dollars)).to.equal(35_000);
    expect(parseQuota('1.1', dollars)).to.equal(550_000);
  });

  it('shows what it reads back as the same amount', () => {
    for (const quota of [0, 1, 617_000, -750_001, 35_000, 499_999, 617_283_951]) {
      expect(parseQuota(quotaInput(quota, dollars), dollars)).to.equal(quota);
      expect(parseQuota(quotaInput(quota, points), points)).to.equal(quota);
    }
  });

  it('names the amount in the other unit beside it', () => {
    expect(otherForm(1_250_000, dollars)).to.equal('1,250,000');
    expect(otherForm(1_250_000, points)).to.equal('$2.50');
  });
});
