import type { LogView } from '@tollgate/contracts';
import { expect } from 'chai';
import { billOf } from '../src/features/logs/billing.ts';
import { timeRangeOf } from '../src/features/logs/time-range.ts';

const unit = 500_000;
const call = (fields: Partial<LogView>): LogView =>
  ({ type: 2, prompt_tokens: 0, completion_tokens: 0, quota: 0, uncollected: 0, other: '', ...fields }) as LogView;

describe('The billing breakdown of a log row', () => {
  it('adds up prompt and completion, times the group ratio', () => {
    const bill = billOf(
      call({ prompt_tokens: 1000, completion_tokens: 500, quota: 180 }),
      { model_ratio: 0.075, completion_ratio: 4, group_ratio: 0.8 },
      unit,
    );
    expect(bill).to.deep.include({ kind: 'tokens', groupRatio: 0.8, isOff: false });
    expect(bill?.total).to.be.closeTo(0.00036, 1e-12);
  });

  it('takes cached tokens out of the prompt and prices them by their own ratio', () => {
    const bill = billOf(
      call({ prompt_tokens: 1000, completion_tokens: 0, quota: 625 }),
      { model_ratio: 1, cache_tokens: 750, cache_ratio: 0.5 },
      unit,
    );
    if (bill?.kind !== 'tokens') throw new Error('expected a bill by tokens');
    expect(bill.lines.map(({ kind, tokens, perMillion }) => [kind, tokens, perMillion])).to.deep.equal([
      ['textInput', 250, 2],
      ['cachedInput', 750, 1],
    ]);
    expect(bill.isOff).to.equal(false);
  });

  it('tells cache writes for an hour from others, and reasoning from what was written', () => {
    const details = { model_ratio: 1, completion_ratio: 4, cache_creation_tokens: 300, cache_creation_ratio: 1.45, reasoning_tokens: 20 };
    const hour = { cache_creation_ratio_5m: 1.25, cache_creation_tokens_1h: 80, cache_creation_ratio_1h: 2 };
    const bill = billOf(call({ prompt_tokens: 400, completion_tokens: 50, quota: 735 }), { ...details, ...hour }, unit);
    if (bill?.kind !== 'tokens') throw new Error('expected a bill by tokens');
    expect(bill.lines.map(({ kind, tokens, perMillion }) => [kind, tokens, perMillion])).to.deep.equal([
      ['textInput', 100, 2],
      ['cacheWrite5m', 220, 2.5],
      ['cacheWrite1h', 80, 4],
      ['textOutput', 30, 8],
      ['reasoningOutput', 20, 8],
    ]);
    expect(bill.isOff).to.equal(false);
  });

  it('knows a fixed price per call', () => {
    const bill = billOf(call({ quota: 16_000 }), { model_ratio: 0, model_price: 0.04, group_ratio: 0.8 }, unit);
    expect(bill).to.deep.include({ kind: 'fixed', modelPrice: 0.04, isOff: false });
  });

  it('shows what is paid by the piece, item by item', () => {
    const items = [
      { kind: 'pictures' as const, amount: 2, price: 0.08 },
      { kind: 'textInput' as const, amount: 1000, price: 5e-6 },
    ];
    const bill = billOf(call({ prompt_tokens: 1000, quota: 66_000 }), { model_price: 0.165, group_ratio: 0.8, items }, unit);
    if (bill?.kind !== 'tokens') throw new Error('expected a bill by items');
    expect(bill.lines.map(({ kind, tokens, dollars }) => [kind, tokens, dollars])).to.deep.equal([
      ['pictures', 2, 0.16],
      ['textInput', 1000, 0.005],
    ]);
    expect(bill).to.include({ isOff: false });
    expect(bill.sum).to.be.closeTo(0.165, 1e-12);
  });

  it('tells cached sound apart, also where nothing else was cached', () => {
    const sound = { kind: 'cachedInput' as const, amount: 100, price: 4e-7 };
    for (const items of [[{ ...sound, price: 2e-7 }, sound], [sound]]) {
      const bill = billOf(call({ prompt_tokens: 200, quota: 30 }), { model_price: 6e-5, audio_cache_tokens: 100, items }, unit);
      if (bill?.kind !== 'tokens') throw new Error('expected a bill by items');
      expect(bill.lines.map(({ kind }) => kind)).to.deep.equal(['cachedInput', 'cachedAudio'].slice(-items.length));
    }
  });

  it('tells cached pictures apart from the words and the sound beside them', () => {
    const items = [200, 50, 100].map((amount) => ({ kind: 'cachedInput' as const, amount, price: amount * 1e-8 }));
    for (const [sound, third] of [
      [100, 'cachedAudio'],
      [undefined, undefined],
    ] as const) {
      const told = third === undefined ? items.slice(0, 2) : items;
      const details = { model_price: 6e-5, items: told, ...(sound !== undefined && { audio_cache_tokens: sound }) };
      const bill = billOf(call({ prompt_tokens: 350, quota: 30 }), details, unit);
      if (bill?.kind !== 'tokens') throw new Error('expected a bill by items');
      expect(bill.lines.map(({ kind }) => kind)).to.deep.equal(['cachedInput', 'cachedImage', third].slice(0, told.length));
    }
  });

  it('flags a charge that more than rounding separates from it', () => {
    expect(billOf(call({ prompt_tokens: 1000, quota: 999 }), { model_ratio: 1, completion_ratio: 1 }, unit)?.isOff).to.equal(false);
    expect(billOf(call({ prompt_tokens: 1000, quota: 900 }), { model_ratio: 1, completion_ratio: 1 }, unit)?.isOff).to.equal(true);
  });

  it('makes no bill of a row that is no call', () => {
    expect(billOf(call({ type: 3 }), {}, unit)).to.equal(undefined);
  });
});

describe('The time range of the log', () => {
  const now = new Date(2026, 2, 5, 12, 0, 0).getTime();
  it('begins today unless the URL says otherwise, and stays open so that new rows are found', () => {
    expect(timeRangeOf({ range: '', from: '', to: '' }, now)).to.deep.equal({ start: new Date(2026, 2, 5).getTime() / 1000, end: 0 });
    expect(timeRangeOf({ range: '1h', from: '', to: '' }, now)).to.deep.equal({ start: now / 1000 - 3600, end: 0 });
    expect(timeRangeOf({ range: 'nonsense', from: '', to: '' }, now).start).to.equal(new Date(2026, 2, 5).getTime() / 1000);
  });
  it('takes two moments as they are', () => {
    expect(timeRangeOf({ range: '', from: '100', to: 'x' }, now)).to.deep.equal({ start: 100, end: 0 });
  });
});
