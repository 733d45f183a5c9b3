import { noUsage, type OptionKey, optionValues } from '@tollgate/contracts';
import { connectDatabase, disconnectDatabase, OptionModel } from '@tollgate/db';
import { openOptions } from '@tollgate/options';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { type Settings, settingsFrom } from '../src/context/settings.ts';
import { holdFor } from '../src/quota/hold.ts';

describe('Settings', () => {
  before(async () => connectDatabase((await engines()).mongodbUri()));
  after(() => disconnectDatabase());

  const set = (key: string, value: string) =>
    OptionModel.updateOne({ _id: key }, { $set: { value, updatedAt: new Date() } }, { upsert: true });

  it('make anew what follows from the option that was changed, and nothing else', async () => {
    await set('SensitiveWords', 'forbidden');
    await set('ModelPrice', '{}');
    await set('ModelRatio', '{"dear":2,"free":0}');
    const options = await openOptions();
    const read = async (before?: Settings, ...keys: string[]) =>
      settingsFrom(await options.read(keys.length === 0 ? 'all' : new Set(keys)), before);
    const first = await read();
    expect(first.freeModels).to.deep.equal(['free']);
    expect(first.hasSensitiveWord?.('this is FORBIDDEN')).to.equal(true);

    await set('RetryTimes', '4');
    const second = await read(first, 'RetryTimes');
    expect(second.options.RetryTimes).to.equal(4);
    expect(second).to.include({ price: first.price, hasSensitiveWord: first.hasSensitiveWord, maxOutput: first.maxOutput });
    expect(second.options.ModelRatio).to.equal(first.options.ModelRatio);

    await set('ModelRatio', '{"dear":3}');
    const third = await read(second, 'ModelRatio');
    expect(third.price('dear', 'default', 0)?.ordinary.modelRatio).to.equal(3);
    expect(first.price('dear', 'default', 0)?.ordinary.modelRatio).to.equal(2);
    expect(third.freeModels).to.deep.equal([]);
    expect(third).to.include({ hasSensitiveWord: first.hasSensitiveWord, maxOutput: first.maxOutput });

    await OptionModel.deleteOne({ _id: 'RetryTimes' });
    expect((await read(third, 'RetryTimes')).options.RetryTimes, 'its default').to.equal(0);
    const fourth = await read(third);
    expect(await read(fourth), 'nothing changed').to.equal(fourth);
    await set('SensitiveWords', '');
    expect((await read(fourth)).hasSensitiveWord).to.equal(undefined);
  });

  const withOptions = (values: Partial<Record<OptionKey, string>>) =>
    settingsFrom(optionValues(new Map(Object.entries({ SensitiveWords: 'forbidden', ...values }) as [OptionKey, string][])));

  it('price a call by when it began, also one that is read after a later one', async () => {
    const source = { source: 'https://example.com', read: '2026-11-26' };
    const variants = [{ when: { until: '2026-12-01T00:00:00Z' }, times: 0.5 }];
    const models = [{ name: 'timed', provider: 'p', price: { input: 4, output: 8, variants }, ...source }];
    const { price } = await withOptions({ ModelCatalog: JSON.stringify({ version: 1, families: {}, models }) });
    const dollarsAt = (at: string) => 2 * (price('timed', 'default', Date.parse(at))?.ordinary.modelRatio ?? 0);
    const instants = ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z', '2026-11-30T23:59:59.999Z', '2027-06-01T00:00:00Z'];
    expect(instants.map(dollarsAt)).to.deep.equal([2, 4, 2, 4]);
    await withOptions({});
  });

  it('look for words in prompts and in answers, as their switches say', async () => {
    const looks = async (values: Partial<Record<OptionKey, string>>) => {
      const { hasSensitiveWord, stopsAnswer } = await withOptions(values);
      return [hasSensitiveWord?.('forbidden') ?? false, stopsAnswer?.('forbidden') ?? false];
    };
    expect(await looks({})).to.deep.equal([true, true]);
    expect(await looks({ CheckSensitiveOnPromptEnabled: 'false' })).to.deep.equal([false, true]);
    expect(await looks({ StopOnSensitiveEnabled: 'false' })).to.deep.equal([true, false]);
    expect(await looks({ CheckSensitiveEnabled: 'false' })).to.deep.equal([false, false]);
  });

  it('hold as much more of a stream as PreConsumedQuota says', async () => {
    const held = async (tokens: string) => {
      const { options, price } = await withOptions({ PreConsumedQuota: tokens, ModelRatio: '{"m":1}' });
      const { ordinary } = price('m', 'default', 0) ?? {};
      return ordinary === undefined ? 0 : holdFor(noUsage, ordinary, options.PreConsumedQuota);
    };
    expect(await held('2000')).to.be.above(await held('500'));
  });
});
