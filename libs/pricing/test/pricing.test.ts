import { readFileSync } from 'node:fs';
import { defaultPrices, noUsage, optionValues, type PriceUsed } from '@tollgate/contracts';
import { expect } from 'chai';
import {
  affordableOutputTokens,
  completionRatioOf,
  estimateQuota,
  maxOutputOf,
  priceOf,
  pricesFrom,
  pricesOf,
  quotaOf,
} from '../src/index.ts';

const tables = pricesFrom(optionValues(new Map()));
const asked = { group: 'default', atMs: 0 };

function priced(model: string): PriceUsed {
  const price = priceOf(model, asked, tables);
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
    expect(priceOf('no-such-model', asked, tables)).to.equal(undefined);
    expect(priceOf('no-such-model', asked, { ...tables, unpricedModelRatio: 37.5 })?.modelRatio).to.equal(37.5);
  });
  /** US dollars per million tokens, from the model pages of the providers; cached input for text and audio. */
  const spoken: [string, { text: number[]; cached: number | number[]; sound: number[]; picture?: number }][] = [
    ['gpt-realtime', { text: [4, 16], cached: 0.4, sound: [32, 64], picture: 5 }],
    ['gpt-realtime-2025-08-28', { text: [4, 16], cached: 0.4, sound: [32, 64], picture: 5 }],
    ['gpt-realtime-1.5', { text: [4, 16], cached: 0.4, sound: [32, 64], picture: 5 }],
    ['gpt-realtime-2', { text: [4, 24], cached: 0.4, sound: [32, 64], picture: 5 }],
    ['gpt-realtime-2.1', { text: [4, 24], cached: 0.4, sound: [32, 64], picture: 5 }],
    ['gpt-realtime-2.1-mini', { text: [0.6, 2.4], cached: [0.06, 0.3], sound: [10, 20], picture: 0.8 }],
    ['gpt-realtime-mini', { text: [0.6, 2.4], cached: [0.06, 0.3], sound: [10, 20], picture: 0.8 }],
    ['gpt-realtime-mini-2025-12-15', { text: [0.6, 2.4], cached: [0.06, 0.3], sound: [10, 20], picture: 0.8 }],
    ['gpt-4o-realtime-preview-2025-06-03', { text: [5, 20], cached: 2.5, sound: [40, 80] }],
    ['gpt-4o-mini-realtime-preview', { text: [0.6, 2.4], cached: 0.3, sound: [10, 20] }],
    ['gpt-audio', { text: [2.5, 10], cached: 2.5, sound: [32, 64] }],
    ['gpt-audio-mini-2025-10-06', { text: [0.6, 2.4], cached: 0.6, sound: [10, 20] }],
    ['gpt-4o-audio-preview-2025-06-03', { text: [2.5, 10], cached: 2.5, sound: [40, 80] }],
    ['gpt-4o-mini-audio-preview', { text: [0.15, 0.6], cached: 0.15, sound: [10, 20] }],
  ];
  for (const [model, { text, cached, sound, picture }] of spoken) {
    it(`of ${model} is its maker's for text, sound, pictures and what was cached`, () => {
      const dollars = (usage: object) => quotaOf({ ...noUsage, ...usage }, priced(model)) / 500_000;
      expect([dollars({ textInput: 1e6 }), dollars({ textOutput: 1e6 })]).to.deep.equal(text);
      const [words, sounds = words] = [cached].flat();
      expect([dollars({ cachedInput: 1e6 }), dollars({ cachedAudio: 1e6 })]).to.deep.equal([words, sounds]);
      expect([dollars({ audioInput: 1e6 }), dollars({ audioOutput: 1e6 })]).to.deep.equal(sound);
      if (picture !== undefined) expect(dollars({ imageInput: 1e6 })).to.equal(picture);
    });
  }
  it('is shared by all names of a family with a wildcard entry', () => {
    expect(priced('gpt-4-gizmo-abc').modelPrice).to.equal(0.1);
    expect(priced('gpt-4o-gizmo-abc').modelRatio).to.equal(2.5);
    expect(priceOf('my-7b', asked, { ...tables, modelRatio: { 'my-*': 2, 'my-7*': 3 } })?.modelRatio).to.equal(3);
  });
});

describe('the price of long prompts', () => {
  const gemini = pricesOf('gemini-2.5-pro-preview-03-25', asked, tables);
  it('is a price of its own beyond the length that the provider names', () => {
    expect(gemini?.tiers?.[0]?.above).to.equal(200_000);
    const usage = { ...noUsage, textInput: 250_000, textOutput: 1000 };
    const ordinary = { input: 250_000 * 0.625, output: 1000 * 8 * 0.625 };
    expect(quotaOf(usage, gemini?.ordinary as PriceUsed)).to.equal(Math.round(ordinary.input + ordinary.output));
    expect(quotaOf(usage, gemini?.tiers?.[0]?.price as PriceUsed)).to.equal(Math.round(ordinary.input * 2 + ordinary.output * 1.5));
  });
  it('does not exist where the provider asks the same for every length', () => {
    expect(pricesOf('gpt-4o', asked, tables)?.tiers).to.equal(undefined);
    expect(pricesOf('no-such-model', asked, tables)).to.equal(undefined);
  });
});

describe('the longest answer of a model', () => {
  const table = { own: {}, table: defaultPrices.maxOutputTokens, listed: () => undefined };
  it('is found by its name, by the longest beginning, or by the part after a slash', () => {
    expect(maxOutputOf('o3-mini-2025-01-31-high', table)).to.equal(100_000);
    expect(maxOutputOf('o1-mini', table)).to.equal(65_536);
    expect(maxOutputOf('gpt-4o-2024-05-13', table)).to.equal(4096);
    expect(maxOutputOf('anthropic/claude-sonnet-4', table)).to.equal(64_000);
    expect(maxOutputOf('my-model', table)).to.equal(undefined);
    expect(maxOutputOf('o1-mini', { ...table, listed: () => 5 })).to.equal(5);
    expect(maxOutputOf('o1-mini', { ...table, listed: () => 5, own: { 'o1-*': 7 } })).to.equal(7);
  });
});

describe('the estimate', () => {
  it('knows what each class of the prompt costs, and that speech is dearer than text', () => {
    const audio = priced('gpt-4o-audio-preview');
    const heard = { ...noUsage, textInput: 10, audioInput: 100 };
    expect(estimateQuota({ used: heard, moreOutput: 0 }, audio)).to.equal(Math.round((10 + 100 * 40) * 1.25));
    expect(estimateQuota({ used: noUsage, moreOutput: 10, isSpoken: true }, audio)).to.equal(10 * 40 * 2 * 1.25);
    expect(affordableOutputTokens(1000, { used: noUsage, isSpoken: true }, audio)).to.equal(10);
    const cached = { ...noUsage, cacheWrite1h: 100 };
    expect(estimateQuota({ used: cached, moreOutput: 0 }, priced('claude-3-5-sonnet-20241022'))).to.equal(300);
  });
  it('covers the longest answer, and the affordable answer fits the quota', () => {
    const price = priced('gpt-4o');
    const used = { ...noUsage, textInput: 100 };
    expect(estimateQuota({ used, moreOutput: 1000 }, price)).to.equal(Math.round((100 + 4000) * 1.25));
    const tokens = affordableOutputTokens(1000, { used }, price);
    expect(estimateQuota({ used, moreOutput: tokens }, price)).to.be.at.most(1000);
    expect(affordableOutputTokens(10, { used }, price)).to.equal(0);
    expect(affordableOutputTokens(10, { used }, { ...price, groupRatio: 0 })).to.equal(Number.POSITIVE_INFINITY);
  });
});
