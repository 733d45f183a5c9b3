import type { ChannelView, OptionView, TokenView, UserView } from '@tollgate/contracts';
import { Channel, Token } from '@tollgate/db';
import { expect } from 'chai';
import type { ChannelRow } from '../src/features/channels/views.ts';
import { changeRows } from '../src/row-change.ts';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

const channelBody = { name: 'c', type: 1, key: 'sk-a', models: 'm' };

describe('edits of rows that others edit too', () => {
  let tollgate: TestConsole;
  let user: Visitor;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
  });
  after(() => tollgate.close());

  const newToken = () => user.ok<TokenView>('POST', '/api/token/', { name: 'loaded', remain_quota: 500 });

  it('change a token in two tabs, each what the other left alone', async () => {
    const loaded = await newToken();
    await user.ok('PUT', '/api/token/', { id: loaded.id, version: loaded.version, add_quota: 300 });
    await user.ok('PUT', '/api/token/', { id: loaded.id, version: loaded.version, group: 'vip' });
    const renamed = await user.ok<TokenView>('PUT', '/api/token/', { id: loaded.id, version: loaded.version, name: 'renamed' });
    expect(renamed).to.include({ name: 'renamed', group: 'vip', remain_quota: 800 });
    expect(renamed.version).to.be.above(loaded.version);
  });

  it('are refused where the same field was changed meanwhile, and told what stands there', async () => {
    const loaded = await newToken();
    const first = await user.ok<TokenView>('PUT', '/api/token/', { id: loaded.id, version: loaded.version, name: 'first' });
    const late = { id: loaded.id, version: loaded.version, name: 'second', group: 'vip' };
    const refused = await user.send<TokenView>('PUT', '/api/token/', late);
    expect(refused).to.deep.include({ status: 200, success: false, code: 'conflict', data: first });
    expect(await user.ok('GET', `/api/token/${loaded.id}`)).to.deep.equal(first);
    expect(await user.ok('PUT', '/api/token/', { ...late, version: refused.data.version })).to.include({ name: 'second', group: 'vip' });
  });

  it('are no conflict when both say the same, nor for money, nor without a version', async () => {
    const loaded = await newToken();
    await user.ok('PUT', '/api/token/', { id: loaded.id, version: loaded.version, name: 'same' });
    await user.ok('PUT', '/api/token/', { id: loaded.id, version: loaded.version, name: 'same', add_quota: 1 });
    const { version: _, ...whole } = loaded;
    expect(await user.ok('PUT', '/api/token/', { ...whole, name: 'older client' })).to.include({ name: 'older client' });
  });

  it('at the same time all arrive, of one channel and of all with its tag', async () => {
    const [channel] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', { ...channelBody, tag: 'edits' });
    const id = channel?.id ?? 0;
    const edits = [{ name: 'n' }, { weight: 3 }, { priority: 4 }, { test_model: 't' }, { models: 'a,b' }, { auto_ban: 0 }];
    await Promise.all([
      ...edits.map((edit) => tollgate.root.ok('PUT', '/api/channel/', { id, version: channel?.version, ...edit })),
      tollgate.root.ok('PUT', '/api/channel/tag', { tag: 'edits', model_mapping: '{"a":"b"}' }),
      tollgate.root.ok('POST', '/api/channel/tag/disabled', { tag: 'edits' }),
    ]);
    expect(await tollgate.root.ok('GET', `/api/channel/${id}`)).to.include({
      ...Object.assign({}, ...edits),
      model_mapping: '{"a":"b"}',
      status: 2,
      version: edits.length + 2,
    });
    for (const late of [{ weight: 9 }, { model_mapping: '' }, { status: 1 }]) {
      const refused = await tollgate.root.send<ChannelView>('PUT', '/api/channel/', { id, version: channel?.version, ...late });
      expect(refused.code, JSON.stringify(late)).to.equal('conflict');
      expect(refused.data).to.include({ weight: 3, status: 2 });
    }
  });

  it('of many rows count what they changed themselves, also where somebody else wrote the same first', async () => {
    const [channel] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', channelBody);
    const asRead = await Channel.find({ id: channel?.id }).lean<ChannelRow[]>();
    const change = () => changeRows<ChannelRow>(Channel, asRead, () => ({ priority: 7 }));
    expect(await change()).to.have.length(1);
    expect(await change()).to.have.length(0);
  });

  it('of an account know what was changed by managing it; its money is nothing to conflict about', async () => {
    const loaded = await tollgate.root.ok<UserView>('GET', `/api/user/${user.id}`);
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, version: loaded.version, add_quota: 70 });
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, version: loaded.version, group: 'vip' });
    await user.ok('PUT', '/api/user/self', { version: loaded.version, display_name: 'Mine' });
    const refused = await tollgate.root.send<UserView>('PUT', '/api/user/', {
      id: user.id,
      version: loaded.version,
      display_name: 'Theirs',
    });
    expect(refused.code).to.equal('conflict');
    expect(refused.data).to.include({ display_name: 'Mine', group: 'vip', quota: 70 });
    expect(JSON.stringify(refused)).not.to.contain('argon2');
  });

  it('of an option are refused when it is not the one that was loaded, also after a reset', async () => {
    const load = async () => (await tollgate.root.ok<OptionView[]>('GET', '/api/option/')).find(({ key }) => key === 'ModelRatio');
    const put = (value: string, version?: number) =>
      tollgate.root.send<OptionView>('PUT', '/api/option/', { key: 'ModelRatio', value, version });
    const shipped = await load();
    expect(shipped?.version).to.equal(0);
    expect((await put('{"a":1}', 0)).success).to.equal(true);
    const mine = await load();
    expect((await put('{"a":2}', 0)).code).to.equal('conflict');
    await tollgate.root.ok('POST', '/api/option/rest_model_ratio');
    expect((await put('{"b":1}')).success).to.equal(true);
    const refused = await put('{"a":3}', mine?.version);
    expect(refused).to.include({ success: false, code: 'conflict' });
    expect(refused.data).to.deep.equal(await load());
    expect((await put('{"a":3}', refused.data.version)).success).to.equal(true);
  });

  it('of rows from before changes were counted are no different', async () => {
    const loaded = await newToken();
    const [channel] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', channelBody);
    const uncounted = { $unset: { version: 1, changes: 1 } };
    await Token.collection.updateOne({ id: loaded.id }, uncounted);
    await Channel.collection.updateOne({ id: channel?.id }, uncounted);
    expect(await user.ok('PUT', '/api/token/', { id: loaded.id, version: 0, name: 'x' })).to.include({ name: 'x', version: 1 });
    expect(await tollgate.root.ok('PUT', '/api/channel/', { id: channel?.id, version: 0, name: 'x' })).to.include({
      name: 'x',
      version: 1,
    });
  });
});
