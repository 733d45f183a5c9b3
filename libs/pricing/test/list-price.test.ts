import { type LongContextPrice, noUsage, optionValues, type Usage } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import type { ListPrice } from '@tollgate/contracts/catalog/schema';
import { expect } from 'chai';
import { evenFactors, type Price, pricesFrom, pricesOf, quotaOf, recorded, timesFactors } from '../src/index.ts';

const thursday = Date.parse('2026-11-26T12:00:00Z');

function tablesWith(options: Record<string, unknown> = {}, listed = (model: string) => factsOf(model)?.price) {
  return pricesFrom(optionValues(new Map(Object.entries(options).map(([key, value]) => [key, JSON.stringify(value)]))), (model) => ({
    price: listed(model),
  }));
}

function priceAt(model: string, { atMs = thursday, tables = tablesWith() } = {}): Price {
  const price = pricesOf(model, { group: 'default', atMs }, tables);
  if (price === undefined) throw new Error(`${model} has no price`);
  return price;
}

/** The bill in US dollars, as the relay makes it; `prompt` chooses the tier. */
function dollars(price: Price, usage: Partial<Usage>, field?: string): number {
  const whole = { ...noUsage, ...usage };
  const prompt = whole.textInput + whole.cachedInput + whole.cacheWrite5m + whole.cacheWrite1h + whole.audioInput + whole.imageInput;
  const ordinary = price.tiers?.find(({ above }) => prompt > above)?.price ?? price.ordinary;
  const mode = field === undefined ? undefined : price.modes?.get(field);
  return quotaOf(whole, mode === undefined ? ordinary : timesFactors(ordinary, mode)) / 500_000;
}

const million = 1_000_000;

describe('bills by list price, worked out by hand', () => {
  it('charges each class of a plain model: input, cached input, output', () => {
    const price = priceAt('gpt-5.1');
    // 1 M x 1.25 + 2 M x 0.125 + 3 M x 10
    expect(dollars(price, { textInput: million, cachedInput: 2 * million, textOutput: 3 * million })).to.equal(31.5);
    expect(price.origin).to.equal('catalog');
  });

  it('charges cache writes of five minutes and of an hour', () => {
    // Opus 4.8: 6.25 for five minutes, 10 for an hour, reads 0.50
    const usage = { cacheWrite5m: million, cacheWrite1h: million, cachedInput: million };
    expect(dollars(priceAt('claude-opus-4-8'), usage)).to.equal(6.25 + 10 + 0.5);
    expect(dollars(priceAt('claude-haiku-5-5'), { cacheWrite1h: 50_000 })).to.equal(0.01);
    // OpenAI charges 1.25 x for its only kind
    expect(dollars(priceAt('gpt-5.6'), { cacheWrite5m: 200_000 })).to.equal(1);
  });

  it('charges a long prompt by its tier, all of the call', () => {
    const price = priceAt('gpt-5.5');
    expect(dollars(price, { textInput: 272_000, textOutput: 1000 })).to.equal(1.39);
    // Above 272 000: 10 in, 1 cached, 45 out
    expect(dollars(price, { textInput: 272_000, cachedInput: 100_000, textOutput: 1000 })).to.equal(2.72 + 0.1 + 0.045);
    // Haiku 5.5 above 100 000: five times as much, writes too
    expect(dollars(priceAt('claude-haiku-5-5'), { textInput: 100_000, cacheWrite5m: 100_000, textOutput: 1000 })).to.equal(
      0.05 + 0.0625 + 0.0025,
    );
  });

  it('takes the highest of several tiers that a prompt is above', () => {
    const list: ListPrice = {
      input: 1,
      output: 1,
      variants: [
        { when: { above: 100 }, times: 2 },
        { when: { above: 1000 }, times: 5 },
      ],
    };
    const price = priceAt('m', { tables: tablesWith({}, () => list) });
    expect([100, 101, 1001].map((textInput) => dollars(price, { textInput: textInput * 1000 }) / textInput)).to.deep.equal([
      0.005, 0.005, 0.005,
    ]);
    expect(price.tiers?.map(({ above, price: { modelRatio } }) => [above, modelRatio])).to.deep.equal([
      [1000, 2.5],
      [100, 1],
    ]);
  });

  it('charges service tiers and fast modes by the field that asks for them, class by class', () => {
    const usage = { textInput: million / 10, cacheWrite5m: million / 10, textOutput: million / 10 };
    // 5.6 by priority: 8 in, 40 out, writes 10
    expect(dollars(priceAt('gpt-5.6'), usage, 'service_tier=priority')).to.equal(0.8 + 1 + 4);
    expect(dollars(priceAt('gpt-6-luna'), usage, 'service_tier=flex')).to.equal(0.03625);
    // Opus 4.6 fast: 30 in, 150 out; Opus 5.5 fast: 8 in, 40 out
    expect(dollars(priceAt('claude-opus-4-6'), { textInput: 10_000, textOutput: 1000 }, 'speed=fast')).to.equal(0.45);
    expect(dollars(priceAt('claude-opus-5-5'), { textInput: 10_000, textOutput: 1000 }, 'speed=fast')).to.equal(0.08 + 0.04);
  });

  it('charges classes that a variant names and the list does not', () => {
    const variants: ListPrice['variants'] = [
      { when: { above: 1000 }, input: 2, output: 4, audioInput: 30, imageInput: 10, cacheRead: 1, cacheWrite1h: 8 },
      { when: { field: 'service_tier=flex' }, reasoning: 1, imageOutput: 5, audioCacheRead: 0.1 },
    ];
    const price = priceAt('m', { tables: tablesWith({}, () => ({ input: 1, output: 2, variants })) });
    const beyond = { textInput: million, audioInput: million, imageInput: million, cachedInput: million, cacheWrite1h: million };
    expect(dollars(price, { ...beyond, cachedAudio: million, textOutput: million })).to.equal(2 + 30 + 10 + 1 + 8 + 1 + 4);
    expect(dollars(price, { textInput: 1000, audioInput: 0, reasoningOutput: million }, 'service_tier=flex')).to.be.closeTo(1.001, 1e-6);
    expect(dollars(price, { textInput: 1000, imageOutput: million }, 'service_tier=flex')).to.be.closeTo(5.001, 1e-6);
    expect(dollars(price, { cachedAudio: 1000, textOutput: 0 }, 'service_tier=flex')).to.equal(0.0001);
  });

  it('multiplies a fast mode and a tier', () => {
    // 5.5 above 272 000 is twice the input and 1.5 times the output; by priority 2.5 times all
    expect(dollars(priceAt('gpt-5.5'), { textInput: 400_000, textOutput: 1000 }, 'service_tier=priority')).to.equal(10 + 0.1125);
  });

  it('charges sound and pictures by their own prices', () => {
    // Gemini 2.5 Flash: audio 1.00, text 0.30, output 2.50
    expect(dollars(priceAt('gemini-2.5-flash'), { textInput: million, audioInput: million, textOutput: million })).to.equal(3.8);
    // Embedding 2: audio 6.50, images 0.45, text 0.20
    const embedded = dollars(priceAt('gemini-embedding-2'), { textInput: million, audioInput: million, imageInput: million });
    expect(embedded).to.equal(0.2 + 6.5 + 0.45);
  });

  it('charges hidden thought by its own price, and says so item by item', () => {
    const list: ListPrice = { input: 0.4, output: 1.2, reasoning: 4 };
    const { ordinary } = priceAt('thinker', { tables: tablesWith({}, () => list) });
    const usage = { ...noUsage, textInput: 500_000, textOutput: 100_000, reasoningOutput: 100_000 };
    expect(quotaOf(usage, ordinary)).to.equal(Math.round((0.2 + 0.12 + 0.4) * 500_000));
    const { items, price } = recorded(usage, ordinary);
    expect(items?.map(({ kind, price: each }) => [kind, Math.round(each * 1e9) / 1e3])).to.deep.equal([
      ['textInput', 0.4],
      ['textOutput', 1.2],
      ['reasoningOutput', 4],
    ]);
    expect(quotaOf(usage, price)).to.equal(360_000);
  });

  it('charges by the call where the list does', () => {
    const { ordinary } = priceAt('drawer', { tables: tablesWith({}, () => ({ call: 0.04 })) });
    expect(quotaOf({ ...noUsage, textInput: 999 }, ordinary)).to.equal(20_000);
  });
});

describe('prices that depend on the time', () => {
  const deepseek = (clock: string) => priceAt('deepseek-v4-pro', { atMs: Date.parse(`2026-11-26T${clock}Z`) });

  it('charges the hours that a list names, to the minute', () => {
    // Peak 01:00 to 04:00 and 06:00 to 10:00 UTC: 1.32 in; else half of it
    const clocks = ['00:59:59', '01:00:00', '03:59:59', '04:00:00', '06:00:00', '10:00:00', '23:30:00'];
    expect(clocks.map((clock) => dollars(deepseek(clock), { textInput: million }))).to.deep.equal([
      0.66, 1.32, 1.32, 0.66, 1.32, 0.66, 0.66,
    ]);
    expect(dollars(deepseek('05:00:00'), { textOutput: million, cachedInput: million })).to.equal(1.98 + 0.022);
  });

  it('says until when a price holds', () => {
    expect(new Date(deepseek('00:30:00').untilMs ?? 0).toISOString()).to.equal('2026-11-26T01:00:00.000Z');
    expect(new Date(deepseek('12:00:00').untilMs ?? 0).toISOString()).to.equal('2026-11-27T01:00:00.000Z');
    expect(priceAt('gpt-5.1').untilMs).to.equal(undefined);
  });

  it('knows weekdays', () => {
    const saturday = priceAt('deepseek-v4-flash', { atMs: Date.parse('2026-11-28T02:00:00Z') });
    const friday = priceAt('deepseek-v4-flash', { atMs: Date.parse('2026-11-27T02:00:00Z') });
    expect([friday, saturday].map((price) => dollars(price, { textInput: million }))).to.deep.equal([0.3, 0.15]);
  });

  it('ends an introductory price at its instant', () => {
    const gemini = (at: string) => priceAt('gemini-3.8-flash', { atMs: Date.parse(at) });
    const usage = { textInput: million, cachedInput: million, audioInput: million, textOutput: million };
    expect(dollars(gemini('2026-12-31T23:59:59Z'), usage)).to.equal(0.75 + 0.075 + 0.75 + 3.75);
    expect(dollars(gemini('2027-01-01T00:00:00Z'), usage)).to.equal(1.5 + 0.15 + 1.5 + 7.5);
    expect(gemini('2027-06-01T00:00:00Z').untilMs).to.equal(undefined);
  });

  it('is the same in every time zone, also on the days when clocks change', () => {
    const zone = process.env.TZ;
    const inAll = (at: string, list: ListPrice) =>
      ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Shanghai', 'Pacific/Auckland'].map((name) => {
        process.env.TZ = name;
        return dollars(priceAt('m', { atMs: Date.parse(at), tables: tablesWith({}, () => list) }), { textInput: million });
      });
    try {
      const variant = { when: { hours: [['06:00', '07:00']], weekdays: [0] }, times: 0.5 } as const;
      const list = { input: 2, output: 2, variants: [variant] } as unknown as ListPrice;
      // Sundays on which clocks change in New York (06:00 and 07:00 UTC are both 01:00 in autumn), in Berlin, and the day after
      for (const day of ['2026-11-01', '2026-03-08', '2026-10-25', '2026-03-29']) {
        expect(inAll(`${day}T06:00:00Z`, list), day).to.deep.equal([1, 1, 1, 1, 1]);
        expect(inAll(`${day}T07:00:00Z`, list), day).to.deep.equal([2, 2, 2, 2, 2]);
      }
      expect(inAll('2026-11-02T06:00:00Z', list)).to.deep.equal([2, 2, 2, 2, 2]);
      // An end that is stated in the zone of the provider: midnight in Los Angeles, before and after its clocks change
      const ending = (until: string): ListPrice => ({ input: 2, output: 2, variants: [{ when: { until }, times: 0.5 }] });
      expect(inAll('2026-11-01T06:59:59Z', ending('2026-11-01T00:00:00-07:00'))).to.deep.equal([1, 1, 1, 1, 1]);
      expect(inAll('2026-11-01T07:00:00Z', ending('2026-11-01T00:00:00-07:00'))).to.deep.equal([2, 2, 2, 2, 2]);
      expect(inAll('2026-11-02T07:59:59Z', ending('2026-11-02T00:00:00-08:00'))).to.deep.equal([1, 1, 1, 1, 1]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('never says that a price holds beyond a change that lies more than a day ahead', () => {
    const variants = [
      { when: { weekdays: [6] }, times: 0.5 },
      { when: { until: '2027-01-01T00:00:00Z' }, times: 0.5 },
    ];
    const tables = tablesWith({}, () => ({ input: 2, output: 2, variants }) as unknown as ListPrice);
    const monday = priceAt('m', { atMs: Date.parse('2026-11-23T12:00:00Z'), tables });
    const friday = priceAt('m', { atMs: Date.parse('2026-11-27T12:00:00Z'), tables });
    expect(new Date(monday.untilMs ?? 0).toISOString()).to.equal('2026-11-24T00:00:00.000Z');
    expect(new Date(friday.untilMs ?? 0).toISOString()).to.equal('2026-11-28T00:00:00.000Z');
  });

  it('says since when a price holds, over midnight and weekdays too', () => {
    expect(new Date(deepseek('00:30:00').fromMs ?? 0).toISOString()).to.equal('2026-11-25T10:00:00.000Z');
    expect(new Date(deepseek('05:00:00').fromMs ?? 0).toISOString()).to.equal('2026-11-26T04:00:00.000Z');
    expect(priceAt('gpt-5.1').fromMs).to.equal(undefined);
  });
});

describe('options over the catalog', () => {
  it('take a model whole where they price it, and say whose price it is', () => {
    const own = priceAt('gpt-5.6', { tables: tablesWith({ ModelRatio: { 'gpt-5.6': 3 } }) });
    expect([own.origin, own.ordinary.modelRatio, own.tiers]).to.deep.equal(['operator', 3, undefined]);
    expect(priceAt('gpt-4o').origin).to.equal('default');
    expect(priceAt('gpt-5.6').origin).to.equal('catalog');
  });

  it('are dropped from the default tables where the catalog has another price', () => {
    const tables = tablesWith();
    const unnamed = { ...tables, modelRatio: {}, modelPrice: {} };
    const perMillion = ({ ordinary: { modelRatio, completionRatio, cacheRatio } }: Price, model: string) => [
      modelRatio * 2,
      factsOf(model)?.price?.output ? modelRatio * completionRatio * 2 : 0,
      factsOf(model)?.price?.cacheRead === undefined ? 0 : modelRatio * cacheRatio * 2,
    ];
    for (const model of Object.keys(tables.modelRatio)) {
      if (factsOf(model)?.price === undefined) continue;
      const [ours, listed] = [tables, unnamed].map((one) => perMillion(priceAt(model, { tables: one }), model)) as [number[], number[]];
      for (const [at, dollars] of ours.entries()) expect(dollars, `${model} ${at}`).to.be.closeTo(listed[at] as number, 1e-9);
    }
    // 1 M x 0.14 + 1 M x 0.0028 + 1 M x 0.28
    const usage = { textInput: million, cachedInput: million, textOutput: million };
    expect(dollars(priceAt('deepseek-chat'), usage)).to.be.closeTo(0.4228, 1e-6);
  });

  it('keep the prices of a table that an older version stored', () => {
    const ModelRatio = { 'deepseek-chat': 0.135, 'qwen-plus': 10, 'gpt-4o': 1.25 };
    const old = priceAt('deepseek-chat', { tables: tablesWith({ ModelRatio }) });
    // 1 M x 0.27 + 1 M x 0.0675 + 1 M x 1.08
    expect(dollars(old, { textInput: million, cachedInput: million, textOutput: million })).to.equal(1.4175);
    expect([old.origin, priceAt('qwen-plus', { tables: tablesWith({ ModelRatio }) }).ordinary.modelRatio]).to.deep.equal(['operator', 10]);
  });

  it('change single ratios, tiers and fields of a price of the catalog', () => {
    const long: Record<string, LongContextPrice> = { 'gpt-5.5': { above: 10, input: 3, output: 3 } };
    const tables = tablesWith({
      CacheRatio: { 'gpt-5.5': 0.5 },
      LongContextPrice: long,
      RequestFieldRatio: { 'service_tier=priority': 9 },
    });
    const price = priceAt('gpt-5.5', { tables });
    expect([price.ordinary.cacheRatio, price.ordinary.modelRatio]).to.deep.equal([0.5, 2.5]);
    expect(price.tiers?.map(({ above }) => above)).to.deep.equal([10]);
    expect(price.modes).to.equal(undefined);
  });

  it('leave what they came with to the catalog, and unpriced models refused', () => {
    expect(priceAt('claude-sonnet-4-5').tiers).to.equal(undefined);
    expect(pricesOf('no-such-model', { group: 'default', atMs: 0 }, tablesWith())).to.equal(undefined);
    const allowed = pricesOf('no-such-model', { group: 'default', atMs: 0 }, tablesWith({ SelfUseModeEnabled: true }));
    expect(allowed?.origin).to.equal('unpriced');
  });

  it('multiply evenly where a field costs the same for all classes', () => {
    const { ordinary } = priceAt('gpt-5.1');
    expect(quotaOf({ ...noUsage, textInput: 1000, textOutput: 1000 }, timesFactors(ordinary, evenFactors(2)))).to.equal(
      Math.round((1000 * 1.25 + 1000 * 10) * 0.5 * 2),
    );
  });
});
