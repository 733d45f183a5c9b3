import type { UsageDataRow } from '@tollgate/contracts/api/usage-data';
import { expect } from 'chai';
import { effectOf } from '../src/features/settings/effect-of.ts';
import { effectiveCompletion, type Prices } from '../src/features/settings/price-rows.ts';

const used = (key: string, quota: number, count: number, tokens: [number, number] = [0, 0]): UsageDataRow => ({
  user_id: 0,
  username: '',
  model_name: key,
  key,
  label: key,
  step: 'total',
  zone: 'UTC',
  created_at: 0,
  prompt_tokens: tokens[0],
  completion_tokens: tokens[1],
  token_used: tokens[0] + tokens[1],
  count,
  quota,
  uncollected: 0,
});
const prices = (change: Partial<Prices> = {}): Prices => ({ fixed: {}, ratio: {}, completion: {}, ...change });
const quotaPerUnit = 500_000;

describe('What last week would have cost at other prices', () => {
  it('scales the cost of a model by its price at its own tokens, and leaves the others', () => {
    const usage = [used('a', 1000, 2, [100, 50]), used('b', 300, 1, [10, 10])];
    const before = prices({ ratio: { a: 1, b: 1 }, completion: { a: 2 } });
    const after = prices({ ratio: { a: 1.5, b: 1 }, completion: { a: 4 } });
    // 100 + 50 x 2 = 200 before, 1.5 x (100 + 50 x 4) = 450 after.
    expect(effectOf(usage, { before, after, quotaPerUnit })).to.deep.equal({
      changes: [{ model: 'a', quota: 1000, quotaAfter: 2250 }],
      total: 1300,
      totalAfter: 2550,
    });
  });

  it('counts the built-in completion ratio of a model family where the lists have none, as calls are charged', () => {
    const usage = [used('gpt-4o-mini', 1000, 2, [100, 100])];
    const before = prices({ ratio: { 'gpt-4o-mini': 0.075 } });
    expect(effectiveCompletion(before, 'gpt-4o-mini')).to.equal(4);
    // A ratio in the lists that the built-in one overrules changes nothing.
    const after = prices({ ratio: { 'gpt-4o-mini': 0.075 }, completion: { 'gpt-4o-mini': 4 } });
    expect(effectOf(usage, { before, after, quotaPerUnit }).changes).to.deep.equal([]);
  });

  it('knows prices by the call, and puts what changes most first', () => {
    const usage = [used('drawn', 10_000, 2), used('said', 100, 1, [100, 0])];
    const before = prices({ fixed: { drawn: 0.01 }, ratio: { said: 1 } });
    const after = prices({ fixed: { drawn: 0.005, said: 0.001 } });
    const { changes } = effectOf(usage, { before, after, quotaPerUnit });
    expect(changes).to.deep.equal([
      { model: 'drawn', quota: 10_000, quotaAfter: 5000 },
      { model: 'said', quota: 100, quotaAfter: 500 },
    ]);
  });

  it('prices anew what had no price in the lists, and leaves what loses its own', () => {
    const usage = [used('new', 7, 1, [10, 10]), used('gone', 50, 1, [10, 10])];
    const effect = effectOf(usage, { before: prices({ ratio: { gone: 1 } }), after: prices({ ratio: { new: 2 } }), quotaPerUnit });
    expect(effect).to.deep.equal({ changes: [{ model: 'new', quota: 7, quotaAfter: 40 }], total: 57, totalAfter: 90 });
  });
});
