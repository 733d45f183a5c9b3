import { type OptionValues, optionValues } from '@tollgate/contracts';
import { type PriceSourceKind, priceSourceKinds, readPriceFile } from '@tollgate/contracts/catalog';
import { pricesOf } from '@tollgate/pricing';
import { expect } from 'chai';
import { candidatesIn, lostPrices, withEntries } from '../src/features/catalog/candidates.ts';
import { dollarsOf, tablesOf } from '../src/features/options/catalog-prices.ts';

const served = [
  'gpt-4.1',
  'gpt-5.4',
  'claude-sonnet-4-6',
  'gemini-2.5-pro',
  'deepseek-v4-pro',
  'text-embedding-3-small',
  'gpt-3.5-turbo',
  'whisper-1',
];
const options = optionValues(new Map());
const reading = { read: '2026-11-26', source: 'https://example.com/prices', provider: 'elsewhere' };

/** Numbers that repeat with their seed (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** What a hostile or broken source may say a price is. */
function oddNumber(next: () => number): unknown {
  const all = [
    0,
    -1,
    -0,
    1e-9,
    1e-6,
    0.000_002,
    2,
    2.1,
    25,
    1e6,
    1e300,
    Number.NaN,
    null,
    undefined,
    '',
    '0',
    '2e-6',
    'free',
    '-1',
    true,
    [],
    {},
  ];
  return all[Math.floor(next() * all.length)];
}

function hostileFile(kind: PriceSourceKind, next: () => number): unknown {
  const odd = () => oddNumber(next);
  const when = [{ above: 1 }, { from: '2026-01-01T00:00:00Z' }, { field: 'service_tier=flex' }, { hours: [['00:00', '23:59']] }];
  const variant = () => ({
    when: when[Math.floor(next() * when.length)],
    ...(next() < 0.5 ? { times: odd() } : { input: odd(), output: odd() }),
  });
  const price = () => ({
    input: odd(),
    output: odd(),
    ...(next() < 0.3 && { cacheRead: odd() }),
    ...(next() < 0.3 && { variants: [variant()] }),
    ...(next() < 0.1 && { call: odd() }),
  });
  const clean = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
  const rows = served.map((name) => ({ name, price: price() }));
  if (kind === 'catalog')
    return clean({
      version: 1,
      families: {},
      models: rows.map((row) => ({ ...row, provider: next() < 0.5 ? 'openai' : 'x', source: reading.source, read: reading.read })),
    });
  if (kind === 'models.dev')
    return clean({
      openai: { models: Object.fromEntries(served.map((name) => [name, { cost: { input: odd(), output: odd(), cache_read: odd() } }])) },
    });
  if (kind === 'openrouter')
    return clean({
      data: served.map((name) => ({
        id: `openai/${name}`,
        pricing: { prompt: odd(), completion: odd(), overrides: [{ min_prompt_tokens: odd(), prompt: odd() }] },
      })),
    });
  if (kind === 'litellm')
    return clean(
      Object.fromEntries(
        served.map((name) => [
          name,
          {
            litellm_provider: 'openai',
            input_cost_per_token: odd(),
            output_cost_per_token: odd(),
            input_cost_per_token_above_200k_tokens: odd(),
          },
        ]),
      ),
    );
  return clean({
    data: served.map((name) => ({
      model_name: name,
      quota_type: next() < 0.7 ? 0 : 1,
      model_ratio: odd(),
      model_price: odd(),
      completion_ratio: odd(),
      cache_ratio: odd(),
    })),
  });
}

function after(file: unknown, kind: PriceSourceKind, base: OptionValues = options): OptionValues {
  let found: ReturnType<typeof candidatesIn> = [];
  try {
    const source = { name: 'elsewhere', isCatalog: kind === 'catalog' };
    found = candidatesIn(readPriceFile(kind, file, reading), { options: base, offered: served, source, decided: new Set() });
  } catch (error) {
    if (!(error instanceof Error)) throw error; // a file that is refused changes nothing
  }
  return withEntries(
    base,
    found.filter(({ verdict }) => verdict === 'quiet').map(({ entry }) => entry),
  );
}

function priceIn(values: OptionValues, model: string, atMs = Date.now()): Record<string, number> {
  const price = pricesOf(model, { group: '', atMs }, tablesOf(values));
  return price === undefined ? {} : Object.fromEntries(dollarsOf(price));
}

describe('Prices of sources', () => {
  for (const kind of priceSourceKinds) {
    it(`of a hostile ${kind} file never make a served model free, unpriced or much dearer without approval`, () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const next = numbers(seed);
        const then = after(hostileFile(kind, next), kind);
        expect(lostPrices(options, then, served), `seed ${seed}`).to.deep.equal([]);
        for (const model of served) {
          for (const days of [0, 1, 400]) {
            const atMs = Date.now() + days * 86_400_000; // prices of some models depend on the weekday
            const [was, is] = [priceIn(options, model, atMs), priceIn(then, model, atMs)];
            for (const [name, dollars] of Object.entries(was)) {
              const now = is[name] as number;
              expect(Math.abs(now - dollars) <= dollars * 0.1 + 1e-9, `seed ${seed}: ${model} ${name} ${dollars} → ${now}`).to.equal(true);
            }
          }
        }
      }
    });
  }

  const one = (input: number, output: number, more: Record<string, unknown> = {}) => ({
    openai: { models: { 'gpt-4.1': { cost: { input, output, ...more } } } },
  });
  const judged = (file: unknown, base = options) =>
    candidatesIn(readPriceFile('models.dev', file, reading), {
      options: base,
      offered: served,
      source: { name: 's', isCatalog: false },
      decided: new Set(),
    })[0];

  it('are taken at once within the share, wait beyond it, and go into quarantine where the unit is wrong', () => {
    expect(judged(one(2, 8))?.verdict).to.equal('same');
    expect(judged(one(2.1, 8.2))?.verdict).to.equal('quiet');
    expect(judged(one(3, 8))).to.deep.include({ verdict: 'waiting', reasons: ['rise'] });
    expect(judged(one(1, 4))).to.deep.include({ verdict: 'waiting', reasons: ['fall'] });
    expect(judged(one(0.000_002, 0.000_008))).to.deep.include({ verdict: 'quarantined', reasons: ['unit'] });
    expect(judged(one(2_000, 8_000))).to.deep.include({ verdict: 'quarantined', reasons: ['unit'] });
    expect(judged(one(2, 0))?.reasons).to.deep.equal(['free']);
  });

  it('keep the share of classes that a source does not state', () => {
    const { after: prices } = judged(one(2.1, 8)) ?? { after: {} };
    expect(prices).to.deep.include({ input: 2.1, output: 8, 'cache read': 0.525 });
  });

  it('leave the operator’s own prices alone', () => {
    const own = optionValues(new Map([['ModelRatio', '{"gpt-4.1":7}']]));
    expect(judged(one(2.1, 8), own)).to.equal(undefined);
  });

  it('in another currency are refused', () => {
    const file = { currency: 'CNY', data: [{ model_name: 'gpt-4.1', quota_type: 0, model_ratio: 1 }] };
    expect(() => readPriceFile('pricing', file, reading)).to.throw('CNY');
  });

  it('are read in the units of each format', () => {
    const files: Record<Exclude<PriceSourceKind, 'catalog'>, unknown> = {
      'models.dev': one(2, 8, { cache_read: 0.5 }),
      openrouter: {
        data: [{ id: 'openai/gpt-4.1', pricing: { prompt: '0.000002', completion: '0.000008', input_cache_read: '0.0000005' } }],
      },
      litellm: {
        sample_spec: { input_cost_per_token: 1 },
        'gpt-4.1': {
          litellm_provider: 'openai',
          mode: 'chat',
          input_cost_per_token: 2e-6,
          output_cost_per_token: 8e-6,
          cache_read_input_token_cost: 5e-7,
        },
      },
      pricing: {
        success: true,
        data: [{ model_name: 'gpt-4.1', quota_type: 0, model_ratio: 1, model_price: 0, completion_ratio: 4, cache_ratio: 0.25 }],
      },
    };
    for (const [kind, file] of Object.entries(files)) {
      const found = readPriceFile(kind as PriceSourceKind, file, reading).entries.find(({ name }) => name === 'gpt-4.1');
      expect(found?.price, kind).to.deep.include({ input: 2, output: 8, cacheRead: 0.5 });
    }
    const config = { data: { model_ratio: { 'gpt-4.1': 1 }, completion_ratio: { 'gpt-4.1': 4 }, model_price: { 'dall-e-3': 0.04 } } };
    expect(readPriceFile('pricing', config, reading).entries.map(({ price }) => price)).to.deep.equal([
      { input: 2, output: 8 },
      { call: 0.04 },
    ]);
  });
});
