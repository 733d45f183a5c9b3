import { expect } from 'chai';
import { type ModelEntry, modelCatalog, modelEntry, modelFamily } from '../src/catalog/schema.ts';
import { builtInCatalog, entriesFromModelsDev, factsOf, nearestEffort, openCatalog, overlaid } from '../src/catalog.ts';

describe('the model catalog', () => {
  it('is whole: each entry and each family has its sources and the day they were read', () => {
    expect(modelCatalog.safeParse(builtInCatalog).error?.issues ?? []).to.deep.equal([]);
  });

  it('names an official page as read only where a copy of it was read', () => {
    const makers = /^https:\/\/[^/]*(?:openai|anthropic|claude|google|deepseek|moonshot|kimi|x|mistral|alibabacloud)\.(?:com|ai|dev)\//;
    const sources = [...Object.values(builtInCatalog.families).flatMap((family) => family.sources), ...builtInCatalog.models];
    const claimed = sources.filter(({ source, says = '' }) => makers.test(source) && !/discuss\./.test(source) && !/\bcopy\b/.test(says));
    expect(claimed.map(({ source }) => source)).to.deep.equal([]);
  });

  it('has each name and each pattern once', () => {
    const names = builtInCatalog.models.map(({ provider, name }) => `${provider} ${name}`);
    const patterns = Object.values(builtInCatalog.families).flatMap(({ models }) => models);
    for (const all of [names, patterns]) expect(all.filter((one, at) => all.indexOf(one) !== at)).to.deep.equal([]);
  });

  it('refuses an entry, a price or a family without a source', () => {
    const entry = { name: 'm', provider: 'p', price: { input: 1, output: 2 } };
    expect(modelEntry.safeParse(entry).success).to.equal(false);
    expect(modelEntry.safeParse({ ...entry, source: 'somewhere', read: '2026-11-26' }).success).to.equal(false);
    expect(modelEntry.safeParse({ ...entry, source: 'https://example.com', read: '2026-11-26' }).success).to.equal(true);
    expect(modelFamily.safeParse({ models: ['m*'], rules: {}, sources: [] }).success).to.equal(false);
    const both = { ...entry.price, variants: [{ when: { above: 10, field: 'speed=fast' }, times: 2 }] };
    const said = modelEntry.safeParse({ ...entry, price: both, source: 'https://example.com', read: '2026-11-26' });
    expect(said.error?.issues[0]?.message).to.contain('multiplies');
  });

  it('knows a model by its date, by the spelling of clouds and by what operators append', () => {
    expect(factsOf('claude-opus-4-8-20260528')?.price?.input).to.equal(5);
    expect(factsOf('gpt-5.4-2026-03-05')?.price?.input).to.equal(2.5);
    expect(factsOf('us.anthropic.claude-opus-4-8-20260528-v1:0')?.rules.reasoning?.form).to.equal('adaptive');
    expect(factsOf('models/gemini-2.5-pro')?.limits.output).to.equal(65_536);
    expect(factsOf('o3-mini-high')).to.include({ ending: '-high' });
    expect(factsOf('claude-opus-4-8-thinking')?.price?.input).to.equal(5);
    expect(factsOf('no-such-model')).to.equal(undefined);
  });

  it('takes the maker for the seller of a price, else the dearest one', () => {
    const at = { source: 'https://example.com', read: '2026-11-26' };
    const sold = (provider: string, input: number): ModelEntry => ({ name: 'm-1', provider, price: { input, output: input }, ...at });
    const family = { models: ['m-*'], maker: 'maker', rules: {}, sources: [at] };
    const { facts } = openCatalog({ families: { m: family }, models: [sold('cheap', 1), sold('maker', 2), sold('dear', 3)] });
    expect(facts('m-1')?.priceSource?.provider).to.equal('maker');
    expect(openCatalog({ families: {}, models: [sold('cheap', 1), sold('dear', 3)] }).facts('m-1')?.price?.input).to.equal(3);
  });

  it('needs one entry for a new model of a known family, and none where only its price is open', () => {
    const at = { source: 'https://example.com/nova', read: '2026-11-26' };
    const nova: ModelEntry = { name: 'nova-9', provider: 'example', family: 'claude-adaptive', price: { input: 7, output: 70 }, ...at };
    const { facts } = openCatalog(overlaid(builtInCatalog, { families: {}, models: [nova] }));
    expect(facts('nova-9')?.rules).to.deep.equal(factsOf('claude-opus-4-8')?.rules);
    expect(facts('nova-9')?.price?.output).to.equal(70);
    expect(facts('claude-opus-9')?.rules.reasoning?.form).to.equal('adaptive');
  });

  it('lays one catalog over another facet by facet, and remembers where a price was read', () => {
    const at = { source: 'https://example.com/limits', read: '2027-01-01' };
    const over = overlaid(builtInCatalog, {
      families: {},
      models: [{ name: 'gpt-5.4', provider: 'openai', limits: { output: 9 }, ...at }],
    });
    const facts = openCatalog(over).facts('gpt-5.4');
    expect([facts?.limits.output, facts?.limits.context, facts?.price?.input]).to.deep.equal([9, undefined, 2.5]);
    expect(facts?.priceSource?.source).to.match(/models\.dev/);
  });

  it('lowers an effort to the next level that a model has, and raises it only where there is none below', () => {
    expect(nearestEffort('medium', { efforts: ['low', 'high'] })).to.equal('low');
    expect(nearestEffort('max', { efforts: ['low', 'high'] })).to.equal('high');
    expect(nearestEffort('none', { efforts: ['low', 'high'] })).to.equal('low');
    expect(nearestEffort('ultra', { efforts: ['low', 'high'] })).to.equal('ultra');
    expect(nearestEffort('xhigh', {})).to.equal('xhigh');
  });

  it('reads files that are built like the one of models.dev, and makes nothing free', () => {
    const entries = entriesFromModelsDev(
      {
        openai: {
          models: {
            a: {
              cost: { input: 1, output: 2, cache_read: 0, tiers: [{ tier: { size: 1000 }, input: 2 }] },
              reasoning_options: [{ type: 'effort', values: ['high', 'low', 'ultra'] }],
              experimental: { modes: { fast: { cost: { input: 3, output: 6 }, provider: { body: { speed: 'fast' } } } } },
            },
            free: { cost: { input: 0, output: 0 } },
          },
        },
        broken: 7,
      },
      { read: '2026-11-26' },
    );
    expect(entries.map(({ name, price }) => [name, price])).to.deep.equal([
      [
        'a',
        {
          input: 1,
          output: 2,
          variants: [
            { when: { above: 1000 }, input: 2 },
            { when: { field: 'speed=fast' }, input: 3, output: 6 },
          ],
        },
      ],
      ['free', undefined],
    ]);
    expect(entries[0]?.rules).to.deep.equal({ reasoning: { efforts: ['low', 'high'] } });
  });

  it('looks each of its models up once', () => {
    const at = { source: 'https://example.com', read: '2026-11-26' };
    const [pattern] = builtInCatalog.models;
    const models = Array.from({ length: 2000 }, (_, at) => ({ ...(pattern as ModelEntry), name: `model-${at}` }));
    expect(Buffer.byteLength(JSON.stringify({ version: 1, families: builtInCatalog.families, models }))).to.be.below(2_000_000);
    const { facts } = openCatalog({ families: {}, models: [{ name: 'model-*', provider: 'p', price: { input: 1, output: 1 }, ...at }] });
    expect(facts('model-1')).to.equal(facts('model-1'));
  });
});
