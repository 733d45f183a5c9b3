import { readFileSync } from 'node:fs';
import { defaultPrices, noUsage, optionValues, type PriceUsed } from '@tollgate/contracts';
import { expect } from 'chai';
import { affordableOutputTokens, completionRatioOf, estimateQuota, priceOf, pricesFrom, quotaOf } from '../src/index.ts';

const tables = pricesFrom(optionValues(new Map()));

function priced(model: string, group = 'default'): PriceUsed {
  const price = priceOf(model, group, tables);
  if (!price) throw new Error(`${model} has no price`);
  return price;
}

describe('the completion ratio', () => {
  const vectors = JSON.parse(readFileSync(new URL('fixtures/completion-ratios.resolved.json', import.meta.url), 'utf8')) as {
    models: Record<string, number>;
  };
  it(`is the known one for all ${Object.keys(vectors.models).length} check vectors`, () => {
    for (const [model, ratio] of Object.entries(vectors.models))
      expect(completionRatioOf(model, defaultPrices.completionRatios), model).to.equal(ratio);
  });
  it('takes an explicit entry for a name with a slash, else lets the rules of known families win', () => {
    expect(completionRatioOf('openai/gpt-4o', { 'openai/gpt-4o': 9 })).to.equal(9);
    expect(completionRatioOf('gpt-4o', { 'gpt-4o': 9 })).to.equal(4);
    expect(completionRatioOf('my-model', { 'my-model': 9 })).to.equal(9);
  });
});

describe('the price of a call', () => {
  it('multiplies ratios and rounds once', () => {
    expect(quotaOf({ ...noUsage, textInput: 27, textOutput: 13 }, priced('gpt-4o'))).to.equal(Math.round((27 + 13 * 4) * 1.25));
    expect(quotaOf({ ...noUsage, textInput: 1000, cachedInput: 1000, textOutput: 100 }, priced('gpt-4o'))).to.equal(
      Math.round((1000 + 500 + 400) * 1.25),
    );
  });
  it('charges cache writes and reads of Claude at their own rates', () => {
    const usage = { ...noUsage, textInput: 100, cachedInput: 1000, cacheWrite5m: 200, cacheWrite1h: 50, textOutput: 10 };
    expect(quotaOf(usage, priced('claude-3-5-sonnet-20241022'))).to.equal(Math.round((100 + 100 + 250 + 100 + 50) * 1.5));
  });
  it('is at least 1 unless the price is zero', () => {
    expect(quotaOf({ ...noUsage, textInput: 1 }, priced('text-embedding-3-small'))).to.equal(1);
    expect(quotaOf({ ...noUsage, textInput: 1e6 }, { ...priced('gpt-4o'), groupRatio: 0 })).to.equal(0);
  });
  it('does not let the noise of binary fractions tip a half', () => {
    expect(quotaOf({ ...noUsage, textInput: 1 }, { ...priced('gpt-4o'), modelRatio: 1.1 * 1.5, groupRatio: 50 / 33 })).to.equal(3);
  });
  it('of a model with a fixed price is that price, whatever was used', () => {
    expect(quotaOf({ ...noUsage, textInput: 99_999 }, priced('dall-e-3'))).to.equal(20_000);
  });
  it('follows the operator when a unit of money is worth another amount of quota', () => {
    expect(quotaOf({ ...noUsage, textInput: 100 }, { ...priced('gpt-4o'), quotaPerUnit: 1_000_000 })).to.equal(250);
  });
  it('does not exist for a model that has none, unless the operator allows it', () => {
    expect(priceOf('no-such-model', 'default', tables)).to.equal(undefined);
    expect(priceOf('no-such-model', 'default', { ...tables, unpricedModelRatio: 37.5 })?.modelRatio).to.equal(37.5);
  });
  it('is shared by all names of a family with a wildcard entry', () => {
    expect(priced('gpt-4-gizmo-abc').modelPrice).to.equal(0.1);
    expect(priced('gpt-4o-gizmo-abc').modelRatio).to.equal(2.5);
    expect(priceOf('my-7b', 'default', { ...tables, modelRatio: { 'my-*': 2, 'my-7*': 3 } })?.modelRatio).to.equal(3);
  });
});

describe('the estimate', () => {
  it('covers the longest answer, and the affordable answer fits the quota', () => {
    const price = priced('gpt-4o');
    expect(estimateQuota({ promptTokens: 100, maxOutputTokens: 1000 }, price)).to.equal(Math.round((100 + 4000) * 1.25));
    const tokens = affordableOutputTokens(1000, 100, price);
    expect(estimateQuota({ promptTokens: 100, maxOutputTokens: tokens }, price)).to.be.at.most(1000);
    expect(affordableOutputTokens(10, 100, price)).to.equal(0);
    expect(affordableOutputTokens(10, 100, { ...price, groupRatio: 0 })).to.equal(Number.POSITIVE_INFINITY);
  });
});
