import { furtherClasses, noUsage, optionValues, type PriceUsed, tokenClasses, type Usage } from '@tollgate/contracts';
import { expect } from 'chai';
import { affordableOutputTokens, type CallPrice, estimateQuota, itemsTotal, priceOf, pricesFrom, quotaOf, recorded } from '../src/index.ts';
import { firstEvent, firstQuotaOf } from './first-readers.ts';

const tables = pricesFrom(optionValues(new Map()));

function priced(model: string): CallPrice {
  const price = priceOf(model, { group: 'default', atMs: 0 }, tables);
  if (!price) throw new Error(`${model} has no price`);
  return price;
}

const plain: PriceUsed = {
  kind: 'ratio',
  modelRatio: 2,
  completionRatio: 4,
  cacheRatio: 0.5,
  cacheWrite5mRatio: 1.25,
  cacheWrite1hRatio: 2,
  audioRatio: 20,
  audioCompletionRatio: 2,
  modelPrice: 0,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};

/** A pseudo-random generator with a fixed seed. */
function dice(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % most;
  };
}

describe('a call that uses more than tokens', () => {
  const cases: [string, Usage, CallPrice, quota: number][] = [
    ['two pictures', { ...noUsage, pictures: 2 }, { ...plain, kind: 'fixed', modelPrice: 0.04, pieces: { pictures: 0.08 } }, 80_000],
    ['a minute of sound at the ratio of tokens', { ...noUsage, seconds: 60 }, plain, 2000],
    ['a minute of sound by the second', { ...noUsage, seconds: 60 }, { ...plain, pieces: { seconds: 0.0001 } }, 3000],
    ['a thousand characters', { ...noUsage, characters: 1000 }, { ...plain, modelRatio: 7.5 }, 7500],
    [
      'two searches, half price for the group',
      { ...noUsage, searches: 2 },
      { ...plain, groupRatio: 0.5, pieces: { searches: 0.002 } },
      1000,
    ],
    ['a drawn picture by tokens', { ...noUsage, textInput: 10, imageInput: 100, imageOutput: 1000 }, priced('gpt-image-1'), 20_525],
    [
      'a tool that costs a cent, and its text',
      { ...noUsage, textInput: 100, toolCalls: 1 },
      { ...plain, pieces: { toolCalls: 0.01 } },
      5200,
    ],
    ['pictures whose price is a fixed one a call', { ...noUsage, pictures: 3 }, { ...plain, kind: 'fixed', modelPrice: 0.04 }, 20_000],
  ];
  for (const [what, usage, price, quota] of cases) {
    it(`costs what the table says: ${what}`, () => expect(quotaOf(usage, price)).to.equal(quota));
  }

  it('is told in items that come to its price, for who knows them, and as a fixed price for who does not', () => {
    const { items = [], price, usage } = recorded({ ...noUsage, imageInput: 100, textInput: 10, imageOutput: 1000 }, priced('gpt-image-1'));
    expect(items.map(({ kind, amount }) => [kind, amount])).to.deep.equal([
      ['textInput', 10],
      ['imageInput', 100],
      ['imageOutput', 1000],
    ]);
    expect(price).to.include({ kind: 'fixed', modelPrice: itemsTotal(items) });
    expect(usage).to.include({ textInput: 10, imageInput: 100, textOutput: 1000 });
  });

  it('tells cached sound apart where it has a price, and beside what else was cached in any case', () => {
    const usage = { ...noUsage, textInput: 10, cachedInput: 200, cachedAudio: 100 };
    const apart = recorded(usage, { ...plain, cachedAudioRatio: 3 });
    expect(apart.items).to.deep.equal([
      { kind: 'textInput', amount: 10, price: 4e-6 },
      { kind: 'cachedInput', amount: 200, price: 2e-6 },
      { kind: 'cachedInput', amount: 100, price: 12e-6 },
    ]);
    expect(apart).to.deep.include({ cachedAudio: 100, usage: { ...noUsage, textInput: 10, cachedInput: 300 } });
    expect(recorded(usage, plain)).to.deep.equal({
      usage: { ...noUsage, textInput: 10, cachedInput: 300 },
      price: plain,
      cachedAudio: 100,
    });
    expect(quotaOf(usage, plain)).to.equal(10 * 2 + 300 * 0.5 * 2);
  });

  it('asks for a cached picture as much more than for cached words as for a picture than for words', () => {
    const usage = { ...noUsage, textInput: 10, cachedInput: 200, cachedImage: 50, cachedAudio: 100 };
    const apart = recorded(usage, { ...plain, imageRatio: 3 });
    expect(apart.items).to.deep.equal([
      { kind: 'textInput', amount: 10, price: 4e-6 },
      { kind: 'cachedInput', amount: 200, price: 2e-6 },
      { kind: 'cachedInput', amount: 50, price: 6e-6 },
      { kind: 'cachedInput', amount: 100, price: 2e-6 },
    ]);
    expect(apart).to.deep.include({ cachedAudio: 100, usage: { ...noUsage, textInput: 10, cachedInput: 350 } });
    expect(recorded(usage, plain)).to.deep.equal({
      usage: { ...noUsage, textInput: 10, cachedInput: 350 },
      price: plain,
      cachedAudio: 100,
    });
    expect(quotaOf(usage, plain)).to.equal(10 * 2 + 350 * 0.5 * 2);
  });

  it('is held for as if all of its answer were a picture, where those have a price', () => {
    const price = { ...plain, imageCompletionRatio: 60 };
    const used = { ...noUsage, textInput: 10 };
    expect(estimateQuota({ used, moreOutput: 100 }, price)).to.equal(10 * 2 + 100 * 60 * 2);
    expect(affordableOutputTokens(20 + 1200, { used }, price)).to.equal(10);
    expect(estimateQuota({ used, moreOutput: 100 }, plain)).to.equal(10 * 2 + 100 * 4 * 2);
  });

  it('shows characters and seconds as the tokens that the product family shows', () => {
    expect(recorded({ ...noUsage, characters: 7, seconds: 90 }, plain).usage).to.include({ textInput: 7, audioInput: 1500 });
  });
});

describe('an event, for the readers of before there were items', () => {
  it('is what it always was where a call used tokens only', () => {
    const usage = { ...noUsage, textInput: 10, textOutput: 5, imageInput: 3, audioInput: 2 };
    expect(recorded(usage, plain)).to.deep.equal({ usage, price: plain });
    expect(recorded({ ...usage, imageOutput: 7 }, plain), 'drawn at the price of text').to.deep.equal({
      usage: { ...usage, textOutput: 12 },
      price: plain,
    });
  });

  it('is read by them, and comes to the same quota, whatever was used at whatever price', () => {
    const roll = dice(7);
    for (let round = 0; round < 5000; round += 1) {
      const usage: Usage = { ...noUsage };
      for (const name of [...tokenClasses, ...furtherClasses]) if (roll(3) === 0) usage[name] = roll(100_000);
      if (roll(3) === 0) usage.cachedAudio = roll(100_000);
      if (roll(3) === 0) usage.cachedImage = roll(100_000);
      const price: CallPrice = {
        ...plain,
        cachedAudioRatio: roll(2) ? roll(9) / 3 : undefined,
        kind: roll(2) ? 'ratio' : 'fixed',
        modelRatio: roll(500) / 7,
        modelPrice: roll(100) / 9,
        groupRatio: roll(30) / 10,
        imageRatio: roll(2) ? roll(9) / 3 : undefined,
        imageCompletionRatio: roll(2) ? roll(40) / 3 : undefined,
        ...(roll(2) && { pieces: { pictures: roll(100) / 700, seconds: roll(10) / 90_000, searches: roll(9) / 1000 } }),
      };
      const sent = JSON.parse(JSON.stringify({ ...recorded(usage, price), quota: quotaOf(usage, price) })) as unknown;
      const read = firstEvent.parse(sent);
      expect(firstQuotaOf(read), JSON.stringify(sent)).to.equal(read.quota);
      expect(quotaOf(read.usage, read.price), 'and today').to.equal(read.quota);
    }
  }).timeout(20_000);
});
