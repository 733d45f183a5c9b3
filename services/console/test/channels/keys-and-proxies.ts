import type { ChannelView } from '@tollgate/contracts';
import { AuditLog, Channel, unseal } from '@tollgate/db';
import { expect } from 'chai';
import { body, type Scene } from './scene.ts';

/** Where a key may go, and what of a proxy is kept sealed. */
export function keysAndProxies(scene: () => Scene): void {
  it('do not send their key to another address unless it is entered again, but for root', async () => {
    const { tollgate, admin } = scene();
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', {
      ...body,
      tag: 'moves',
      base_url: 'https://api.example.com/v1',
    });
    const id = channel?.id ?? 0;
    for (const change of [
      { base_url: 'https://evil.example' },
      { base_url: 'http://api.example.com/v1' },
      { base_url: 'https://api.example.com:8443/v1' },
      { base_url: 'https://api.example.com.evil.example' },
      { base_url: '' },
      { base_url: 'https://evil.example', key: ' \n' },
    ])
      expect((await admin.send('PUT', '/api/channel/', { id, ...change })).code, JSON.stringify(change)).to.equal('channel_needs_key');
    await admin.ok('PUT', '/api/channel/', { id, base_url: 'https://api.example.com/v2' });
    await admin.ok('PUT', '/api/channel/tag', { tag: 'moves', base_url: 'https://evil.example', weight: 1 });
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${id}/copy`, { base_url: 'https://evil.example' });
    expect(copy.base_url).to.equal('https://api.example.com/v2');
    expect((await admin.send('PUT', '/api/channel/', { id: copy.id, base_url: 'https://evil.example' })).code).to.equal(
      'channel_needs_key',
    );
    const plain = (await admin.ok<ChannelView[]>('POST', '/api/channel/', body))[0]?.id;
    expect((await admin.send('PUT', '/api/channel/', { id: plain, type: 43 })).code, 'another type, another address').to.equal(
      'channel_needs_key',
    );
    const byProxy = JSON.stringify({ proxy: 'http://proxy.example:8080' });
    const unsealed = (await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, base_url: 'http://api.example.com' }))[0]?.id;
    expect(
      (await admin.send('PUT', '/api/channel/', { id: unsealed, setting: byProxy })).code,
      'a proxy reads what is not encrypted',
    ).to.equal('channel_needs_key');
    await admin.ok('PUT', '/api/channel/', { id, setting: byProxy });
    await admin.ok('PUT', '/api/channel/', { id, base_url: 'https://new.example.com', key: 'sk-new' });
    await tollgate.root.ok('PUT', '/api/channel/', { id, base_url: 'https://newer.example.com' });
    const trail = await AuditLog.findOne({ target: `channel:${id}`, actorId: 1 })
      .sort({ at: -1 })
      .lean();
    expect(trail).to.deep.include({ before: { baseUrl: 'https://new.example.com' }, after: { baseUrl: 'https://newer.example.com' } });
  });

  it('keep a proxy’s name and password sealed, show neither, and take it back as it was shown', async () => {
    const { admin } = scene();
    const setting = '{"proxy":"http://user:canary@proxy.example:3128","on_abort":"cancel"}';
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, setting });
    const id = channel?.id;
    expect(channel?.setting).to.equal('{"proxy":"http://***@proxy.example:3128","on_abort":"cancel"}');
    const shown = '{"proxy":"http://***@proxy.example:3128","on_abort":"drain"}';
    expect((await admin.ok<ChannelView>('PUT', '/api/channel/', { id, setting: shown })).setting).to.equal(shown);
    const stored = JSON.parse((await Channel.findOne({ id }).lean())?.setting ?? '') as { proxy: string };
    expect(unseal(stored.proxy, 'channel proxy')).to.equal('http://user:canary@proxy.example:3128');
    expect(JSON.stringify(await AuditLog.find({ target: `channel:${id}` }).lean())).not.to.contain('canary');
    for (const [proxy, message] of [
      ['ftp://proxy.example', /must be an address that begins with/],
      ['socks5://169.254.169.254:1080', /EGRESS_ALLOW/],
    ] as const) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ proxy }) });
      expect(reply.message, proxy).to.match(message);
    }
    const own = ['Host', 'content-length', 'Authorization', 'X-Api-Key', 'x-amz-date', 'proxy-authorization'];
    for (const name of own) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ header_override: { [name]: 'x' } }) });
      expect(reply.message, name).to.include('may not set');
    }
    for (const name of ['model', 'messages', 'stream', 'n', 'max_tokens', 'service_tier', 'tools']) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting: JSON.stringify({ param_override: { [name]: 1 } }) });
      expect(reply.message, name).to.include('may not set');
    }
  });

  it('are what was parsed: no spelling of a key hides a proxy or its password', async () => {
    const { admin } = scene();
    const hidden = '{"prox\\u0079":"http://user:canary@proxy.example:3128"}';
    const twice = '{"proxy":"http://user:canary@proxy.example","proxy":"http://open.example"}';
    const inside = '{"proxy":"http://open.example","prox\\u0079":"http://169.254.169.254"}';
    const [channel] = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, base_url: 'http://plain.example', key: 'sk-a' });
    const id = channel?.id;
    for (const setting of [hidden, twice]) {
      const reply = await admin.send('PUT', '/api/channel/', { id, setting });
      expect(reply.code, 'who may not use the key may not choose who reads it').to.equal('channel_needs_key');
    }
    expect((await admin.send('PUT', '/api/channel/', { id, setting: inside, key: 'sk-b' })).message).to.match(/EGRESS_ALLOW/);
    const views = [
      await admin.ok<ChannelView>('PUT', '/api/channel/', { id, setting: hidden, key: 'sk-c' }),
      await admin.ok<ChannelView>('PUT', '/api/channel/', { id, setting: twice, key: 'sk-d' }),
    ];
    expect(views.map(({ setting }) => setting)).to.deep.equal([
      '{"proxy":"http://***@proxy.example:3128"}',
      '{"proxy":"http://open.example"}',
    ]);
    const mapping = await admin.ok<ChannelView>('PUT', '/api/channel/', { id, model_mapping: '{"a":"b","\\u0061":"c"}' });
    expect(mapping.model_mapping).to.equal('{"a":"c"}');
    expect(JSON.stringify([await Channel.find({ id }).lean(), await AuditLog.find().lean()])).not.to.contain('canary');
    await Channel.updateOne({ id }, { setting: hidden });
    expect((await admin.ok<ChannelView>('GET', `/api/channel/${id}`)).setting, 'stored by an older version').not.to.contain('canary');
  });

  it('have the proxies of an older version sealed at start, in the audit log too', async () => {
    const { tollgate, admin } = scene();
    const proxies = {
      plain: 'http://user:canary@proxy.example',
      odd: 'user:can/canary@proxy.example:1080',
      open: 'socks5://proxy.example',
    };
    const channels = await admin.ok<ChannelView[]>('POST', '/api/channel/', { ...body, key: 'sk-1\nsk-2\nsk-3' });
    const ids = channels.map(({ id }) => id);
    const settings = Object.values(proxies).map((proxy) => JSON.stringify({ force_format: true, proxy }));
    for (const [i, id] of ids.entries()) {
      await Channel.updateOne({ id }, { setting: settings[i] });
      await AuditLog.updateMany({ target: `channel:${id}` }, { 'after.setting': settings[i], before: { setting: settings[i] } });
    }
    await tollgate.restart();
    const views = await Promise.all(ids.map((id) => admin.ok<ChannelView>('GET', `/api/channel/${id}`)));
    const shown = ['http://***@proxy.example', '***@proxy.example:1080', proxies.open];
    expect(views.map(({ setting }) => JSON.parse(setting ?? ''))).to.deep.equal(shown.map((proxy) => ({ force_format: true, proxy })));
    const copy = await admin.ok<ChannelView>('POST', `/api/channel/${ids[0]}/copy`);
    expect(copy.setting).to.equal(views[0]?.setting);
    await admin.ok('PUT', '/api/channel/', { id: ids[0], name: 'renamed', setting: views[0]?.setting });
    await admin.ok('PUT', '/api/channel/', { id: copy.id, setting: '{}' });
    const stored = [await Channel.find({ id: { $in: [...ids, copy.id] } }).lean(), await AuditLog.find().lean()];
    expect(JSON.stringify(stored)).not.to.contain('canary');
    expect(JSON.stringify(stored[0])).to.contain('\\"proxy\\":\\"v1.').and.contain(proxies.open);
  });
}
