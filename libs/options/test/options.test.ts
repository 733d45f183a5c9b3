import { parseOption } from '@tollgate/contracts';
import { configureSealing, connectDatabase, disconnectDatabase, OptionModel, seal } from '@tollgate/db';
import { engines, eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { openOptions, watchOptions } from '../src/index.ts';

describe('Options', () => {
  before(async () => {
    configureSealing(Buffer.alloc(32, 7));
    await connectDatabase((await engines()).mongodbUri());
  });
  beforeEach(() => OptionModel.deleteMany({}));
  after(() => disconnectDatabase());

  it('are the defaults where nothing is set, or what is set cannot be read', async () => {
    await set('GroupRatio', '{broken');
    await set('OfAnotherVersion', '1');
    const { values, stored } = await openOptions();
    expect(values).to.include({ RetryTimes: 0, SystemName: 'Tollgate' });
    expect(values.GroupRatio).to.deep.equal(parseOption('GroupRatio', JSON.stringify({ default: 1, vip: 1, svip: 1 })));
    expect([...stored.keys()]).to.deep.equal(['GroupRatio']);
  });

  it('are read again one by one, and what has not changed stays the object that it was', async () => {
    await set('ModelRatio', '{"a":1}');
    const options = await openOptions();
    const first = options.values;
    await set('RetryTimes', '3');
    await set('ModelRatio', '{"a":2}');
    const second = await options.read(new Set(['RetryTimes', 'NoSuchOption']));
    expect(second.RetryTimes).to.equal(3);
    expect(second.ModelRatio, 'nobody asked for it').to.equal(first.ModelRatio);
    expect((await options.read()).ModelRatio).to.deep.equal({ a: 2 });
    expect(await options.read(), 'nothing changed').to.equal(options.values);
    await OptionModel.deleteOne({ _id: 'RetryTimes' });
    expect((await options.read()).RetryTimes, 'its default').to.equal(0);
    expect(options.stored.has('RetryTimes')).to.equal(false);
  });

  it('end with what was stored last, however many reads run at once', async () => {
    const options = await openOptions();
    const reads: Promise<unknown>[] = [];
    for (let round = 1; round <= 10; round++) {
      reads.push(options.read());
      await set('RetryTimes', String(round));
      reads.push(options.read(new Set(['RetryTimes'])));
    }
    await Promise.all(reads);
    expect(options.values.RetryTimes).to.equal(10);
  });

  it('are unsealed where they are secret, and say which one cannot be', async () => {
    await set('SMTPToken', seal('canary', 'option:SMTPToken'));
    await set('EpayKey', '');
    const { values } = await openOptions();
    expect(values).to.include({ SMTPToken: 'canary', EpayKey: '' });
    await set('EpayKey', seal('of another place', 'option:SMTPToken'));
    const failure = await openOptions().catch((error: unknown) => error);
    expect(String(failure)).to.contain('option:EpayKey').and.not.to.contain('another place');
    expect((await openOptions({ keys: ['LogConsumeEnabled'] })).values.EpayKey, 'of others nothing is read').to.equal('');
  });

  it('follow notices, keep what they know while the database does not answer, and are read then', async () => {
    const options = await openOptions();
    const warnings: unknown[] = [];
    const seen: number[] = [];
    const logger = { warn: (...words: unknown[]) => void warnings.push(words) };
    let answers = true;
    const store = {
      get values() {
        return options.values;
      },
      get stored() {
        return options.stored;
      },
      read: (keys?: Parameters<typeof options.read>[0]) =>
        answers ? options.read(keys) : Promise.reject(new Error('the database is away')),
    };
    const watch = watchOptions(store, { logger, onRead: ({ RetryTimes }) => seen.push(RetryTimes) });
    try {
      await set('RetryTimes', '1');
      watch.noticed('SystemName,RetryTimes');
      await eventually(() => expect(seen).to.deep.equal([1]));
      answers = false;
      await set('RetryTimes', '2');
      watch.noticed('RetryTimes');
      await eventually(() => expect(warnings).to.have.length(1));
      expect(options.values.RetryTimes).to.equal(1);
      answers = true;
      await eventually(() => expect(seen).to.deep.equal([1, 2]));
    } finally {
      watch.stop();
    }
  });

  it('are read now and then, also when no notice comes', async () => {
    const options = await openOptions({ keys: ['LogConsumeEnabled'] });
    const watch = watchOptions(options, { logger: { warn: () => undefined }, everyMs: 20 });
    try {
      await set('LogConsumeEnabled', 'false');
      await set('RetryTimes', '7');
      await eventually(() => expect(options.values.LogConsumeEnabled).to.equal(false));
      expect(options.values.RetryTimes, 'nobody asked for it').to.equal(0);
    } finally {
      watch.stop();
    }
  });

  const set = (key: string, value: string) =>
    OptionModel.updateOne({ _id: key }, { $set: { value, updatedAt: new Date() } }, { upsert: true });
});
