import { randomBytes } from 'node:crypto';
import { channelStatus } from '@tollgate/contracts';
import { Channel, configureSealing, connectDatabase, disconnectDatabase, seal } from '@tollgate/db';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import type { Settings } from '../src/context/settings.ts';
import { chat } from '../src/modes/text.ts';
import { longestAnswer } from '../src/quota/longest-answer.ts';
import { type ChannelReader, channelReader } from '../src/routing/channel-reader.ts';
import type { ChannelTable, RoutedChannel, Tiers } from '../src/routing/channel-table.ts';

describe('The table of channels', () => {
  const models = Array.from({ length: 12 }, (_, at) => `model-${at}`);
  const groups = ['default', 'vip'];
  let reader: ChannelReader;
  let random = 1;
  const errors: unknown[] = [];

  before(async () => {
    configureSealing(randomBytes(32));
    await connectDatabase((await engines()).mongodbUri());
  });
  after(() => disconnectDatabase());
  beforeEach(async () => {
    await Channel.deleteMany({});
    errors.length = 0;
    reader = await channelReader({ logger: { error: (facts: unknown) => void errors.push(facts) } });
  });

  const upTo = (count: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % count;
  };
  const some = <Item>(items: readonly Item[]): Item[] => items.filter(() => upTo(3) === 0).concat(items[upTo(items.length)] as Item);
  const fields = () => ({
    models: some(models),
    groups: some(groups),
    priority: upTo(3),
    weight: upTo(20),
    status: [channelStatus.enabled, channelStatus.enabled, channelStatus.disabled, channelStatus.autoDisabled][upTo(4)],
  });
  const channel = (id: number, more: Record<string, unknown> = {}) => ({
    id,
    type: 1,
    name: `channel ${id}`,
    keySealed: seal(`key ${id}`, `channel:${id}:key`),
    baseUrl: 'http://127.0.0.1:1',
    createdAt: new Date(),
    models,
    groups: ['default'],
    ...more,
  });
  const channels = (count: number, more: (id: number) => Record<string, unknown> = () => ({})) =>
    Channel.insertMany(Array.from({ length: count }, (_, at) => channel(at + 1, more(at + 1))));

  /** All that a table says. */
  const shown = (table: ChannelTable) =>
    groups.map((group) => ({
      models: [...table.models(group)].sort(),
      served: models.map((model) => table.tiers(group, model).map((tier) => tier.map(({ id, weight }) => `${id} ${weight}`))),
      resting: models.map((model) => table.resting(group, model).map(({ id }) => id)),
    }));
  const fresh = async () => (await channelReader({ logger: { error: () => undefined } })).read('all');

  it('changed channel by channel says what one says that was read anew', async () => {
    await channels(20, fields);
    let table = await reader.read('all');
    for (let change = 0; change < 60; change += 1) {
      const ids = new Set([1 + upTo(25), 1 + upTo(25)]);
      for (const id of ids) {
        if (upTo(4) === 0) await Channel.deleteOne({ id });
        else if ((await Channel.updateOne({ id }, { $set: fields() })).matchedCount === 0) await Channel.create(channel(id, fields()));
      }
      table = await reader.read(ids);
      expect(shown(table)).to.deep.equal(shown(await fresh()));
    }
    await Channel.deleteMany({ id: { $gt: 3 } });
    expect(shown(await reader.read('all'))).to.deep.equal(shown(await fresh()));
  });

  it('fills itself anew when much has changed, and says the same', async () => {
    await channels(150, fields);
    await reader.read('all');
    await Channel.updateMany({ id: { $lte: 120 } }, { $set: { priority: 7 } });
    expect(shown(await reader.read('all'))).to.deep.equal(shown(await fresh()));
  });

  it('touches nothing but what a changed channel serves', async () => {
    await channels(300, (id) => (id === 7 ? { models: ['model-3'] } : {}));
    const table = await reader.read('all');
    const before = new Map(models.map((model) => [model, table.tiers('default', model)]));
    const channelsBefore = Array.from({ length: 300 }, (_, at) => table.channel(at + 1));
    await Channel.updateOne({ id: 7 }, { $set: { weight: 5 } });

    const after = await reader.read(new Set([7]));
    expect(after).to.equal(table);
    expect(models.filter((model) => after.tiers('default', model) !== before.get(model))).to.deep.equal(['model-3']);
    expect(channelsBefore.flatMap((one, at) => (one === after.channel(at + 1) ? [] : [at + 1]))).to.deep.equal([7]);

    const again = await reader.read('all');
    expect(
      channelsBefore.flatMap((one, at) => (one === again.channel(at + 1) ? [] : [at + 1])),
      'all read, none changed',
    ).to.deep.equal([7]);
    expect(again.tiers('default', 'model-5')).to.equal(before.get('model-5'));
  });

  it('leaves out what cannot be used, says so once, and takes it in when it can', async () => {
    await channels(3);
    await Channel.updateOne({ id: 2 }, { $set: { setting: '{"no json' } });
    await reader.read('all');
    const table = await reader.read('all');
    expect(errors).to.have.length(1);
    expect(
      table
        .tiers('default', 'model-1')
        .flat()
        .map(({ id }) => id),
    ).to.deep.equal([1, 3]);
    await Channel.updateOne({ id: 2 }, { $set: { setting: '' } });
    expect(
      (await reader.read(new Set([2])))
        .tiers('default', 'model-1')
        .flat()
        .map(({ id }) => id),
    ).to.deep.equal([1, 2, 3]);
  });

  it('is walked for the longest answer once a change, not once a call', async () => {
    await channels(40, (id) => ({ modelMapping: id % 2 ? '{"model-1":"model-9"}' : '' }));
    const table = await reader.read('all');
    let looks = 0;
    const watched = (routed: RoutedChannel): RoutedChannel =>
      Object.defineProperty({ ...routed }, 'provider', {
        get() {
          looks += 1;
          return routed.provider;
        },
      });
    const tiers: Tiers = table.tiers('default', 'model-1').map((tier) => tier.map(watched));
    const settings = { options: { UnknownMaxOutputTokens: 5 }, maxOutput: (model: string) => (model === 'model-9' ? 90 : 10) } as Settings;
    const ask = (asked?: number) =>
      longestAnswer(settings, { dialectOf: (kind) => chat.dialectOf(kind.provider) as never, request: { model: 'model-1' }, tiers, asked });
    expect(ask()).to.equal(90);
    expect(looks).to.equal(40);
    expect(ask(30)).to.equal(30);
    expect(ask()).to.equal(90);
    expect(looks).to.equal(40);
  });
});
