import { type ChannelView, optionRegistry } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { body, type Scene, unbuilt } from './scene.ts';

/** The models that channels offer, their prices, and who hears of a change. */
export function models(scene: () => Scene): void {
  it('ask their provider for its models, and hide the key in what it refuses', async () => {
    const { admin, upstreamUrl } = scene();
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, base_url: upstreamUrl });
    expect(await admin.ok('GET', `/api/channel/fetch_models/${channel?.id}`)).to.deep.equal(['m1', 'm2']);
    expect(await admin.ok('POST', '/api/channel/fetch_models', { type: 1, key: `${body.key}\nsk-b`, base_url: upstreamUrl })).to.deep.equal(
      ['m1', 'm2'],
    );
    const refused = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'sk-wrong-canary', base_url: upstreamUrl });
    expect(refused).to.include({ success: false, code: 'upstream_models_unknown' });
    expect(refused.message)
      .to.match(/Incorrect key/)
      .and.not.match(/canary/);
    const odd = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'sk-e\u0301', base_url: upstreamUrl });
    expect(odd.message).to.equal('Invalid parameter: key: must be plain text on one line');
    const gone = await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'x', base_url: 'http://127.0.0.1:9' });
    expect(gone.message).to.contain('cannot be reached');
    expect((await admin.send('POST', '/api/channel/fetch_models', { type: 1, key: 'x', base_url: 'http://192.168.0.1' })).code).to.equal(
      'egress_refused',
    );
  });

  it('are read for their prices once a change, whoever asks, and never before it is seen', async () => {
    const { tollgate, admin } = scene();
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o', group: 'default' });
    const offered = async () => {
      const reply = (await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as { data: { model_name: string }[] };
      return reply.data.map(({ model_name }) => model_name);
    };
    expect(await offered()).to.deep.equal(['gpt-4o']);
    const reads: string[] = [];
    Channel.base.set('debug', (collection: string, method: string) => void (collection === 'channels' && reads.push(method)));
    for (let time = 0; time < 5; time += 1) expect(await offered()).to.deep.equal(['gpt-4o']);
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['gpt-4o']);
    Channel.base.set('debug', false);
    expect(reads).to.deep.equal([]);
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o-mini', group: 'default' });
    expect(await offered()).to.deep.equal(['gpt-4o', 'gpt-4o-mini']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ModelPrice', value: '{"gpt-4o-mini":0.5}', confirm: true });
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['gpt-4o', 'gpt-4o-mini']);
    expect(((await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as { data: object[] }).data[1]).to.include({
      model_price: 0.5,
    });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ModelPrice', value: optionRegistry.ModelPrice.defaultText, confirm: true });
  });

  it('that change together are told of in one notice', async () => {
    const { tollgate, admin } = scene();
    const subscriber = new Redis(tollgate.redisUrl);
    const heard: string[] = [];
    await subscriber.psubscribe('config:channel:*');
    subscriber.on('pmessage', (_pattern, channel) => heard.push(channel.slice('config:channel:'.length)));
    const made = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'one\ntwo\nthree', tag: 'together' });
    const ids = made.map(({ id }) => id);
    await admin.ok('POST', '/api/channel/tag/disabled', { tag: 'together' });
    await admin.ok('POST', '/api/channel/batch', { ids });
    await eventually(() => expect(heard).to.deep.equal([ids.join(','), ids.join(','), ids.join(',')]));
    subscriber.disconnect();
  });

  it('offer models, whose prices everyone may read', async () => {
    const { tollgate, admin } = scene();
    await admin.ok('POST', '/api/channel/', { ...body, models: 'gpt-4o,dall-e-3,has-no-price', group: 'vip' });
    const reply = (await tollgate.anonymous.send('GET', '/api/pricing')) as unknown as {
      data: { model_name: string }[];
      group_ratio: object;
      usable_group: object;
    };
    const priced = ['model_name', 'quota_type', 'model_ratio', 'model_price', 'completion_ratio', 'owner_by', 'enable_groups'];
    const rows = reply.data.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => priced.includes(name))));
    expect(rows).to.deep.equal([
      {
        model_name: 'dall-e-3',
        quota_type: 1,
        model_ratio: 0,
        model_price: 0.04,
        completion_ratio: 0,
        owner_by: '',
        enable_groups: ['vip'],
      },
      { model_name: 'gpt-4o', quota_type: 0, model_ratio: 1.25, model_price: 0, completion_ratio: 4, owner_by: '', enable_groups: ['vip'] },
    ]);
    expect(reply.group_ratio).to.have.property('default', 1);
    expect(reply.usable_group).to.have.property('default');
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['dall-e-3', 'gpt-4o']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    expect(await admin.ok('GET', '/api/user/models')).to.deep.equal(['dall-e-3', 'gpt-4o', 'has-no-price']);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'false', confirm: true });
    await Channel.updateMany({}, { type: unbuilt });
    await admin.ok('POST', '/api/channel/fix');
    expect(await admin.ok('GET', '/api/user/models'), 'of a type that nothing is built for').to.deep.equal([]);
    expect(await admin.ok('GET', '/api/models'))
      .to.have.property('14')
      .that.includes('claude-3-opus-20240229');
    expect(await admin.ok<object[]>('GET', '/api/channel/models'))
      .to.be.an('array')
      .with.length.above(100);
  });
}
